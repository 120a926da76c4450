// Elementwise ops of one operand with scalar parameters: clip, nan_to_num, rounding to decimals.
#include <cmath>

#include "support/math.cuh"
#include "support/unary_with.cuh"

namespace pgops {
namespace {

template <class C>
struct clip_op {
  C low, high;
  __device__ __forceinline__ C operator()(C x) const { return m::min_nan(m::max_nan(x, low), high); }
};

template <class C>
struct nan_op {
  C nan, positive, negative;
  __device__ __forceinline__ C operator()(C x) const {
    if (m::is_nan(x)) return nan;
    return x == limits<C>::greatest() ? positive : x == limits<C>::lowest() ? negative : x;
  }
};

template <class C>
struct decimals_op {
  C scale;
  bool divide;  // negative decimals: by the power first, so that it is exact
  __device__ __forceinline__ C operator()(C x) const {
    return divide ? m::rint(x / scale) * scale : m::rint(x * scale) / scale;
  }
};

using clip_types = built_types<types<float, half, bfloat16, int32_t>,
                               types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

// The parameter as an element; where it is infinite, and `finite`, the greatest or least number.
template <class T>
compute_t<T> element(double value, bool finite = false) {
  if constexpr (is_float<T>) {
    if (finite && std::isinf(value)) {
      const double most = std::is_same_v<T, half> ? 65504.0
                          : std::is_same_v<T, bfloat16> ? 3.3895313892515355e38
                          : std::is_same_v<T, float> ? 3.4028234663852886e38 : 1.7976931348623157e308;
      return compute_t<T>(value < 0 ? -most : most);
    }
  }
  return widen(convert<T>(value));
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_clip(const pg_tensor* x, const pg_tensor* out, double low, double high, void* stream) {
  return unary_with<clip_types>("clip", x, out, [&](auto t) {
    using T = typename decltype(t)::type;
    return clip_op<compute_t<T>>{element<T>(low), element<T>(high)};
  }, stream);
}

extern "C" PG_API int pg_nan_to_num(const pg_tensor* x, const pg_tensor* out, double nan, double posinf, double neginf,
                                    void* stream) {
  return unary_with<float_types>("nan_to_num", x, out, [&](auto t) {
    using T = typename decltype(t)::type;
    return nan_op<compute_t<T>>{element<T>(nan), element<T>(posinf, true), element<T>(neginf, true)};
  }, stream);
}

extern "C" PG_API int pg_round_decimals(const pg_tensor* x, const pg_tensor* out, int32_t decimals, void* stream) {
  if (decimals < -10 || decimals > 10)
    return fail(PG_ERR_VALUE, "round_decimals: decimals is %d; -10 to 10 are possible", int(decimals));
  return unary_with<float_types>("round_decimals", x, out, [&](auto t) {
    using C = compute_t<typename decltype(t)::type>;
    double scale = 1;
    for (int i = decimals < 0 ? -decimals : decimals; i > 0; --i) scale *= 10;
    return decimals_op<C>{C(scale), decimals < 0};
  }, stream);
}
