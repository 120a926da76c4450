// What CUDA's 16-bit floats do and HIP's do otherwise in some version: conversions with a direction or
// to integers (HIP 5 truncates or rounds to nearest in all of them), comparisons with NaN, saturation.
// Used for half and bfloat16.
#ifndef PORTGPU_COMPAT_HALF16_H
#define PORTGPU_COMPAT_HALF16_H

namespace pg_compat {
namespace detail {

// Bits of the 16-bit number to use for `v`, by those of the nearest one; modes as in `direct`.
template <int Mode>
PG_COMPAT_BOTH unsigned short direct16(unsigned short bits, float nearest, float v) {
  if (v != v || nearest == v) return bits;
  const bool above = nearest > v, wrong = Mode > 0 ? !above : Mode < 0 ? above : above == (v > 0.0f);
  return wrong ? step<unsigned short, unsigned short>(bits, above ? -1 : 1) : bits;
}
// The same number, or one between it and the float beside it whose last bit is set: rounding that once
// more, to fewer bits, gives what rounding the original once gives.
PG_COMPAT_BOTH float odd(float towards_zero, bool exact) {
  unsigned bits;
  __builtin_memcpy(&bits, &towards_zero, 4);
  if (!exact) bits |= 1u;
  __builtin_memcpy(&towards_zero, &bits, 4);
  return towards_zero;
}
PG_COMPAT_BOTH float odd_float(double v) {
  const float f = direct32<0>(v, 0.0);
  return odd(f, v != v || v - v != 0.0 || static_cast<double>(f) == v);
}
template <class I>
PG_COMPAT_BOTH float odd_float_of(I v) {
  const float f = from_integer<0, float, unsigned>(v);
  return odd(f, static_cast<I>(f) == v);
}

}  // namespace detail
}  // namespace pg_compat

// Functions of a type T and its pair T2, of which WIDE makes floats; NAME is the type's in CUDA.
#define PG_COMPAT_16_FROM(T, NAME, I, TYPE)                                                           \
  PG_COMPAT_BOTH T I##2##NAME##_rn(TYPE v) { return NAME##_nearest(detail::odd_float_of(v)); }        \
  PG_COMPAT_BOTH T I##2##NAME##_rz(TYPE v) {                                                          \
    return NAME##_directed<0>(detail::from_integer<0, float, unsigned>(v));                           \
  }                                                                                                   \
  PG_COMPAT_BOTH T I##2##NAME##_ru(TYPE v) {                                                          \
    return NAME##_directed<1>(detail::from_integer<1, float, unsigned>(v));                           \
  }                                                                                                   \
  PG_COMPAT_BOTH T I##2##NAME##_rd(TYPE v) {                                                          \
    return NAME##_directed<-1>(detail::from_integer<-1, float, unsigned>(v));                         \
  }
#define PG_COMPAT_16_TO(T, NAME, WIDE, I, TYPE)                                                       \
  PG_COMPAT_BOTH TYPE NAME##2##I##_rn(T v) { return detail::saturated<TYPE>(rintf(WIDE(v))); }        \
  PG_COMPAT_BOTH TYPE NAME##2##I##_rz(T v) { return detail::saturated<TYPE>(truncf(WIDE(v))); }       \
  PG_COMPAT_BOTH TYPE NAME##2##I##_ru(T v) { return detail::saturated<TYPE>(ceilf(WIDE(v))); }        \
  PG_COMPAT_BOTH TYPE NAME##2##I##_rd(T v) { return detail::saturated<TYPE>(floorf(WIDE(v))); }
#define PG_COMPAT_16_INTEGERS(T, NAME, WIDE)                                                          \
  PG_COMPAT_16_FROM(T, NAME, int, int)                                                                \
  PG_COMPAT_16_FROM(T, NAME, uint, unsigned)                                                          \
  PG_COMPAT_16_FROM(T, NAME, short, short)                                                            \
  PG_COMPAT_16_FROM(T, NAME, ushort, unsigned short)                                                  \
  PG_COMPAT_16_FROM(T, NAME, ll, long long)                                                           \
  PG_COMPAT_16_FROM(T, NAME, ull, unsigned long long)                                                 \
  PG_COMPAT_16_TO(T, NAME, WIDE, int, int)                                                            \
  PG_COMPAT_16_TO(T, NAME, WIDE, uint, unsigned)                                                      \
  PG_COMPAT_16_TO(T, NAME, WIDE, short, short)                                                        \
  PG_COMPAT_16_TO(T, NAME, WIDE, ushort, unsigned short)                                              \
  PG_COMPAT_16_TO(T, NAME, WIDE, ll, long long)                                                       \
  PG_COMPAT_16_TO(T, NAME, WIDE, ull, unsigned long long)                                             \
  PG_COMPAT_16_TO(T, NAME, WIDE, char, signed char)                                                   \
  PG_COMPAT_16_TO(T, NAME, WIDE, uchar, unsigned char)

