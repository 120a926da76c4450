// cuda_fp16.h for AMD: HIP's half types, and what CUDA has beyond them.
#ifndef PORTGPU_HIP_COMPAT_HALF_H
#define PORTGPU_HIP_COMPAT_HALF_H

#include "hip_compat.h"
#include <hip/hip_fp16.h>

namespace pg_compat {

namespace detail {
template <class A, class B>
struct is_same {
  static constexpr bool value = false;
};
template <class A>
struct is_same<A, A> {
  static constexpr bool value = true;
};
template <bool, class T>
struct enable {};
template <class T>
struct enable<true, T> {
  using type = T;
};
}  // namespace detail

// The halves of a half2 as numbers; older versions of HIP have raw bits in `x` and `y`.
PG_COMPAT_BOTH __half& half_x(__half2& v) { return reinterpret_cast<__half*>(&v)[0]; }
PG_COMPAT_BOTH __half& half_y(__half2& v) { return reinterpret_cast<__half*>(&v)[1]; }
PG_COMPAT_BOTH const __half& half_x(const __half2& v) {
  return reinterpret_cast<const __half*>(&v)[0];
}
PG_COMPAT_BOTH const __half& half_y(const __half2& v) {
  return reinterpret_cast<const __half*>(&v)[1];
}
}  // namespace pg_compat
#include "compat/half16.h"
namespace pg_compat {
PG_COMPAT_BOTH __half half_nearest(float v) { return __float2half(v); }
template <int Mode>
PG_COMPAT_BOTH __half half_directed(float v) {
  __half h = __float2half(v);
  unsigned short bits;
  __builtin_memcpy(&bits, &h, 2);
  bits = detail::direct16<Mode>(bits, __half2float(h), v);
  __builtin_memcpy(&h, &bits, 2);
  return h;
}
PG_COMPAT_BOTH __half double2half(double v) { return half_nearest(detail::odd_float(v)); }
PG_COMPAT_BOTH __half float2half_rz(float v) { return half_directed<0>(v); }
PG_COMPAT_BOTH __half float2half_ru(float v) { return half_directed<1>(v); }
PG_COMPAT_BOTH __half float2half_rd(float v) { return half_directed<-1>(v); }
#if !defined(PG_COMPAT_HOST_ONLY)
PG_COMPAT_16_INTEGERS(__half, half, __half2float)
PG_COMPAT_16_COMPARES(__half, __half2, __half2float, half_x, half_y)
#endif
}  // namespace pg_compat

#if !defined(PG_COMPAT_HOST_ONLY)
namespace pg_compat {
PG_COMPAT_DEVICE __half hmax(__half a, __half b) {
  return __float2half(fmaxf(__half2float(a), __half2float(b)));
}
PG_COMPAT_DEVICE __half hmin(__half a, __half b) {
  return __float2half(fminf(__half2float(a), __half2float(b)));
}
PG_COMPAT_DEVICE __half hmax_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : hmax(a, b);
}
PG_COMPAT_DEVICE __half hmin_nan(__half a, __half b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : hmin(a, b);
}
PG_COMPAT_DEVICE __half htanh(__half a) { return __float2half(tanhf(__half2float(a))); }
PG_COMPAT_DEVICE __half hfma_relu(__half a, __half b, __half c) {
  return hmax_nan(__hfma(a, b, c), __float2half(0.0f));
}
// Never part of a fused multiply-add. In float and rounded again is as good as rounded once.
PG_COMPAT_DEVICE __half hadd_rn(__half a, __half b) {
  return __float2half_rn(fadd_rn(__half2float(a), __half2float(b)));
}
PG_COMPAT_DEVICE __half hsub_rn(__half a, __half b) {
  return __float2half_rn(fsub_rn(__half2float(a), __half2float(b)));
}
PG_COMPAT_DEVICE __half hmul_rn(__half a, __half b) {
  return __float2half_rn(fmul_rn(__half2float(a), __half2float(b)));
}
#define PG_COMPAT_HALF2(NAME, ONE)                               \
  PG_COMPAT_DEVICE __half2 NAME(__half2 a, __half2 b) {          \
    return __halves2half2(ONE(__low2half(a), __low2half(b)),     \
                          ONE(__high2half(a), __high2half(b)));  \
  }
