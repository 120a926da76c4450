// Integer and floating-point intrinsics of CUDA that HIP lacks.
#ifndef PORTGPU_COMPAT_MATH_H
#define PORTGPU_COMPAT_MATH_H

namespace pg_compat {
namespace detail {

// Directed rounding from the nearest result and the sign of what it misses: AMD's device library
// does not have these operations in every version. Mode: 1 up, -1 down, 0 towards zero.
template <class T, class Bits>
PG_COMPAT_DEVICE T step(T v, int up) {
  Bits bits;
  __builtin_memcpy(&bits, &v, sizeof(T));
  constexpr Bits sign = static_cast<Bits>(1) << (sizeof(T) * 8 - 1);
  if ((bits & ~sign) == 0)
    bits = up > 0 ? 1 : sign | 1;
  else if ((up > 0) == ((bits & sign) == 0))
    ++bits;
  else
    --bits;
  __builtin_memcpy(&v, &bits, sizeof(T));
  return v;
}
template <int Mode, class T, class Bits>
PG_COMPAT_DEVICE T direct(T nearest, T missing) {
  if (nearest != nearest || missing == T(0) || missing != missing) return nearest;
  if (Mode > 0) return missing > T(0) ? step<T, Bits>(nearest, 1) : nearest;
  if (Mode < 0) return missing < T(0) ? step<T, Bits>(nearest, -1) : nearest;
  if (nearest > T(0)) return missing < T(0) ? step<T, Bits>(nearest, -1) : nearest;
  return missing > T(0) && nearest < T(0) ? step<T, Bits>(nearest, 1) : nearest;
}
template <int Mode>
PG_COMPAT_DEVICE double direct64(double nearest, double missing) {
  return direct<Mode, double, unsigned long long>(nearest, missing);
}
// `value` + something of the sign of `missing`, as a float.
template <int Mode>
PG_COMPAT_DEVICE float direct32(double value, double missing) {
  const float nearest = static_cast<float>(value);
  const double off = value - static_cast<double>(nearest);
  const double sign = off != 0.0 ? off : missing;
  if (value != value || value - value != 0.0) return nearest;  // NaN and infinity are exact
  if (nearest - nearest != 0.0f)                                // overflow to infinity
    return direct<Mode, float, unsigned>(nearest, nearest > 0.0f ? -1.0f : 1.0f);
  return direct<Mode, float, unsigned>(nearest, sign > 0.0 ? 1.0f : sign < 0.0 ? -1.0f : 0.0f);
}
PG_COMPAT_DEVICE double sum_error(double a, double b, double s) {
  const double t = __dsub_rn(s, a);
  return __dadd_rn(__dsub_rn(a, __dsub_rn(s, t)), __dsub_rn(b, t));
}

template <int Mode>
PG_COMPAT_DEVICE float add32(float a, float b) {
  const double s = static_cast<double>(a) + static_cast<double>(b);
  return direct32<Mode>(s, sum_error(a, b, s));
}
template <int Mode>
PG_COMPAT_DEVICE float mul32(float a, float b) {
  return direct32<Mode>(static_cast<double>(a) * static_cast<double>(b), 0.0);
}
template <int Mode>
PG_COMPAT_DEVICE float div32(float a, float b) {
  const double q = static_cast<double>(a) / static_cast<double>(b);
  const double r = fma(-q, static_cast<double>(b), static_cast<double>(a));
  return direct32<Mode>(q, b < 0.0f ? -r : r);
}
template <int Mode>
PG_COMPAT_DEVICE float sqrt32(float a) {
  const double r = sqrt(static_cast<double>(a));
  return direct32<Mode>(r, fma(-r, r, static_cast<double>(a)));
}
template <int Mode>
PG_COMPAT_DEVICE float fma32(float a, float b, float c) {
  const double p = static_cast<double>(a) * static_cast<double>(b), d = c;
  const double s = p + d;
  return direct32<Mode>(s, sum_error(p, d, s));
}
template <int Mode>
PG_COMPAT_DEVICE double add64(double a, double b) {
  const double s = __dadd_rn(a, b);
  return direct64<Mode>(s, sum_error(a, b, s));
}
template <int Mode>
PG_COMPAT_DEVICE double mul64(double a, double b) {
  const double p = __dmul_rn(a, b);
  return direct64<Mode>(p, fma(a, b, -p));
}
template <int Mode>
PG_COMPAT_DEVICE double div64(double a, double b) {
  const double q = a / b, r = fma(-q, b, a);
  return direct64<Mode>(q, b < 0.0 ? -r : r);
}
template <int Mode>
PG_COMPAT_DEVICE double sqrt64(double a) {
  const double r = sqrt(a);
  return direct64<Mode>(r, fma(-r, r, a));
}
template <int Mode>
PG_COMPAT_DEVICE double fma64(double a, double b, double c) {
  const double s = fma(a, b, c), p = __dmul_rn(a, b), low = fma(a, b, -p);
  const double t = __dadd_rn(p, c);
  return direct64<Mode>(s, __dsub_rn(t, s) + (sum_error(p, c, t) + low));
}

}  // namespace detail

#define PG_COMPAT_ROUNDED(SUFFIX, MODE)                                                            \
  PG_COMPAT_DEVICE float fadd_##SUFFIX(float a, float b) { return detail::add32<MODE>(a, b); }      \
  PG_COMPAT_DEVICE float fsub_##SUFFIX(float a, float b) { return detail::add32<MODE>(a, -b); }     \
  PG_COMPAT_DEVICE float fmul_##SUFFIX(float a, float b) { return detail::mul32<MODE>(a, b); }      \
  PG_COMPAT_DEVICE float fdiv_##SUFFIX(float a, float b) { return detail::div32<MODE>(a, b); }      \
  PG_COMPAT_DEVICE float fsqrt_##SUFFIX(float a) { return detail::sqrt32<MODE>(a); }                \
  PG_COMPAT_DEVICE float frcp_##SUFFIX(float a) { return detail::div32<MODE>(1.0f, a); }            \
  PG_COMPAT_DEVICE float fmaf_##SUFFIX(float a, float b, float c) {                                 \
    return detail::fma32<MODE>(a, b, c);                                                            \
  }                                                                                                 \
  PG_COMPAT_DEVICE double dadd_##SUFFIX(double a, double b) { return detail::add64<MODE>(a, b); }   \
  PG_COMPAT_DEVICE double dsub_##SUFFIX(double a, double b) { return detail::add64<MODE>(a, -b); }  \
  PG_COMPAT_DEVICE double dmul_##SUFFIX(double a, double b) { return detail::mul64<MODE>(a, b); }   \
  PG_COMPAT_DEVICE double ddiv_##SUFFIX(double a, double b) { return detail::div64<MODE>(a, b); }   \
  PG_COMPAT_DEVICE double dsqrt_##SUFFIX(double a) { return detail::sqrt64<MODE>(a); }              \
  PG_COMPAT_DEVICE double drcp_##SUFFIX(double a) { return detail::div64<MODE>(1.0, a); }           \
  PG_COMPAT_DEVICE double fma_##SUFFIX(double a, double b, double c) {                              \
    return detail::fma64<MODE>(a, b, c);                                                            \
  }