// A comparison of two floats a and b: of one number, of both as 1.0 or 0.0, as words of ones, of both.
#define PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, NAME, EXPRESSION)                                \
  PG_COMPAT_BOTH bool h##NAME(T x, T y) {                                                             \
    const float a = WIDE(x), b = WIDE(y);                                                             \
    return EXPRESSION;                                                                                \
  }                                                                                                   \
  PG_COMPAT_BOTH T2 h##NAME##2(T2 x, T2 y) {                                                          \
    return T2(T(h##NAME(LOW(x), LOW(y)) ? 1.0f : 0.0f), T(h##NAME(HIGH(x), HIGH(y)) ? 1.0f : 0.0f));  \
  }                                                                                                   \
  PG_COMPAT_BOTH unsigned h##NAME##2_mask(T2 x, T2 y) {                                               \
    return (h##NAME(LOW(x), LOW(y)) ? 0xffffu : 0u) | (h##NAME(HIGH(x), HIGH(y)) ? 0xffff0000u : 0u); \
  }                                                                                                   \
  PG_COMPAT_BOTH bool hb##NAME##2(T2 x, T2 y) {                                                       \
    return h##NAME(LOW(x), LOW(y)) && h##NAME(HIGH(x), HIGH(y));                                      \
  }
// Comparisons with NaN are false, and true where the name ends in u.
#define PG_COMPAT_16_COMPARES(T, T2, WIDE, LOW, HIGH)                                                 \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, eq, a == b)                                            \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, ne, a < b || a > b)                                    \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, gt, a > b)                                             \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, ge, a >= b)                                            \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, lt, a < b)                                             \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, le, a <= b)                                            \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, equ, !(a < b || a > b))                                \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, neu, !(a == b))                                        \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, gtu, !(a <= b))                                        \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, geu, !(a < b))                                         \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, ltu, !(a >= b))                                        \
  PG_COMPAT_16_COMPARE(T, T2, WIDE, LOW, HIGH, leu, !(a > b))                                         \
  PG_COMPAT_BOTH int hisinf(T x) {                                                                    \
    return WIDE(x) - WIDE(x) == 0.0f || WIDE(x) != WIDE(x) ? 0 : WIDE(x) > 0.0f ? 1 : -1;             \
  }                                                                                                   \
  PG_COMPAT_BOTH T2 hisnan2(T2 x) {                                                                   \
    return T2(T(WIDE(LOW(x)) != WIDE(LOW(x)) ? 1.0f : 0.0f),                                          \
              T(WIDE(HIGH(x)) != WIDE(HIGH(x)) ? 1.0f : 0.0f));                                       \
  }

// Results in [0, 1]; NaN is 0.
#define PG_COMPAT_16_SATURATED(T, T2, WIDE, LOW, HIGH)                                                \
  PG_COMPAT_DEVICE T h_saturate(T v) {                                                                \
    return WIDE(v) > 0.0f ? (WIDE(v) < 1.0f ? v : T(1.0f)) : T(0.0f);                                 \
  }                                                                                                   \
  PG_COMPAT_DEVICE T hadd(T a, T b) { return __hadd(a, b); }                                          \
  PG_COMPAT_DEVICE T hadd_sat(T a, T b) { return h_saturate(__hadd(a, b)); }                          \
  PG_COMPAT_DEVICE T hsub_sat(T a, T b) { return h_saturate(__hsub(a, b)); }                          \
  PG_COMPAT_DEVICE T hmul_sat(T a, T b) { return h_saturate(__hmul(a, b)); }                          \
  PG_COMPAT_DEVICE T hfma_sat(T a, T b, T c) { return h_saturate(__hfma(a, b, c)); }                  \
  PG_COMPAT_DEVICE T2 hadd2_sat(T2 a, T2 b) {                                                         \
    return T2(hadd_sat(LOW(a), LOW(b)), hadd_sat(HIGH(a), HIGH(b)));                                  \
  }                                                                                                   \
  PG_COMPAT_DEVICE T2 hsub2_sat(T2 a, T2 b) {                                                         \
    return T2(hsub_sat(LOW(a), LOW(b)), hsub_sat(HIGH(a), HIGH(b)));                                  \
  }                                                                                                   \
  PG_COMPAT_DEVICE T2 hmul2_sat(T2 a, T2 b) {                                                         \
    return T2(hmul_sat(LOW(a), LOW(b)), hmul_sat(HIGH(a), HIGH(b)));                                  \
  }                                                                                                   \
  PG_COMPAT_DEVICE T2 hfma2_sat(T2 a, T2 b, T2 c) {                                                   \
    return T2(hfma_sat(LOW(a), LOW(b), LOW(c)), hfma_sat(HIGH(a), HIGH(b), HIGH(c)));                 \
  }

#endif