PG_COMPAT_HALF2(hmax2, hmax)
PG_COMPAT_HALF2(hmin2, hmin)
PG_COMPAT_HALF2(hmax2_nan, hmax_nan)
PG_COMPAT_HALF2(hmin2_nan, hmin_nan)
PG_COMPAT_HALF2(h2div, __hdiv)
PG_COMPAT_HALF2(hadd2_rn, hadd_rn)
PG_COMPAT_HALF2(hsub2_rn, hsub_rn)
PG_COMPAT_HALF2(hmul2_rn, hmul_rn)
#undef PG_COMPAT_HALF2
PG_COMPAT_DEVICE __half2 h2tanh(__half2 a) {
  return __halves2half2(pg_compat::htanh(__low2half(a)), pg_compat::htanh(__high2half(a)));
}
PG_COMPAT_DEVICE __half2 hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return __halves2half2(hfma_relu(__low2half(a), __low2half(b), __low2half(c)),
                        hfma_relu(__high2half(a), __high2half(b), __high2half(c)));
}
// a * b + c of complex numbers whose real part is the low half.
PG_COMPAT_DEVICE __half2 hcmadd(__half2 a, __half2 b, __half2 c) {
  const float ar = __low2float(a), ai = __high2float(a), br = __low2float(b), bi = __high2float(b);
  return __floats2half2_rn(__low2float(c) + ar * br - ai * bi, __high2float(c) + ar * bi + ai * br);
}
PG_COMPAT_16_SATURATED(__half, __half2, __half2float, half_x, half_y)

namespace detail {
// Adds to a 16-bit number with a compare-and-swap on the 32-bit word around it.
template <class T, class Add>
PG_COMPAT_DEVICE T atomic_16(T* p, Add add) {
  const size_t address = reinterpret_cast<size_t>(p);
  unsigned* word = reinterpret_cast<unsigned*>(address & ~size_t(3));
  const unsigned shift = (address & 2) * 8;
  unsigned old = PG_COMPAT_ATOMIC_LOAD(word);
  for (;;) {
    const unsigned short bits = static_cast<unsigned short>(old >> shift);
    T before, after;
    __builtin_memcpy(&before, &bits, 2);
    after = add(before);
    unsigned short next_bits;
    __builtin_memcpy(&next_bits, &after, 2);
    const unsigned next = (old & ~(0xffffu << shift)) | (unsigned(next_bits) << shift);
    if (PG_COMPAT_ATOMIC_CAS(word, &old, next))
      return before;
  }
}
template <class T, class Add>
PG_COMPAT_DEVICE T atomic_32(T* p, Add add) {
  unsigned* word = reinterpret_cast<unsigned*>(p);
  unsigned old = PG_COMPAT_ATOMIC_LOAD(word);
  for (;;) {
    T before, after;
    __builtin_memcpy(&before, &old, 4);
    after = add(before);
    unsigned next;
    __builtin_memcpy(&next, &after, 4);
    if (PG_COMPAT_ATOMIC_CAS(word, &old, next))
      return before;
  }
}
}  // namespace detail

// PTX's arithmetic on halves, whose operands are bits; the CPU target has its own.
#if !defined(PGCPU_HALF_BITS)
#define PG_COMPAT_HALF_BITS(NAME, HALF, HALF2)                                          \
  PG_COMPAT_DEVICE unsigned short f16_##NAME(unsigned short a, unsigned short b) {      \
    return __half_as_ushort(HALF(__ushort_as_half(a), __ushort_as_half(b)));            \
  }                                                                                     \
  PG_COMPAT_DEVICE unsigned f16x2_##NAME(unsigned a, unsigned b) {                      \
    return detail::half2_bits(HALF2(detail::bits_half2(a), detail::bits_half2(b)));     \
  }
