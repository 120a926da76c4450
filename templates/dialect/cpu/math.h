// Target CPU: mathematics.
#ifndef PG_DETAIL_MATH_H
#define PG_DETAIL_MATH_H

#include <cmath>

#include "../types.h"

namespace pg {
namespace detail {

inline float math_exp(float x) { return std::exp(x); }
inline double math_exp(double x) { return std::exp(x); }
inline float math_exp2(float x) { return std::exp2(x); }
inline double math_exp2(double x) { return std::exp2(x); }
inline float math_expm1(float x) { return std::expm1(x); }
inline double math_expm1(double x) { return std::expm1(x); }
inline float math_log(float x) { return std::log(x); }
inline double math_log(double x) { return std::log(x); }
inline float math_log2(float x) { return std::log2(x); }
inline double math_log2(double x) { return std::log2(x); }
inline float math_log10(float x) { return std::log10(x); }
inline double math_log10(double x) { return std::log10(x); }
inline float math_log1p(float x) { return std::log1p(x); }
inline double math_log1p(double x) { return std::log1p(x); }
inline float math_sqrt(float x) { return std::sqrt(x); }
inline double math_sqrt(double x) { return std::sqrt(x); }
inline float math_cbrt(float x) { return std::cbrt(x); }
inline double math_cbrt(double x) { return std::cbrt(x); }
inline float math_sin(float x) { return std::sin(x); }
inline double math_sin(double x) { return std::sin(x); }
inline float math_cos(float x) { return std::cos(x); }
inline double math_cos(double x) { return std::cos(x); }
inline float math_tan(float x) { return std::tan(x); }
inline double math_tan(double x) { return std::tan(x); }
inline float math_asin(float x) { return std::asin(x); }
inline double math_asin(double x) { return std::asin(x); }
inline float math_acos(float x) { return std::acos(x); }
inline double math_acos(double x) { return std::acos(x); }
inline float math_atan(float x) { return std::atan(x); }
inline double math_atan(double x) { return std::atan(x); }
inline float math_sinh(float x) { return std::sinh(x); }
inline double math_sinh(double x) { return std::sinh(x); }
inline float math_cosh(float x) { return std::cosh(x); }
inline double math_cosh(double x) { return std::cosh(x); }
inline float math_tanh(float x) { return std::tanh(x); }
inline double math_tanh(double x) { return std::tanh(x); }
inline float math_asinh(float x) { return std::asinh(x); }
inline double math_asinh(double x) { return std::asinh(x); }
inline float math_acosh(float x) { return std::acosh(x); }
inline double math_acosh(double x) { return std::acosh(x); }
inline float math_atanh(float x) { return std::atanh(x); }
inline double math_atanh(double x) { return std::atanh(x); }
inline float math_erf(float x) { return std::erf(x); }
inline double math_erf(double x) { return std::erf(x); }
inline float math_erfc(float x) { return std::erfc(x); }
inline double math_erfc(double x) { return std::erfc(x); }
inline float math_floor(float x) { return std::floor(x); }
inline double math_floor(double x) { return std::floor(x); }
inline float math_ceil(float x) { return std::ceil(x); }
inline double math_ceil(double x) { return std::ceil(x); }
inline float math_trunc(float x) { return std::trunc(x); }
inline double math_trunc(double x) { return std::trunc(x); }
inline float math_round(float x) { return std::round(x); }
inline double math_round(double x) { return std::round(x); }
inline float math_fabs(float x) { return std::fabs(x); }
inline double math_fabs(double x) { return std::fabs(x); }
inline float math_lgamma(float x) { return std::lgamma(x); }
inline double math_lgamma(double x) { return std::lgamma(x); }
inline float math_tgamma(float x) { return std::tgamma(x); }
inline double math_tgamma(double x) { return std::tgamma(x); }
inline float math_atan2(float x, float y) { return std::atan2(x, y); }
inline double math_atan2(double x, double y) { return std::atan2(x, y); }
inline float math_pow(float x, float y) { return std::pow(x, y); }
inline double math_pow(double x, double y) { return std::pow(x, y); }
inline float math_fmod(float x, float y) { return std::fmod(x, y); }
inline double math_fmod(double x, double y) { return std::fmod(x, y); }
inline float math_remainder(float x, float y) { return std::remainder(x, y); }
inline double math_remainder(double x, double y) { return std::remainder(x, y); }
inline float math_hypot(float x, float y) { return std::hypot(x, y); }
inline double math_hypot(double x, double y) { return std::hypot(x, y); }
inline float math_copysign(float x, float y) { return std::copysign(x, y); }
inline double math_copysign(double x, double y) { return std::copysign(x, y); }
inline float math_fmin(float x, float y) { return std::fmin(x, y); }
inline double math_fmin(double x, double y) { return std::fmin(x, y); }
inline float math_fmax(float x, float y) { return std::fmax(x, y); }
inline double math_fmax(double x, double y) { return std::fmax(x, y); }
inline float math_rint(float x) { return std::nearbyint(x); }
inline double math_rint(double x) { return std::nearbyint(x); }
inline float math_rsqrt(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double math_rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float math_fma(float x, float y, float z) { return std::fma(x, y, z); }
inline double math_fma(double x, double y, double z) { return std::fma(x, y, z); }

// A rational start (Winitzki's approximation), then Halley steps on erf or, in the tails, on erfc.
inline double math_erfinv(double y) {
  const double a = std::fabs(y);
  if (!(a < 1.0)) return a == 1.0 ? std::copysign(HUGE_VAL, y) : NAN;
  if (a < 1e-8) return y * 0.88622692545275801;  // sqrt(pi) / 2
  const double l = std::log1p(-a * a), b = 2.0 / (3.14159265358979324 * 0.147) + l / 2;
  double x = std::sqrt(std::sqrt(b * b - l / 0.147) - b);
  for (int i = 0; i < 3; ++i) {
    const double error = a > 0.5 ? (1.0 - a) - std::erfc(x) : std::erf(x) - a;
    const double step = error / (1.1283791670955126 * std::exp(-x * x));  // 2 / sqrt(pi)
    x -= step / (1.0 + x * step);
  }
  return std::copysign(x, y);
}
inline float math_erfinv(float y) { return static_cast<float>(math_erfinv(static_cast<double>(y))); }

inline float fast_exp(float x) { return std::exp(x); }
inline float fast_exp2(float x) { return std::exp2(x); }
inline float fast_exp10(float x) { return static_cast<float>(std::pow(10.0, static_cast<double>(x))); }
inline float fast_log(float x) { return std::log(x); }
inline float fast_log2(float x) { return std::log2(x); }
inline float fast_log10(float x) { return std::log10(x); }
inline float fast_sin(float x) { return std::sin(x); }
inline float fast_cos(float x) { return std::cos(x); }
inline float fast_pow(float x, float y) { return std::pow(x, y); }
inline float fast_div(float x, float y) { return x / y; }
inline float fast_rcp(float x) { return 1.0f / x; }
inline float fast_sqrt(float x) { return std::sqrt(x); }
inline float fast_rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline float fast_tanh(float x) { return std::tanh(x); }
inline float fast_saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

}  // namespace detail
}  // namespace pg

#endif
