// Arithmetic on the two halves or four bytes of a word, in CUDA's spelling.
#pragma once
#include <cstdint>

namespace pgcpu::simd {
template <class T, class F>
inline unsigned each(unsigned a, unsigned b, F f) {
  constexpr int bits = int(sizeof(T)) * 8;
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned r = 0;
  for (int i = 0; i < 32; i += bits) r |= (unsigned(f(int(T(a >> i)), int(T(b >> i)))) & mask) << i;
  return r;
}
template <class T>
inline int clamp(int v) {
  const int lo = T(-1) < T(0) ? -(1 << (sizeof(T) * 8 - 1)) : 0;
  const int hi = T(-1) < T(0) ? (1 << (sizeof(T) * 8 - 1)) - 1 : (1 << (sizeof(T) * 8)) - 1;
  return v < lo ? lo : v > hi ? hi : v;
}
}  // namespace pgcpu::simd

#define PGCPU_SIMD(NAME, T, EXPRESSION)                                            \
  static inline unsigned NAME(unsigned x, unsigned y) {                            \
    return ::pgcpu::simd::each<T>(x, y, [](int a, int b) { return EXPRESSION; });  \
  }
#define PGCPU_SIMD_ONE(NAME, T, EXPRESSION)                                        \
  static inline unsigned NAME(unsigned x) {                                        \
    return ::pgcpu::simd::each<T>(x, 0, [](int a, int) { return EXPRESSION; });    \
  }
#define PGCPU_SIMD_SUM(NAME, T)                                                    \
  static inline unsigned NAME(unsigned x, unsigned y) {                            \
    unsigned sum = 0;                                                              \
    ::pgcpu::simd::each<T>(x, y, [&sum](int a, int b) { return sum += unsigned(a < b ? b - a : a - b), 0; }); \
    return sum;                                                                    \
  }
#define PGCPU_SIMD_COMPARE(NAME, N, S, T, OP)          \
  PGCPU_SIMD(__vcmp##NAME##S##N, T, a OP b ? -1 : 0)   \
  PGCPU_SIMD(__vset##NAME##S##N, T, a OP b ? 1 : 0)
#define PGCPU_SIMD_SIGN(N, S, T)                       \
  PGCPU_SIMD(__vmax##S##N, T, a < b ? b : a)           \
  PGCPU_SIMD(__vmin##S##N, T, b < a ? b : a)           \
  PGCPU_SIMD(__vabsdiff##S##N, T, a < b ? b - a : a - b) \
  PGCPU_SIMD(__vadd##S##s##N, T, ::pgcpu::simd::clamp<T>(a + b)) \
  PGCPU_SIMD(__vsub##S##s##N, T, ::pgcpu::simd::clamp<T>(a - b)) \
  PGCPU_SIMD(__vavg##S##N, T, (a + b + (a + b >= 0)) >> 1) \
  PGCPU_SIMD_SUM(__vsad##S##N, T)                      \
  PGCPU_SIMD_COMPARE(gt, N, S, T, >)                   \
  PGCPU_SIMD_COMPARE(ge, N, S, T, >=)                  \
  PGCPU_SIMD_COMPARE(lt, N, S, T, <)                   \
  PGCPU_SIMD_COMPARE(le, N, S, T, <=)
#define PGCPU_SIMD_WIDTH(N, ST, UT)                    \
  PGCPU_SIMD(__vadd##N, UT, a + b)                     \
  PGCPU_SIMD(__vsub##N, UT, a - b)                     \
  PGCPU_SIMD(__vhaddu##N, UT, (a + b) >> 1)            \
  PGCPU_SIMD_ONE(__vneg##N, ST, -a)                    \
  PGCPU_SIMD_ONE(__vnegss##N, ST, ::pgcpu::simd::clamp<ST>(-a)) \
  PGCPU_SIMD_ONE(__vabs##N, ST, a < 0 ? -a : a)        \
  PGCPU_SIMD_ONE(__vabsss##N, ST, ::pgcpu::simd::clamp<ST>(a < 0 ? -a : a)) \
  PGCPU_SIMD_COMPARE(eq, N, , UT, ==)                  \
  PGCPU_SIMD_COMPARE(ne, N, , UT, !=)                  \
  PGCPU_SIMD_SIGN(N, s, ST)                            \
  PGCPU_SIMD_SIGN(N, u, UT)
PGCPU_SIMD_WIDTH(2, int16_t, uint16_t)
PGCPU_SIMD_WIDTH(4, int8_t, uint8_t)
#undef PGCPU_SIMD
#undef PGCPU_SIMD_ONE
#undef PGCPU_SIMD_SUM
#undef PGCPU_SIMD_COMPARE
#undef PGCPU_SIMD_SIGN
#undef PGCPU_SIMD_WIDTH
