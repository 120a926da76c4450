// Integer and floating-point intrinsics of CUDA that HIP lacks.
#ifndef PORTGPU_COMPAT_MATH_H
#define PORTGPU_COMPAT_MATH_H

// Rounded operations of AMD's device library, which is linked into every kernel.
extern "C" {
#define PG_COMPAT_ROUNDED(OP)                            \
  __device__ float __ocml_##OP##_rtp_f32(float, float);   \
  __device__ float __ocml_##OP##_rtn_f32(float, float);   \
  __device__ float __ocml_##OP##_rtz_f32(float, float);   \
  __device__ double __ocml_##OP##_rtp_f64(double, double); \
  __device__ double __ocml_##OP##_rtn_f64(double, double); \
  __device__ double __ocml_##OP##_rtz_f64(double, double);
PG_COMPAT_ROUNDED(add)
PG_COMPAT_ROUNDED(sub)
PG_COMPAT_ROUNDED(mul)
PG_COMPAT_ROUNDED(div)
#undef PG_COMPAT_ROUNDED
#define PG_COMPAT_ROUNDED(MODE)                                     \
  __device__ float __ocml_sqrt_##MODE##_f32(float);                  \
  __device__ double __ocml_sqrt_##MODE##_f64(double);                \
  __device__ float __ocml_fma_##MODE##_f32(float, float, float);     \
  __device__ double __ocml_fma_##MODE##_f64(double, double, double);
PG_COMPAT_ROUNDED(rtp)
PG_COMPAT_ROUNDED(rtn)
PG_COMPAT_ROUNDED(rtz)
#undef PG_COMPAT_ROUNDED
}

namespace pg_compat {

#define PG_COMPAT_ROUNDED(CUDA, OCML)                                                            \
  PG_COMPAT_DEVICE float f##CUDA(float a, float b) { return __ocml_##OCML##_f32(a, b); }          \
  PG_COMPAT_DEVICE double d##CUDA(double a, double b) { return __ocml_##OCML##_f64(a, b); }
PG_COMPAT_ROUNDED(add_ru, add_rtp)
PG_COMPAT_ROUNDED(add_rd, add_rtn)
PG_COMPAT_ROUNDED(add_rz, add_rtz)
PG_COMPAT_ROUNDED(sub_ru, sub_rtp)
PG_COMPAT_ROUNDED(sub_rd, sub_rtn)
PG_COMPAT_ROUNDED(sub_rz, sub_rtz)
PG_COMPAT_ROUNDED(mul_ru, mul_rtp)
PG_COMPAT_ROUNDED(mul_rd, mul_rtn)
PG_COMPAT_ROUNDED(mul_rz, mul_rtz)
PG_COMPAT_ROUNDED(div_ru, div_rtp)
PG_COMPAT_ROUNDED(div_rd, div_rtn)
PG_COMPAT_ROUNDED(div_rz, div_rtz)
#undef PG_COMPAT_ROUNDED
#define PG_COMPAT_ROUNDED(CUDA, OCML)                                                               \
  PG_COMPAT_DEVICE float fsqrt_##CUDA(float a) { return __ocml_sqrt_##OCML##_f32(a); }               \
  PG_COMPAT_DEVICE double dsqrt_##CUDA(double a) { return __ocml_sqrt_##OCML##_f64(a); }             \
  PG_COMPAT_DEVICE float frcp_##CUDA(float a) { return __ocml_div_##OCML##_f32(1.0f, a); }           \
  PG_COMPAT_DEVICE double drcp_##CUDA(double a) { return __ocml_div_##OCML##_f64(1.0, a); }          \
  PG_COMPAT_DEVICE float fmaf_##CUDA(float a, float b, float c) {                                    \
    return __ocml_fma_##OCML##_f32(a, b, c);                                                         \
  }                                                                                                  \
  PG_COMPAT_DEVICE double fma_##CUDA(double a, double b, double c) {                                 \
    return __ocml_fma_##OCML##_f64(a, b, c);                                                         \
  }
PG_COMPAT_ROUNDED(ru, rtp)
PG_COMPAT_ROUNDED(rd, rtn)
PG_COMPAT_ROUNDED(rz, rtz)
#undef PG_COMPAT_ROUNDED

