// Integer and floating-point intrinsics of CUDA that HIP lacks.
#ifndef PORTGPU_COMPAT_MATH_H
#define PORTGPU_COMPAT_MATH_H

namespace pg_compat {

// Rounded to the nearest, each for itself: HIP's functions are plain operators, which the compiler joins
// to a fused multiply-add, and roots of the hardware's precision. CUDA promises neither happens.
#if defined(PG_COMPAT_NVIDIA) || defined(PGCPU)
#define PG_COMPAT_NEAREST(T, NAME, OP) \
  PG_COMPAT_DEVICE T NAME(T a, T b) { return __##NAME(a, b); }
#else
#define PG_COMPAT_NEAREST(T, NAME, OP)  \
  PG_COMPAT_DEVICE T NAME(T a, T b) {   \
    _Pragma("clang fp contract(off)")   \
    return a OP b;                      \
  }
#endif
PG_COMPAT_NEAREST(float, fadd_rn, +)
PG_COMPAT_NEAREST(float, fsub_rn, -)
PG_COMPAT_NEAREST(float, fmul_rn, *)
PG_COMPAT_NEAREST(double, dadd_rn, +)
PG_COMPAT_NEAREST(double, dsub_rn, -)
PG_COMPAT_NEAREST(double, dmul_rn, *)
#undef PG_COMPAT_NEAREST
PG_COMPAT_DEVICE float fsqrt_rn(float a) { return sqrtf(a); }
PG_COMPAT_DEVICE double dsqrt_rn(double a) { return sqrt(a); }
PG_COMPAT_DEVICE float frsqrt_rn(float a) {
  return static_cast<float>(rsqrt(static_cast<double>(a)));
}

namespace detail {

PG_COMPAT_DEVICE double sum_error(double a, double b, double s) {
  const double t = dsub_rn(s, a);
  return dadd_rn(dsub_rn(a, dsub_rn(s, t)), dsub_rn(b, t));
}

// A sum of zero is negative when it is rounded down, unless both sides are +0.
template <int Mode, class T>
PG_COMPAT_DEVICE T zero_sum(T a, T b) {
  const bool plain = a == T(0) && T(1) / a > T(0) && T(1) / b > T(0);
  return Mode < 0 && !plain ? -T(0) : a + b;
}

template <int Mode>
PG_COMPAT_DEVICE float add32(float a, float b) {
  const double s = static_cast<double>(a) + static_cast<double>(b);
  if (s == 0.0) return zero_sum<Mode>(a, b);
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
  if (s == 0.0) return static_cast<float>(zero_sum<Mode>(p, d));
  return direct32<Mode>(s, sum_error(p, d, s));
}
// What a finite operation's result misses: beyond the largest number everything.
template <int Mode>
PG_COMPAT_DEVICE double finite64(double nearest, double missing) {
  if (nearest - nearest != 0.0) missing = nearest > 0.0 ? -1.0 : 1.0;
  return direct64<Mode>(nearest, missing);
}
PG_COMPAT_DEVICE bool is_finite(double a, double b) { return a - a == 0.0 && b - b == 0.0; }
// Small numbers are scaled up, so that what a product misses is no less than the smallest number.
constexpr double small64 = 0x1p-900, scale64 = 0x1p+110;
PG_COMPAT_DEVICE double product_error(double a, double b, double p) {
  if (p == 0.0) return a == 0.0 || b == 0.0 ? 0.0 : (a < 0.0) == (b < 0.0) ? 1.0 : -1.0;
  if (fabs(p) >= small64) return fma(a, b, -p);
  const bool first = fabs(a) < fabs(b);
  return fma(first ? a * scale64 : a, first ? b : b * scale64, -p * scale64);
}
template <int Mode>
PG_COMPAT_DEVICE double add64(double a, double b) {
  const double s = dadd_rn(a, b);
  if (!is_finite(a, b)) return s;
  return s == 0.0 ? zero_sum<Mode>(a, b) : finite64<Mode>(s, sum_error(a, b, s));
}
template <int Mode>
PG_COMPAT_DEVICE double mul64(double a, double b) {
  const double p = dmul_rn(a, b);
  return is_finite(a, b) ? finite64<Mode>(p, product_error(a, b, p)) : p;
}
template <int Mode>
PG_COMPAT_DEVICE double div64(double a, double b) {
  const double q = a / b, by = fabs(a) < small64 ? scale64 : 1.0;
  if (!is_finite(a, b) || b == 0.0) return q;
  const double r = fma(-q * by, b, a * by);
  return finite64<Mode>(q, b < 0.0 ? -r : r);
}
template <int Mode>
PG_COMPAT_DEVICE double sqrt64(double a) {
  const double r = sqrt(a), by = a < small64 ? 0x1p+54 : 1.0;
  return direct64<Mode>(r, a - a == 0.0 ? fma(-r * by, r * by, a * by * by) : 0.0);
}
template <int Mode>
PG_COMPAT_DEVICE double fma64(double a, double b, double c) {
  const double s = fma(a, b, c), p = dmul_rn(a, b);
  if (!is_finite(a, b) || c - c != 0.0) return s;
  if (p - p != 0.0) {  // the product alone is too large
    const double down = 1.0 / scale64, ps = (a * down) * b, cs = c * down, t = dadd_rn(ps, cs);
    return s - s != 0.0 ? finite64<Mode>(s, 0.0)
                        : direct64<Mode>(s, dsub_rn(t, s * down) +
                                                (sum_error(ps, cs, t) + fma(a * down, b, -ps)));
  }
  if (s == 0.0 && p == -c && product_error(a, b, p) == 0.0) return zero_sum<Mode>(p, c);
  if (p == 0.0 || (fabs(p) < small64 && fabs(c) >= 1.0)) {  // far below c, or nothing
    const double low = p == 0.0 ? product_error(a, b, p) : p;
    return low == 0.0 || (c != 0.0 && s != c) ? s : finite64<Mode>(s, s - c != 0.0 ? c - s : low);
  }
  const double by = fabs(p) < small64 ? scale64 : 1.0, ps = p * by, cs = c * by;
  const double t = dadd_rn(ps, cs), low = product_error(a, b, p) * (by > 1.0 ? 1.0 : by);
  return finite64<Mode>(s, dsub_rn(t, s * by) + (sum_error(ps, cs, t) + low));
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

// Conversions, for which HIP has one rounding alone, or reads the argument as a signed number.
#define PG_COMPAT_CONVERTED(SUFFIX, MODE)                                                          \
  PG_COMPAT_DEVICE float double2float_##SUFFIX(double v) { return detail::direct32<MODE>(v, 0.0); } \
  PG_COMPAT_DEVICE float int2float_##SUFFIX(int v) {                                                \
    return detail::from_integer<MODE, float, unsigned>(v);                                          \
  }                                                                                                 \
  PG_COMPAT_DEVICE float uint2float_##SUFFIX(unsigned v) {                                          \
    return detail::from_integer<MODE, float, unsigned>(v);                                          \
  }                                                                                                 \
  PG_COMPAT_DEVICE float ll2float_##SUFFIX(long long v) {                                           \
    return detail::from_integer<MODE, float, unsigned>(v);                                          \
  }                                                                                                 \
  PG_COMPAT_DEVICE float ull2float_##SUFFIX(unsigned long long v) {                                 \
    return detail::from_integer<MODE, float, unsigned>(v);                                          \
  }                                                                                                 \
  PG_COMPAT_DEVICE double ll2double_##SUFFIX(long long v) {                                         \
    return detail::from_integer<MODE, double, unsigned long long>(v);                               \
  }                                                                                                 \
  PG_COMPAT_DEVICE double ull2double_##SUFFIX(unsigned long long v) {                               \
    return detail::from_integer<MODE, double, unsigned long long>(v);                               \
  }
