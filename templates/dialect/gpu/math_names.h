// Targets CUDA and ROCm: the functions of mathematics that both call by the same names.
#ifndef PG_DETAIL_MATH_NAMES_H
#define PG_DETAIL_MATH_NAMES_H

#include "../types.h"

namespace pg {
namespace detail {

#define PG_MATH1_(name)                                          \
  PG_FN float math_##name(float x) { return ::name##f(x); }      \
  PG_FN double math_##name(double x) { return ::name(x); }
#define PG_MATH2_(name)                                                      \
  PG_FN float math_##name(float x, float y) { return ::name##f(x, y); }      \
  PG_FN double math_##name(double x, double y) { return ::name(x, y); }
// clang-format off
PG_MATH1_(exp) PG_MATH1_(exp2) PG_MATH1_(expm1) PG_MATH1_(log) PG_MATH1_(log2) PG_MATH1_(log10)
PG_MATH1_(log1p) PG_MATH1_(sqrt) PG_MATH1_(rsqrt) PG_MATH1_(cbrt) PG_MATH1_(sin) PG_MATH1_(cos)
PG_MATH1_(tan) PG_MATH1_(asin) PG_MATH1_(acos) PG_MATH1_(atan) PG_MATH1_(sinh) PG_MATH1_(cosh)
PG_MATH1_(tanh) PG_MATH1_(asinh) PG_MATH1_(acosh) PG_MATH1_(atanh) PG_MATH1_(erf) PG_MATH1_(erfc)
PG_MATH1_(erfinv) PG_MATH1_(lgamma) PG_MATH1_(tgamma) PG_MATH1_(floor) PG_MATH1_(ceil)
PG_MATH1_(trunc) PG_MATH1_(round) PG_MATH1_(rint) PG_MATH1_(fabs)
PG_MATH2_(atan2) PG_MATH2_(pow) PG_MATH2_(fmod) PG_MATH2_(remainder) PG_MATH2_(hypot)
PG_MATH2_(copysign) PG_MATH2_(fmin) PG_MATH2_(fmax)
// clang-format on
#undef PG_MATH1_
#undef PG_MATH2_
PG_FN float math_fma(float x, float y, float z) { return ::fmaf(x, y, z); }
PG_FN double math_fma(double x, double y, double z) { return ::fma(x, y, z); }

PG_FN float fast_exp(float x) { return __expf(x); }
PG_FN float fast_exp10(float x) { return __exp10f(x); }
PG_FN float fast_log(float x) { return __logf(x); }
PG_FN float fast_log2(float x) { return __log2f(x); }
PG_FN float fast_log10(float x) { return __log10f(x); }
PG_FN float fast_sin(float x) { return __sinf(x); }
PG_FN float fast_cos(float x) { return __cosf(x); }
PG_FN float fast_pow(float x, float y) { return __powf(x, y); }
PG_FN float fast_div(float x, float y) { return __fdividef(x, y); }

}  // namespace detail
}  // namespace pg

#endif