// Find first set: plain functions, because HIP's overloads are ambiguous for long.
PG_COMPAT_BOTH int ffs(int v) { return __builtin_ffs(v); }
PG_COMPAT_BOTH int ffsll(long long v) { return __builtin_ffsll(v); }
PG_COMPAT_BOTH int popc(unsigned v) { return __builtin_popcount(v); }
PG_COMPAT_BOTH int popcll(unsigned long long v) { return __builtin_popcountll(v); }
PG_COMPAT_BOTH int clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
PG_COMPAT_BOTH int clzll(long long v) {
  return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64;
}
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

// Dot products of bytes and shorts.
PG_COMPAT_BOTH int dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<int>(static_cast<signed char>(a >> i)) * static_cast<signed char>(b >> i);
  return c;
}
PG_COMPAT_BOTH unsigned dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += ((a >> i) & 255u) * ((b >> i) & 255u);
  return c;
}
PG_COMPAT_BOTH int dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
PG_COMPAT_BOTH int dp2a_hi(int a, int b, int c) { return dp2a_lo(a, b >> 16, c); }
PG_COMPAT_BOTH unsigned dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffffu) * (b & 255u) + (a >> 16) * ((b >> 8) & 255u);
}
PG_COMPAT_BOTH unsigned dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return dp2a_lo(a, b >> 16, c);
}

// What PTX says in one instruction.
PG_COMPAT_BOTH unsigned bfe(unsigned v, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return 0u;
  v >>= position;
  return length >= 32u ? v : v & ((1u << length) - 1u);
}
PG_COMPAT_BOTH int bfe_signed(int v, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (length == 0u) return 0;
  const unsigned last = position + length - 1u < 31u ? position + length - 1u : 31u;
  const unsigned sign = (static_cast<unsigned>(v) >> last) & 1u;
  unsigned bits = position < 32u ? static_cast<unsigned>(v) >> position : 0u;
  const unsigned got = position < 32u ? 32u - position : 0u;
  const unsigned keep = length < got ? length : got;
  if (keep < 32u) {
    bits &= (1u << keep) - 1u;
    if (sign) bits |= ~((1u << keep) - 1u);
  }
  return static_cast<int>(bits);
}
PG_COMPAT_BOTH unsigned bfi(unsigned insert, unsigned base, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return base;
  const unsigned ones = length >= 32u ? ~0u : (1u << length) - 1u;
  const unsigned mask = ones << position;
  return (base & ~mask) | ((insert << position) & mask);
}
PG_COMPAT_BOTH int bfind(unsigned v) { return v ? 31 - __builtin_clz(v) : -1; }
PG_COMPAT_BOTH unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned r = 0;
  if (table & 0x01) r |= ~a & ~b & ~c;
  if (table & 0x02) r |= ~a & ~b & c;
  if (table & 0x04) r |= ~a & b & ~c;
  if (table & 0x08) r |= ~a & b & c;
  if (table & 0x10) r |= a & ~b & ~c;
  if (table & 0x20) r |= a & ~b & c;
  if (table & 0x40) r |= a & b & ~c;
  if (table & 0x80) r |= a & b & c;
  return r;
}
PG_COMPAT_DEVICE float ex2(float x) { return exp2f(x); }
PG_COMPAT_DEVICE float lg2(float x) { return __log2f(x); }
PG_COMPAT_DEVICE float rcp(float x) { return __builtin_amdgcn_rcpf(x); }
PG_COMPAT_DEVICE float rsqrt_approx(float x) { return __builtin_amdgcn_rsqf(x); }
PG_COMPAT_DEVICE float sqrt_approx(float x) { return __builtin_amdgcn_sqrtf(x); }
PG_COMPAT_DEVICE float tanh_approx(float x) { return tanhf(x); }
PG_COMPAT_DEVICE float sin_approx(float x) { return __sinf(x); }
PG_COMPAT_DEVICE float cos_approx(float x) { return __cosf(x); }
PG_COMPAT_DEVICE unsigned long long global_timer() {
  return __builtin_readcyclecounter();
}
PG_COMPAT_DEVICE unsigned pack_rn_bf16(float hi, float lo) {
  auto round = [] __device__(float f) -> unsigned {
    unsigned u = __float_as_uint(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x40u;
    return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  };
  return (round(hi) << 16) | round(lo);
}

}  // namespace pg_compat
#endif