PG_COMPAT_CONVERTED(ru, 1)
PG_COMPAT_CONVERTED(rd, -1)
PG_COMPAT_CONVERTED(rz, 0)
#undef PG_COMPAT_CONVERTED
PG_COMPAT_DEVICE double uint2double_rn(unsigned v) { return v; }
// To 64 bits: what does not fit is the nearest that does; AMD's code for it gives other numbers.
#define PG_COMPAT_CONVERTED(NAME, F, I, SUFFIX, ROUND) \
  PG_COMPAT_DEVICE I NAME##_##SUFFIX(F v) { return detail::saturated<I>(ROUND(v)); }
#define PG_COMPAT_ROUNDINGS(NAME, F, I, LETTER)          \
  PG_COMPAT_CONVERTED(NAME, F, I, rn, rint##LETTER)      \
  PG_COMPAT_CONVERTED(NAME, F, I, rz, trunc##LETTER)     \
  PG_COMPAT_CONVERTED(NAME, F, I, ru, ceil##LETTER)      \
  PG_COMPAT_CONVERTED(NAME, F, I, rd, floor##LETTER)
PG_COMPAT_ROUNDINGS(float2ll, float, long long, f)
PG_COMPAT_ROUNDINGS(float2ull, float, unsigned long long, f)
PG_COMPAT_ROUNDINGS(double2ll, double, long long, )
PG_COMPAT_ROUNDINGS(double2ull, double, unsigned long long, )
#undef PG_COMPAT_ROUNDINGS
#undef PG_COMPAT_CONVERTED
PG_COMPAT_DEVICE float saturatef(float v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }

// Find first set: plain functions, because HIP's overloads are ambiguous for long. Counts are signed, as
// in CUDA: HIP's `__popc(a) - __popc(b)` is never negative.
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
  // Nanoseconds, from a counter of 100 MHz (25 on the oldest of gfx9).
#if defined(PGCPU)
  return __builtin_readcyclecounter();
#elif !defined(__HIP_DEVICE_COMPILE__)
  return 0;  // HIP 5.2 declares the clock for devices alone
#elif defined(__gfx900__) || defined(__gfx906__)
  return static_cast<unsigned long long>(wall_clock64()) * 40u;
#else
  return static_cast<unsigned long long>(wall_clock64()) * 10u;
#endif
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

// `float4 a = {x}`: the other members are zero, where HIP's constructor would fill them with x.
template <class V>
PG_COMPAT_BOTH V first_member(const V& v, int) {
  return v;
}
template <class V, class T>
PG_COMPAT_BOTH V first_member(const T& value, long) {
  V v = V();
  v.x = value;
  return v;
}
template <class V, class T>
PG_COMPAT_BOTH V first_of(const T& value) {
  return first_member<V>(value, 0);
}

}  // namespace pg_compat
#endif