namespace detail {
PG_COMPAT_DEVICE __half2 bits_half2(unsigned bits) {
  __half2 v;
  __builtin_memcpy(&v, &bits, 4);
  return v;
}
PG_COMPAT_DEVICE unsigned half2_bits(__half2 v) {
  unsigned bits;
  __builtin_memcpy(&bits, &v, 4);
  return bits;
}
}  // namespace detail
PG_COMPAT_HALF_BITS(add, __hadd, __hadd2)
PG_COMPAT_HALF_BITS(sub, __hsub, __hsub2)
PG_COMPAT_HALF_BITS(mul, __hmul, __hmul2)
#undef PG_COMPAT_HALF_BITS
PG_COMPAT_DEVICE unsigned short f16_fma(unsigned short a, unsigned short b, unsigned short c) {
  return __half_as_ushort(__hfma(__ushort_as_half(a), __ushort_as_half(b), __ushort_as_half(c)));
}
PG_COMPAT_DEVICE unsigned f16x2_fma(unsigned a, unsigned b, unsigned c) {
  return detail::half2_bits(
      __hfma2(detail::bits_half2(a), detail::bits_half2(b), detail::bits_half2(c)));
}
// Two floats as halves, the first one above.
PG_COMPAT_DEVICE unsigned pack_rn_f16(float hi, float lo) {
  return static_cast<unsigned>(__half_as_ushort(__float2half_rn(hi))) << 16 |
         __half_as_ushort(__float2half_rn(lo));
}
#endif
}  // namespace pg_compat

// Templates: where HIP has these overloads itself, its plain functions win.
template <class T>
__device__ inline typename pg_compat::detail::enable<
    pg_compat::detail::is_same<T, __half>::value, __half>::type
atomicAdd(T* p, __half v) {
  return pg_compat::detail::atomic_16(p, [=] PG_COMPAT_LAMBDA(__half a) { return __hadd(a, v); });
}
template <class T>
__device__ inline typename pg_compat::detail::enable<
    pg_compat::detail::is_same<T, __half2>::value, __half2>::type
atomicAdd(T* p, __half2 v) {
  return pg_compat::detail::atomic_32(p, [=] PG_COMPAT_LAMBDA(__half2 a) { return __hadd2(a, v); });
}

#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA) && !defined(__HIPCC_RTC__)
// CUDA 12.2 and newer calculate with halves on the host too, HIP on devices alone.
#define PG_COMPAT_HALF_HOST(OPERATOR, RESULT, MAKE)                                                \
  template <class T>                                                                               \
  __host__ inline typename pg_compat::detail::enable<                                              \
      pg_compat::detail::is_same<T, __half>::value, RESULT>::type                                  \
  operator OPERATOR(const T& a, const T& b) {                                                      \
    return MAKE(__half2float(a) OPERATOR __half2float(b));                                         \
  }
PG_COMPAT_HALF_HOST(==, bool, )
PG_COMPAT_HALF_HOST(!=, bool, )
PG_COMPAT_HALF_HOST(<, bool, )
PG_COMPAT_HALF_HOST(<=, bool, )
PG_COMPAT_HALF_HOST(>, bool, )
PG_COMPAT_HALF_HOST(>=, bool, )
PG_COMPAT_HALF_HOST(+, __half, __float2half)
PG_COMPAT_HALF_HOST(-, __half, __float2half)
PG_COMPAT_HALF_HOST(*, __half, __float2half)
PG_COMPAT_HALF_HOST(/, __half, __float2half)
#undef PG_COMPAT_HALF_HOST
#define PG_COMPAT_HALF_HOST(OPERATOR)                                                              \
  template <class T>                                                                               \
  __host__ inline typename pg_compat::detail::enable<                                              \
      pg_compat::detail::is_same<T, __half>::value, T&>::type                                      \
  operator OPERATOR##=(T& a, const T& b) {                                                         \
    return a = __float2half(__half2float(a) OPERATOR __half2float(b));                             \
  }
PG_COMPAT_HALF_HOST(+)
PG_COMPAT_HALF_HOST(-)
PG_COMPAT_HALF_HOST(*)
PG_COMPAT_HALF_HOST(/)
#undef PG_COMPAT_HALF_HOST
#endif

#endif  // PG_COMPAT_HOST_ONLY
#endif
