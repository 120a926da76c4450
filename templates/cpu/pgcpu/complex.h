// Complex numbers in the vendors' C spelling: PGCPU_COMPLEX(cu, cuFloatComplex, cuDoubleComplex).
#pragma once
#include "types.h"

#include <cmath>

#define PGCPU_COMPLEX_OF(MAKE, P, F, T, R)                                                       \
  static inline T MAKE(R x, R y) { return T{x, y}; }                                             \
  static inline R P##real##F(T z) { return z.x; }                                                \
  static inline R P##imag##F(T z) { return z.y; }                                                \
  static inline T P##conj##F(T z) { return T{z.x, -z.y}; }                                       \
  static inline T P##add##F(T a, T b) { return T{a.x + b.x, a.y + b.y}; }                        \
  static inline T P##sub##F(T a, T b) { return T{a.x - b.x, a.y - b.y}; }                        \
  static inline T P##mul##F(T a, T b) { return T{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  static inline R P##abs##F(T z) { return std::hypot(z.x, z.y); }                                \
  static inline T P##fma##F(T a, T b, T c) { return P##add##F(P##mul##F(a, b), c); }             \
  static inline T P##div##F(T a, T b) {                                                          \
    const R s = std::fabs(b.x) + std::fabs(b.y), i = R(1) / s;                                   \
    const R ax = a.x * i, ay = a.y * i, bx = b.x * i, by = b.y * i, o = R(1) / (bx * bx + by * by); \
    return T{(ax * bx + ay * by) * o, (ay * bx - ax * by) * o};                                  \
  }
