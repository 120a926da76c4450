// Accurate mathematics for float and double; 16-bit floats compute in float and round once.
// pg::fast has the quick, less exact versions for float.
#ifndef PG_MATH_H
#define PG_MATH_H

#include "types.h"
#include "detail/math.h"

namespace pg {

#define PG_MATH_1_(name)                                                                   \
  PG_FN float name(float x) { return detail::math_##name(x); }                             \
  PG_FN double name(double x) { return detail::math_##name(x); }                           \
  PG_FN half name(half x) { return from_float<half>(detail::math_##name(to_float(x))); }   \
  PG_FN bfloat16 name(bfloat16 x) { return from_float<bfloat16>(detail::math_##name(to_float(x))); }
#define PG_MATH_2_(name)                                                                         \
  PG_FN float name(float x, float y) { return detail::math_##name(x, y); }                       \
  PG_FN double name(double x, double y) { return detail::math_##name(x, y); }                    \
  PG_FN half name(half x, half y) {                                                              \
    return from_float<half>(detail::math_##name(to_float(x), to_float(y)));                      \
  }                                                                                              \
  PG_FN bfloat16 name(bfloat16 x, bfloat16 y) {                                                  \
    return from_float<bfloat16>(detail::math_##name(to_float(x), to_float(y)));                  \
  }

PG_MATH_1_(exp)
PG_MATH_1_(exp2)
PG_MATH_1_(expm1)
PG_MATH_1_(log)
PG_MATH_1_(log2)
PG_MATH_1_(log10)
PG_MATH_1_(log1p)
PG_MATH_1_(sqrt)
PG_MATH_1_(rsqrt)
PG_MATH_1_(cbrt)
PG_MATH_1_(sin)
PG_MATH_1_(cos)
PG_MATH_1_(tan)
PG_MATH_1_(asin)
PG_MATH_1_(acos)
PG_MATH_1_(atan)
PG_MATH_1_(sinh)
PG_MATH_1_(cosh)
PG_MATH_1_(tanh)
PG_MATH_1_(asinh)
PG_MATH_1_(acosh)
PG_MATH_1_(atanh)
PG_MATH_1_(erf)
PG_MATH_1_(erfc)
PG_MATH_1_(erfinv)
PG_MATH_1_(lgamma)
PG_MATH_1_(tgamma)
PG_MATH_1_(floor)
PG_MATH_1_(ceil)
PG_MATH_1_(trunc)
PG_MATH_1_(round)
PG_MATH_1_(rint)
PG_MATH_1_(fabs)
PG_MATH_2_(atan2)
PG_MATH_2_(pow)
PG_MATH_2_(fmod)
PG_MATH_2_(remainder)
PG_MATH_2_(hypot)
PG_MATH_2_(copysign)
PG_MATH_2_(fmin)
PG_MATH_2_(fmax)

#undef PG_MATH_1_
#undef PG_MATH_2_

// x * y + z with one rounding.
PG_FN float fma(float x, float y, float z) { return detail::math_fma(x, y, z); }
PG_FN double fma(double x, double y, double z) { return detail::math_fma(x, y, z); }

// Absolute value of any arithmetic type; the lowest integer stays what it is.
template <class T>
PG_FN T abs(T x) {
  if constexpr (detail::is_same<T, float>::value || detail::is_same<T, double>::value) return detail::math_fabs(x);
  else if constexpr (detail::is_float16<T>::value) return bit_cast<T>(static_cast<uint16_t>(bit_cast<uint16_t>(x) & 0x7fff));
  else if constexpr (numeric_limits<T>::is_signed && sizeof(T) >= 4) {
    using U = typename detail::uint_of_size<sizeof(T)>::type;
    return x < 0 ? static_cast<T>(U(0) - static_cast<U>(x)) : x;
  } else return static_cast<T>(x < static_cast<T>(0) ? -x : x);
}

// Class of a value; false / true for integers as fits.
template <class T>
PG_FN bool isnan(T x) { return detail::is_nan_value(x); }
template <class T>
PG_FN bool isinf(T x) {
  if constexpr (detail::is_same<T, double>::value) return (bit_cast<uint64_t>(x) << 1) == 0xffe0000000000000ull;
  else if constexpr (detail::is_floating<T>::value) return (bit_cast<uint32_t>(to_float(x)) << 1) == 0xff000000u;
  else return false;
}
template <class T>
PG_FN bool isfinite(T x) { return !isnan(x) && !isinf(x); }
template <class T>
PG_FN bool signbit(T x) {
  if constexpr (detail::is_floating<T>::value) {
    using U = typename detail::uint_of_size<sizeof(T)>::type;
    return bit_cast<U>(x) >> (sizeof(T) * 8 - 1);
  } else return x < static_cast<T>(0);
}

// Quick versions: a few units in the last place worse, and no care for extreme arguments.
namespace fast {
PG_FN float exp(float x) { return detail::fast_exp(x); }
PG_FN float exp2(float x) { return detail::fast_exp2(x); }
PG_FN float exp10(float x) { return detail::fast_exp10(x); }
PG_FN float log(float x) { return detail::fast_log(x); }
PG_FN float log2(float x) { return detail::fast_log2(x); }
PG_FN float log10(float x) { return detail::fast_log10(x); }
PG_FN float sin(float x) { return detail::fast_sin(x); }
PG_FN float cos(float x) { return detail::fast_cos(x); }
PG_FN float pow(float x, float y) { return detail::fast_pow(x, y); }
PG_FN float div(float x, float y) { return detail::fast_div(x, y); }
PG_FN float rcp(float x) { return detail::fast_rcp(x); }
PG_FN float sqrt(float x) { return detail::fast_sqrt(x); }
PG_FN float rsqrt(float x) { return detail::fast_rsqrt(x); }
PG_FN float tanh(float x) { return detail::fast_tanh(x); }
// Clamps to [0, 1]; NaN gives 0.
PG_FN float saturate(float x) { return detail::fast_saturate(x); }
}  // namespace fast

}  // namespace pg

#endif