PG_COMPAT_ROUNDED(ru, 1)
PG_COMPAT_ROUNDED(rd, -1)
PG_COMPAT_ROUNDED(rz, 0)
#undef PG_COMPAT_ROUNDED

// Find first set: plain functions, because HIP's overloads are ambiguous for long.
#if defined(PG_COMPAT_NVIDIA) && defined(__CUDA_ARCH__)
PG_COMPAT_DEVICE int ffs(int v) { return __ffs(v); }
PG_COMPAT_DEVICE int ffsll(long long v) { return __ffsll(v); }
PG_COMPAT_DEVICE int popc(unsigned v) { return __popc(v); }
PG_COMPAT_DEVICE int popcll(unsigned long long v) { return __popcll(v); }
PG_COMPAT_DEVICE int clz(int v) { return __clz(v); }
PG_COMPAT_DEVICE int clzll(long long v) { return __clzll(v); }
#else
PG_COMPAT_BOTH int ffs(int v) { return __builtin_ffs(v); }
PG_COMPAT_BOTH int ffsll(long long v) { return __builtin_ffsll(v); }
PG_COMPAT_BOTH int popc(unsigned v) { return __builtin_popcount(v); }
PG_COMPAT_BOTH int popcll(unsigned long long v) { return __builtin_popcountll(v); }
PG_COMPAT_BOTH int clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
PG_COMPAT_BOTH int clzll(long long v) {
  return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64;
}
#endif
// Position of the n-th set bit, from `base` up (offset > 0), at `base` (0) or down (offset < 0).
PG_COMPAT_DEVICE unsigned fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> (base & 31)) & 1u ? base : 0xffffffffu;
  int left = offset < 0 ? -offset : offset;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += offset < 0 ? -1 : 1)
    if ((mask >> i) & 1u)
      if (--left == 0) return static_cast<unsigned>(i);
  return 0xffffffffu;
}

PG_COMPAT_BOTH unsigned funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned s = shift & 31u;
  return s ? (hi << s) | (lo >> (32u - s)) : hi;
}
PG_COMPAT_BOTH unsigned funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned s = shift & 31u;
  return s ? (lo >> s) | (hi << (32u - s)) : lo;
}
PG_COMPAT_BOTH unsigned funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32u ? lo : funnelshift_l(lo, hi, shift);
}
PG_COMPAT_BOTH unsigned funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32u ? hi : funnelshift_r(lo, hi, shift);
}

#if !defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE float ex2(float x) { return exp2f(x); }
PG_COMPAT_DEVICE float lg2(float x) { return __log2f(x); }
PG_COMPAT_DEVICE float rcp(float x) { return __builtin_amdgcn_rcpf(x); }
PG_COMPAT_DEVICE float rsqrt_approx(float x) { return __builtin_amdgcn_rsqf(x); }
PG_COMPAT_DEVICE float sqrt_approx(float x) { return __builtin_amdgcn_sqrtf(x); }
PG_COMPAT_DEVICE float sin_approx(float x) { return __sinf(x); }
PG_COMPAT_DEVICE float cos_approx(float x) { return __cosf(x); }
PG_COMPAT_DEVICE unsigned long long global_timer() {
  return __builtin_readcyclecounter();
}
#endif
PG_COMPAT_DEVICE float tanh_approx(float x) { return tanhf(x); }
PG_COMPAT_DEVICE unsigned pack_rn_bf16(float hi, float lo) {
  auto round = [] PG_COMPAT_LAMBDA(float f) -> unsigned {
    unsigned u = __float_as_uint(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x40u;
    return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  };
  return (round(hi) << 16) | round(lo);
}

// The nearest value of a narrower integer type, as PTX's conversions give it.
template <class T>
PG_COMPAT_DEVICE T clamp_to(int v) {
  constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int most = (1 << (sizeof(T) * 8 - (is_signed ? 1 : 0))) - 1;
  constexpr int least = is_signed ? -most - 1 : 0;
  return static_cast<T>(v > most ? most : v < least ? least : v);
}

}  // namespace pg_compat
#endif
