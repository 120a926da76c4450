// Elementwise arithmetic, rounding and classification of one operand.
#include "support/elementwise.cuh"
#include "support/math.cuh"

namespace pgops {
namespace {

struct abs_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    if constexpr (std::is_floating_point_v<C>) return m::fabs(x);
    else if constexpr (std::is_signed_v<C>) return x < 0 ? C(uint64_t(0) - uint64_t(x)) : x;  // wraps at the least value
    else return x;
  }
};
struct neg_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    if constexpr (std::is_floating_point_v<C>) return -x;
    else return C(uint64_t(0) - uint64_t(x));
  }
};
struct sign_op {  // NaN stays NaN
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    if (m::is_nan(x)) return x;
    return x > C(0) ? C(1) : x < C(0) ? C(-1) : C(0);
  }
};
struct square_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    if constexpr (std::is_floating_point_v<C>) return x * x;
    else return C(uint64_t(x) * uint64_t(x));  // wraps without signed overflow
  }
};

#define PG_FUNCTOR(NAME, EXPRESSION)                                    \
  struct NAME {                                                        \
    static constexpr int unroll = 2;                                   \
    template <class C>                                                 \
    static __device__ __forceinline__ C run(C x) { return EXPRESSION; } \
  };
PG_FUNCTOR(sqrt_op, m::sqrt(x))
PG_FUNCTOR(rsqrt_op, C(1) / m::sqrt(x))
PG_FUNCTOR(reciprocal_op, C(1) / x)
PG_FUNCTOR(floor_op, m::floor(x))
PG_FUNCTOR(ceil_op, m::ceil(x))
PG_FUNCTOR(trunc_op, m::trunc(x))
PG_FUNCTOR(round_op, m::rint(x))
PG_FUNCTOR(relu_op, (x > C(0) || m::is_nan(x) ? x : C(0)))

#define PG_PREDICATE(NAME, EXPRESSION)                                     \
  struct NAME {                                                           \
    static constexpr int unroll = 2;                                      \
    template <class C>                                                    \
    static __device__ __forceinline__ bool run(C x) { return EXPRESSION; } \
  };
PG_PREDICATE(isnan_op, x != x)
PG_PREDICATE(isinf_op, (x == limits<C>::greatest() || x == limits<C>::lowest()))
PG_PREDICATE(isfinite_op, x - x == C(0))
PG_PREDICATE(logical_not_op, x == C(0))

struct bitwise_not_op {
  static constexpr int unroll = 2;
  template <class C>
  static __device__ __forceinline__ C run(C x) {
    if constexpr (std::is_same_v<C, bool>) return !x;
    else return C(~x);
  }
};

using signed_and_float = built_types<types<float, half, bfloat16, int32_t>,
                                     types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;
using not_types = built_types<types<bool, float, int32_t>, types<double, half, bfloat16, uint8_t, int8_t, int16_t,
                                                                 uint16_t, uint32_t, int64_t, uint64_t>>;
using bit_types = built_types<types<int32_t, bool>,
                              types<uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_UNARY(abs, abs_op, signed_and_float)
PG_UNARY(neg, neg_op, signed_and_float)
PG_UNARY(sign, sign_op, signed_and_float)
PG_UNARY(square, square_op, signed_and_float)
PG_UNARY(sqrt, sqrt_op, float_types)
PG_UNARY(rsqrt, rsqrt_op, float_types)
PG_UNARY(reciprocal, reciprocal_op, float_types)
PG_UNARY(floor, floor_op, float_types)
PG_UNARY(ceil, ceil_op, float_types)
PG_UNARY(trunc, trunc_op, float_types)
PG_UNARY(round, round_op, float_types)
PG_UNARY(relu, relu_op, float_types)
PG_UNARY(isnan, isnan_op, float_types, bool)
PG_UNARY(isinf, isinf_op, float_types, bool)
PG_UNARY(isfinite, isfinite_op, float_types, bool)
PG_UNARY(logical_not, logical_not_op, not_types, bool)
PG_UNARY(bitwise_not, bitwise_not_op, bit_types)
