// Elementwise power, remainder, atan2 and logaddexp.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

struct remainder_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) {
    if constexpr (std::is_floating_point_v<C>) {
      C r = m::fmod(a, b);
      if (r != C(0)) {
        if ((r < C(0)) != (b < C(0))) r += b;
      } else if (!m::is_nan(r)) {
        r = b < C(0) ? C(-0.0) : C(0);  // a zero remainder takes the divisor's sign
      }
      return r;
    } else if constexpr (std::is_signed_v<C>) {
      if (b == C(0) || b == C(-1)) return C(0);
      const C r = C(a % b);
      return r != 0 && (r < 0) != (b < 0) ? C(r + b) : r;
    } else {
      return b == C(0) ? C(0) : C(a % b);
    }
  }
};
struct pow_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) { return m::pow(a, b); }
};
struct atan2_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) { return m::atan2(a, b); }
};
struct logaddexp_op {
  static constexpr int unroll = 1;
  template <class C>
  static __device__ __forceinline__ C run(C a, C b) {
    if (a == b) return a + C(0.69314718055994530942);  // also equal infinities
    const C top = m::max_nan(a, b);
    return top + m::log1p(m::exp(-m::fabs(a - b)));
  }
};

using remainder_types = built_types<types<float, half, bfloat16, int32_t>,
                                    types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t, int64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_BINARY(remainder, remainder_op, remainder_types)
PG_BINARY(pow, pow_op, float_types)
PG_BINARY(atan2, atan2_op, float_types)
PG_BINARY(logaddexp, logaddexp_op, float_types)
