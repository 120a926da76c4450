// __half, for both vendors.
#pragma once
#include "atomic.h"
#include "float16_api.h"

using __half = ::pgcpu::number16<::pgcpu::half_format>;
using __half2 = ::pgcpu::pair16<::pgcpu::half_format>;
using __half_raw = ::pgcpu::raw16<::pgcpu::half_format>;
using __half2_raw = ::pgcpu::raw_pair16<::pgcpu::half_format>;
#ifndef CUDA_NO_HALF
using half = __half;
using half2 = __half2;
#endif

PGCPU_F16_COMMON(__half, __half2)
PGCPU_F16_CONVERT(__half, __half2, half, half2, ::pgcpu::half_format)
PGCPU_FN __half2 make_half2(__half a, __half b) { return {a, b}; }
PGCPU_FN float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0)

// PTX's arithmetic on halves, as the translation of inline PTX calls it (portgpu/hip_compat_half.h).
#define PGCPU_HALF_BITS 1
namespace pg_compat {
namespace detail {
template <class To, class From>
inline To same_size(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another type");
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
}  // namespace detail
#define PGCPU_HALF_OPERATION(NAME, HALF, HALF2)                                             \
  inline unsigned short f16_##NAME(unsigned short a, unsigned short b) {                    \
    using detail::same_size;                                                                \
    return same_size<unsigned short>(HALF(same_size<__half>(a), same_size<__half>(b)));     \
  }                                                                                         \
  inline unsigned f16x2_##NAME(unsigned a, unsigned b) {                                    \
    using detail::same_size;                                                                \
    return same_size<unsigned>(HALF2(same_size<__half2>(a), same_size<__half2>(b)));        \
  }
PGCPU_HALF_OPERATION(add, __hadd, __hadd2)
PGCPU_HALF_OPERATION(sub, __hsub, __hsub2)
PGCPU_HALF_OPERATION(mul, __hmul, __hmul2)
#undef PGCPU_HALF_OPERATION
inline unsigned short f16_fma(unsigned short a, unsigned short b, unsigned short c) {
  using detail::same_size;
  return same_size<unsigned short>(
      __hfma(same_size<__half>(a), same_size<__half>(b), same_size<__half>(c)));
}
inline unsigned f16x2_fma(unsigned a, unsigned b, unsigned c) {
  using detail::same_size;
  return same_size<unsigned>(
      __hfma2(same_size<__half2>(a), same_size<__half2>(b), same_size<__half2>(c)));
}
inline unsigned pack_rn_f16(float hi, float lo) {
  using detail::same_size;
  return static_cast<unsigned>(same_size<unsigned short>(__float2half_rn(hi))) << 16 |
         same_size<unsigned short>(__float2half_rn(lo));
}
}  // namespace pg_compat
