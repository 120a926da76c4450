// half and bfloat16: two bytes of plain data; every conversion rounds to nearest even.
#pragma once
#include "types.h"

namespace pgcpu {

inline unsigned float_bits(float f) {
  unsigned u;
  __builtin_memcpy(&u, &f, 4);
  return u;
}
inline float bits_float(unsigned u) {
  float f;
  __builtin_memcpy(&f, &u, 4);
  return f;
}

namespace detail {

// Rounds the value sign * m * 2^e (m below 2^63) to a format of `frac` fraction bits, smallest
// normal exponent `emin` and `emax` as the largest, by the given mode.
enum class rounding { nearest, zero, up, down };

template <int frac, int emin, int emax>
inline unsigned pack(bool negative, unsigned long long m, int e, bool sticky, rounding mode) {
  const unsigned sign = unsigned(negative) << (frac + (frac == 10 ? 5 : 8));
  if (!m && !sticky) return sign;
  // Scale so that one unit of m is the last place of the result, keeping lost bits as sticky.
  int top = m ? 63 - __builtin_clzll(m) : 0;
  int exponent = e + top;                                // of the leading bit
  const int unit = (exponent < emin ? emin : exponent) - frac;  // exponent of the last place
  int shift = unit - e;
  unsigned long long q, rest_half = 0;
  bool below = sticky;
  if (shift <= 0) {
    q = m << -shift;
  } else if (shift > 63) {
    q = 0;
    below = below || m;
  } else {
    q = m >> shift;
    rest_half = m >> (shift - 1) & 1;
    below = below || (m & ((1ull << (shift - 1)) - 1));
  }
  bool up = false;
  switch (mode) {
    case rounding::nearest: up = rest_half && (below || (q & 1)); break;
    case rounding::zero: break;
    case rounding::up: up = !negative && (rest_half || below); break;
    case rounding::down: up = negative && (rest_half || below); break;
  }
  q += up;
  // q counts last places: subnormal results have the encoding q, normal ones add the exponent.
  const int biased = unit + frac - emin;  // 0 for the lowest binade
  const unsigned long long code = q + ((unsigned long long)biased << frac);
  const unsigned long long infinity = (unsigned long long)(emax - emin + 2) << frac;
  if (code >= infinity) {
    const bool to_max = mode == rounding::zero || (mode == rounding::up && negative) ||
                        (mode == rounding::down && !negative);
    return sign | unsigned(to_max ? infinity - 1 : infinity);
  }
  return sign | unsigned(code);
}

template <int frac, int emin, int emax>
inline unsigned from_double(double d, rounding mode) {
  unsigned long long u;
  __builtin_memcpy(&u, &d, 8);
  const bool negative = u >> 63;
  const int e = int(u >> 52 & 0x7ff);
  const unsigned long long f = u & 0xfffffffffffffull;
  const unsigned sign = unsigned(negative) << (frac + (frac == 10 ? 5 : 8));
  const unsigned infinity = unsigned(emax - emin + 2) << frac;
  if (e == 0x7ff) return f ? (frac == 10 ? 0x7fffu : 0x7fffu) : sign | infinity;
  if (e == 0) return pack<frac, emin, emax>(negative, f, -1074, false, mode);
  return pack<frac, emin, emax>(negative, f | 1ull << 52, e - 1075, false, mode);
}

inline unsigned short half_from_double(double d, rounding mode = rounding::nearest) {
  return (unsigned short)from_double<10, -14, 15>(d, mode);
}
inline unsigned short bfloat16_from_double(double d, rounding mode = rounding::nearest) {
  return (unsigned short)from_double<7, -126, 127>(d, mode);
}
inline unsigned short half_from_float(float f) {
#if defined(__F16C__) && !defined(__clang__)
  if (f != f) return 0x7fff;
  return (unsigned short)__builtin_ia32_vcvtps2ph((float __attribute__((vector_size(16)))){f, 0, 0, 0}, 0)[0];
#else
  const unsigned u = float_bits(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
  if (a >= 0x7f800000) return (unsigned short)(a > 0x7f800000 ? 0x7fff : sign | 0x7c00);
  if (a >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
  if (a >= 0x38800000) {
    const unsigned r = a - 0x38000000;
    return (unsigned short)(sign | ((r + 0xfff + (r >> 13 & 1)) >> 13));
  }
  // Subnormal: adding 0.5 puts the last place of the result at the last place of the sum.
  const float s = bits_float(a) + 0.5f;
  return (unsigned short)(sign | (float_bits(s) - 0x3f000000));
#endif
}
inline unsigned short bfloat16_from_float(float f) {
  const unsigned u = float_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
inline float half_to_float(unsigned short h) {
  const unsigned sign = unsigned(h & 0x8000) << 16, e = h >> 10 & 31, f = h & 1023;
  if (e == 31) return bits_float(sign | 0x7f800000 | f << 13);
  if (e) return bits_float(sign | (e + 112) << 23 | f << 13);
  const float v = float(f) * 0x1p-24f;
  return sign ? -v : v;
}
inline float bfloat16_to_float(unsigned short b) { return bits_float(unsigned(b) << 16); }

}  // namespace detail

struct half {
  unsigned short bits;
  half() = default;
  static constexpr half from_bits(unsigned short b) { return half(b, 0); }

 private:
  constexpr half(unsigned short b, int) : bits(b) {}
};
struct bfloat16 {
  unsigned short bits;
  bfloat16() = default;
  static constexpr bfloat16 from_bits(unsigned short b) { return bfloat16(b, 0); }

 private:
  constexpr bfloat16(unsigned short b, int) : bits(b) {}
};

inline float to_float(half h) { return detail::half_to_float(h.bits); }
inline float to_float(bfloat16 b) { return detail::bfloat16_to_float(b.bits); }
inline half to_half(float f) { return half::from_bits(detail::half_from_float(f)); }
inline half to_half(double d) { return half::from_bits(detail::half_from_double(d)); }
inline bfloat16 to_bfloat16(float f) { return bfloat16::from_bits(detail::bfloat16_from_float(f)); }
inline bfloat16 to_bfloat16(double d) {
  return bfloat16::from_bits(detail::bfloat16_from_double(d));
}

}  // namespace pgcpu
