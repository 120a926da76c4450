// Quotient and absolute value of complex numbers, for devices and the host.
#ifndef PORTGPU_COMPAT_COMPLEX_H
#define PORTGPU_COMPAT_COMPLEX_H

#if !defined(__HIPCC_RTC__)
#include <math.h>
#endif

namespace pg_compat {
namespace detail {

PG_COMPAT_BOTH float root(float v) { return sqrtf(v); }
PG_COMPAT_BOTH double root(double v) { return sqrt(v); }
template <class T>
PG_COMPAT_BOTH T magnitude(T v) {
  return v < T(0) ? -v : v;
}

}  // namespace detail

// Scaled as CUDA's are: HIP's square the parts, so that 1e20f is infinite and 1e-30f is zero.
template <class C>
PG_COMPAT_BOTH C complex_div(C a, C b) {
  using T = decltype(a.x + a.y);
  const T scale = T(1) / (detail::magnitude<T>(b.x) + detail::magnitude<T>(b.y));
  const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;
  const T by = T(1) / (br * br + bi * bi);
  C r;
  r.x = (ar * br + ai * bi) * by;
  r.y = (ai * br - ar * bi) * by;
  return r;
}
template <class C>
PG_COMPAT_BOTH auto complex_abs(C a) -> decltype(a.x + a.y) {
  using T = decltype(a.x + a.y);
  const T x = detail::magnitude<T>(a.x), y = detail::magnitude<T>(a.y);
  const T most = x > y ? x : y, least = x > y ? y : x, ratio = least / most;
  if (most == T(0) || most - most != T(0) || least - least != T(0)) return most + least;
  return most * detail::root(T(1) + ratio * ratio);
}

}  // namespace pg_compat
#endif
