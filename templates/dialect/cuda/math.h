// Target CUDA: mathematics.
#ifndef PG_DETAIL_MATH_H
#define PG_DETAIL_MATH_H

#include "../types.h"

namespace pg {
namespace detail {

PG_FN float math_exp(float x) { return ::expf(x); }
PG_FN double math_exp(double x) { return ::exp(x); }
PG_FN float math_exp2(float x) { return ::exp2f(x); }
PG_FN double math_exp2(double x) { return ::exp2(x); }
PG_FN float math_expm1(float x) { return ::expm1f(x); }
PG_FN double math_expm1(double x) { return ::expm1(x); }
PG_FN float math_log(float x) { return ::logf(x); }
PG_FN double math_log(double x) { return ::log(x); }
PG_FN float math_log2(float x) { return ::log2f(x); }
PG_FN double math_log2(double x) { return ::log2(x); }
PG_FN float math_log10(float x) { return ::log10f(x); }
PG_FN double math_log10(double x) { return ::log10(x); }
PG_FN float math_log1p(float x) { return ::log1pf(x); }
PG_FN double math_log1p(double x) { return ::log1p(x); }
PG_FN float math_sqrt(float x) { return ::sqrtf(x); }
PG_FN double math_sqrt(double x) { return ::sqrt(x); }
PG_FN float math_rsqrt(float x) { return ::rsqrtf(x); }
PG_FN double math_rsqrt(double x) { return ::rsqrt(x); }
PG_FN float math_cbrt(float x) { return ::cbrtf(x); }
PG_FN double math_cbrt(double x) { return ::cbrt(x); }
PG_FN float math_sin(float x) { return ::sinf(x); }
PG_FN double math_sin(double x) { return ::sin(x); }
PG_FN float math_cos(float x) { return ::cosf(x); }
PG_FN double math_cos(double x) { return ::cos(x); }
PG_FN float math_tan(float x) { return ::tanf(x); }
PG_FN double math_tan(double x) { return ::tan(x); }
PG_FN float math_asin(float x) { return ::asinf(x); }
PG_FN double math_asin(double x) { return ::asin(x); }
PG_FN float math_acos(float x) { return ::acosf(x); }
PG_FN double math_acos(double x) { return ::acos(x); }
PG_FN float math_atan(float x) { return ::atanf(x); }
PG_FN double math_atan(double x) { return ::atan(x); }
PG_FN float math_sinh(float x) { return ::sinhf(x); }
PG_FN double math_sinh(double x) { return ::sinh(x); }
PG_FN float math_cosh(float x) { return ::coshf(x); }
PG_FN double math_cosh(double x) { return ::cosh(x); }
PG_FN float math_tanh(float x) { return ::tanhf(x); }
PG_FN double math_tanh(double x) { return ::tanh(x); }
PG_FN float math_asinh(float x) { return ::asinhf(x); }
PG_FN double math_asinh(double x) { return ::asinh(x); }
PG_FN float math_acosh(float x) { return ::acoshf(x); }
PG_FN double math_acosh(double x) { return ::acosh(x); }
PG_FN float math_atanh(float x) { return ::atanhf(x); }
PG_FN double math_atanh(double x) { return ::atanh(x); }
PG_FN float math_erf(float x) { return ::erff(x); }
PG_FN double math_erf(double x) { return ::erf(x); }
PG_FN float math_erfc(float x) { return ::erfcf(x); }
PG_FN double math_erfc(double x) { return ::erfc(x); }
PG_FN float math_erfinv(float x) { return ::erfinvf(x); }
PG_FN double math_erfinv(double x) { return ::erfinv(x); }
PG_FN float math_lgamma(float x) { return ::lgammaf(x); }
PG_FN double math_lgamma(double x) { return ::lgamma(x); }
PG_FN float math_tgamma(float x) { return ::tgammaf(x); }
PG_FN double math_tgamma(double x) { return ::tgamma(x); }
PG_FN float math_floor(float x) { return ::floorf(x); }
PG_FN double math_floor(double x) { return ::floor(x); }
PG_FN float math_ceil(float x) { return ::ceilf(x); }
PG_FN double math_ceil(double x) { return ::ceil(x); }
PG_FN float math_trunc(float x) { return ::truncf(x); }
PG_FN double math_trunc(double x) { return ::trunc(x); }
PG_FN float math_round(float x) { return ::roundf(x); }
PG_FN double math_round(double x) { return ::round(x); }
PG_FN float math_rint(float x) { return ::rintf(x); }
PG_FN double math_rint(double x) { return ::rint(x); }
PG_FN float math_fabs(float x) { return ::fabsf(x); }
PG_FN double math_fabs(double x) { return ::fabs(x); }
PG_FN float math_atan2(float x, float y) { return ::atan2f(x, y); }
PG_FN double math_atan2(double x, double y) { return ::atan2(x, y); }
PG_FN float math_pow(float x, float y) { return ::powf(x, y); }
PG_FN double math_pow(double x, double y) { return ::pow(x, y); }
PG_FN float math_fmod(float x, float y) { return ::fmodf(x, y); }
PG_FN double math_fmod(double x, double y) { return ::fmod(x, y); }
PG_FN float math_remainder(float x, float y) { return ::remainderf(x, y); }
PG_FN double math_remainder(double x, double y) { return ::remainder(x, y); }
PG_FN float math_hypot(float x, float y) { return ::hypotf(x, y); }
PG_FN double math_hypot(double x, double y) { return ::hypot(x, y); }
PG_FN float math_copysign(float x, float y) { return ::copysignf(x, y); }
PG_FN double math_copysign(double x, double y) { return ::copysign(x, y); }
PG_FN float math_fmin(float x, float y) { return ::fminf(x, y); }
PG_FN double math_fmin(double x, double y) { return ::fmin(x, y); }
PG_FN float math_fmax(float x, float y) { return ::fmaxf(x, y); }
PG_FN double math_fmax(double x, double y) { return ::fmax(x, y); }
PG_FN float math_fma(float x, float y, float z) { return ::fmaf(x, y, z); }
PG_FN double math_fma(double x, double y, double z) { return ::fma(x, y, z); }

PG_FN float fast_exp(float x) { return __expf(x); }
PG_FN float fast_exp2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_exp10(float x) { return __exp10f(x); }
PG_FN float fast_log(float x) { return __logf(x); }
PG_FN float fast_log2(float x) { return __log2f(x); }
PG_FN float fast_log10(float x) { return __log10f(x); }
PG_FN float fast_sin(float x) { return __sinf(x); }
PG_FN float fast_cos(float x) { return __cosf(x); }
PG_FN float fast_pow(float x, float y) { return __powf(x, y); }
PG_FN float fast_div(float x, float y) { return __fdividef(x, y); }
PG_FN float fast_rcp(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_sqrt(float x) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
PG_FN float fast_rsqrt(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
#if PG_CUDA_ARCH >= 75
PG_FN float fast_tanh(float x) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
#else
PG_FN float fast_tanh(float x) { return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f); }
#endif
PG_FN float fast_saturate(float x) { return __saturatef(x); }

}  // namespace detail
}  // namespace pg

#endif
