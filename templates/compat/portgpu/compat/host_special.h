// Functions that nvcc has for host code too and HIP for devices alone. Templates, so that functions of
// the program's own, and of a later HIP, come first.
#if !defined(PORTGPU_COMPAT_HOST_SPECIAL_H) && defined(__HIP__) && !defined(PGCPU) && \
    !defined(PG_COMPAT_NVIDIA) && !defined(__HIPCC_RTC__)
#define PORTGPU_COMPAT_HOST_SPECIAL_H

#include <math.h>

namespace pg_compat {
namespace host {

static inline double reduced_sinpi(double x) {
  const double r = fmod(x, 2.0), pi = 3.14159265358979323846, a = fabs(r);
  const double y = a <= 0.25   ? ::sin(pi * a)
                   : a <= 0.75 ? ::cos(pi * (0.5 - a))
                   : a <= 1.25 ? ::sin(pi * (1.0 - a))
                   : a <= 1.75 ? -::cos(pi * (1.5 - a))
                               : ::sin(pi * (a - 2.0));
  return r < 0 ? -y : y;
}
static inline double reduced_cospi(double x) {
  return isinf(x) ? x - x : reduced_sinpi(fabs(fmod(x, 2.0)) + 0.5);
}
// exp(x * x) * erfc(x), by a continued fraction where erfc is small.
static inline double scaled_erfc(double x) {
  if (x < 10) return ::exp(x * x) * ::erfc(x);
  double tail = x;
  for (int k = 60; k > 0; --k) tail = x + 0.5 * k / tail;
  return 0.56418958354775628695 / tail;
}
// The x with erfc(x) = y, by Newton's steps on the logarithm.
static inline double inverse_erfc(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : NAN;
  if (y > 1) return -inverse_erfc(2 - y);
  const double half_pi = 0.88622692545275801365;  // sqrt(pi) / 2
  double x = y > 0.5 ? half_pi * (1 - y) : ::sqrt(::fmax(-::log(y * ::sqrt(-::log(y / 2) + 1)), 0.1));
  for (int i = 0; i < 40; ++i) {
    const double value = ::erfc(x);
    const double step = (value - y) * half_pi * ::exp(x * x) / (y > 0.5 ? 1 : 1 + (value - y) / y / 2);
    x += step;
    if (::fabs(step) <= 1e-16 * ::fabs(x)) break;
  }
  return x;
}

static inline double inverse_erf(double x) {
  if (::fabs(x) > 0.5) return x < 0 ? -inverse_erfc(1 + x) : inverse_erfc(1 - x);
  const double half_pi = 0.88622692545275801365;
  double y = half_pi * x;
  for (int i = 0; i < 20; ++i) y -= (::erf(y) - x) * half_pi * ::exp(y * y);
  return y;
}

}  // namespace host
}  // namespace pg_compat

#define PG_COMPAT_HOST_1(NAME, EXPRESSION)                                                    \
  template <int = 0>                                                                          \
  __host__ static inline __attribute__((unused)) double NAME(double x) {                      \
    return EXPRESSION;                                                                        \
  }                                                                                           \
  template <int = 0>                                                                          \
  __host__ static inline __attribute__((unused)) float NAME(float v) {                        \
    const double x = v;                                                                       \
    return static_cast<float>(EXPRESSION);                                                    \
  }                                                                                           \
  template <int = 0>                                                                          \
  __host__ static inline __attribute__((unused)) float NAME##f(float v) {                     \
    const double x = v;                                                                       \
    return static_cast<float>(EXPRESSION);                                                    \
  }
PG_COMPAT_HOST_1(rsqrt, 1.0 / ::sqrt(x))
PG_COMPAT_HOST_1(rcbrt, 1.0 / ::cbrt(x))
PG_COMPAT_HOST_1(sinpi, ::pg_compat::host::reduced_sinpi(x))
PG_COMPAT_HOST_1(cospi, ::pg_compat::host::reduced_cospi(x))
PG_COMPAT_HOST_1(normcdf, 0.5 * ::erfc(-x * 0.70710678118654752440))
PG_COMPAT_HOST_1(normcdfinv, -1.41421356237309504880 * ::pg_compat::host::inverse_erfc(2 * x))
PG_COMPAT_HOST_1(erfcinv, ::pg_compat::host::inverse_erfc(x))
PG_COMPAT_HOST_1(erfinv, ::pg_compat::host::inverse_erf(x))
PG_COMPAT_HOST_1(erfcx, ::pg_compat::host::scaled_erfc(x))
#undef PG_COMPAT_HOST_1
#define PG_COMPAT_HOST_N(NAME, DOUBLES, FLOATS, EXPRESSION)                                   \
  template <int = 0>                                                                          \
  __host__ static inline __attribute__((unused)) double NAME DOUBLES {                        \
    return EXPRESSION;                                                                        \
  }                                                                                           \
  template <int = 0>                                                                          \
  __host__ static inline __attribute__((unused)) float NAME##f FLOATS {                       \
    return static_cast<float>(EXPRESSION);                                                    \
  }
PG_COMPAT_HOST_N(rhypot, (double a, double b), (float a, float b),
                 1.0 / ::hypot(static_cast<double>(a), static_cast<double>(b)))
PG_COMPAT_HOST_N(norm3d, (double a, double b, double c), (float a, float b, float c),
                 ::hypot(::hypot(static_cast<double>(a), static_cast<double>(b)), static_cast<double>(c)))
PG_COMPAT_HOST_N(rnorm3d, (double a, double b, double c), (float a, float b, float c),
                 1.0 / ::hypot(::hypot(static_cast<double>(a), static_cast<double>(b)),
                               static_cast<double>(c)))
#undef PG_COMPAT_HOST_N
template <int = 0>
__host__ static inline __attribute__((unused)) void sincospi(double x, double* s, double* c) {
  *s = ::pg_compat::host::reduced_sinpi(x);
  *c = ::pg_compat::host::reduced_cospi(x);
}
template <int = 0>
__host__ static inline __attribute__((unused)) void sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(::pg_compat::host::reduced_sinpi(x));
  *c = static_cast<float>(::pg_compat::host::reduced_cospi(x));
}

#endif
