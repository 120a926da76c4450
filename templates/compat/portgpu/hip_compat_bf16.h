// cuda_bf16.h for AMD: bfloat16 in all versions of HIP, with CUDA's functions and rounding.
#ifndef PORTGPU_HIP_COMPAT_BF16_H
#define PORTGPU_HIP_COMPAT_BF16_H

#include "hip_compat_half.h"

namespace pg_compat {

struct bfloat16_raw {
  unsigned short x;
};
struct alignas(4) bfloat162_raw {
  unsigned short x, y;
};

struct bfloat16;
PG_COMPAT_BOTH float bfloat162float(bfloat16 v);

// 16 bits: sign, 8 of exponent, 7 of fraction. Conversions round to nearest even.
struct bfloat16 {
  unsigned short __x;

  bfloat16() = default;
  __host__ __device__ constexpr bfloat16(bfloat16_raw r) : __x(r.x) {}
  __host__ __device__ bfloat16(float v) : __x(round(v)) {}
  __host__ __device__ bfloat16(double v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(int v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(unsigned v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(long v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(unsigned long v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(long long v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(unsigned long long v) : __x(round(static_cast<float>(v))) {}
  __host__ __device__ bfloat16(__half v) : __x(round(__half2float(v))) {}
  // What converts to a number, such as a component of a vector in older HIP.
  template <class T, class = decltype(static_cast<float>(*static_cast<T*>(nullptr)))>
  __host__ __device__ bfloat16(T v) : __x(round(static_cast<float>(v))) {}

  __host__ __device__ operator float() const {
    const unsigned bits = static_cast<unsigned>(__x) << 16;
    float v;
    __builtin_memcpy(&v, &bits, 4);
    return v;
  }
  __host__ __device__ constexpr operator bfloat16_raw() const { return bfloat16_raw{__x}; }

  __host__ __device__ static unsigned short round(float v) {
    unsigned bits;
    __builtin_memcpy(&bits, &v, 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};

struct alignas(4) bfloat162 {
  bfloat16 x, y;
  bfloat162() = default;
  __host__ __device__ bfloat162(bfloat16 a, bfloat16 b) : x(a), y(b) {}
  __host__ __device__ constexpr bfloat162(bfloat162_raw r)
      : x(bfloat16_raw{r.x}), y(bfloat16_raw{r.y}) {}
  __host__ __device__ constexpr operator bfloat162_raw() const {
    return bfloat162_raw{x.__x, y.__x};
  }
};

PG_COMPAT_BOTH float bfloat162float(bfloat16 v) { return v; }
PG_COMPAT_BOTH bfloat16 float2bfloat16(float v) { return bfloat16(v); }
PG_COMPAT_BOTH bfloat16 bfloat16_nearest(float v) { return bfloat16(v); }
template <int Mode>
PG_COMPAT_BOTH bfloat16 bfloat16_directed(float v) {
  const bfloat16 h(v);
  return bfloat16(bfloat16_raw{detail::direct16<Mode>(h.__x, bfloat162float(h), v)});
}
PG_COMPAT_BOTH bfloat16 double2bfloat16(double v) { return bfloat16(detail::odd_float(v)); }
PG_COMPAT_BOTH bfloat16 float2bfloat16_rz(float v) { return bfloat16_directed<0>(v); }
PG_COMPAT_BOTH bfloat16 float2bfloat16_ru(float v) { return bfloat16_directed<1>(v); }
PG_COMPAT_BOTH bfloat16 float2bfloat16_rd(float v) { return bfloat16_directed<-1>(v); }
PG_COMPAT_BOTH bfloat162 float2bfloat162_rn(float v) { return {bfloat16(v), bfloat16(v)}; }
PG_COMPAT_BOTH bfloat162 floats2bfloat162_rn(float a, float b) { return {bfloat16(a), bfloat16(b)}; }
PG_COMPAT_BOTH bfloat162 float22bfloat162_rn(float2 v) { return {bfloat16(v.x), bfloat16(v.y)}; }
PG_COMPAT_BOTH float2 bfloat1622float2(bfloat162 v) { return make_float2(v.x, v.y); }
PG_COMPAT_BOTH bfloat162 bfloat162bfloat162(bfloat16 v) { return {v, v}; }
PG_COMPAT_BOTH bfloat162 halves2bfloat162(bfloat16 a, bfloat16 b) { return {a, b}; }
PG_COMPAT_BOTH bfloat16 low2bfloat16(bfloat162 v) { return v.x; }
PG_COMPAT_BOTH bfloat16 high2bfloat16(bfloat162 v) { return v.y; }
PG_COMPAT_BOTH bfloat162 low2bfloat162(bfloat162 v) { return {v.x, v.x}; }
PG_COMPAT_BOTH bfloat162 high2bfloat162(bfloat162 v) { return {v.y, v.y}; }
PG_COMPAT_BOTH bfloat162 lows2bfloat162(bfloat162 a, bfloat162 b) { return {a.x, b.x}; }
PG_COMPAT_BOTH bfloat162 highs2bfloat162(bfloat162 a, bfloat162 b) { return {a.y, b.y}; }
PG_COMPAT_BOTH unsigned short bfloat16_as_ushort(bfloat16 v) { return v.__x; }
PG_COMPAT_BOTH short bfloat16_as_short(bfloat16 v) { return static_cast<short>(v.__x); }
PG_COMPAT_BOTH bfloat16 ushort_as_bfloat16(unsigned short v) { return bfloat16(bfloat16_raw{v}); }
PG_COMPAT_BOTH bfloat16 short_as_bfloat16(short v) {
  return ushort_as_bfloat16(static_cast<unsigned short>(v));
}
PG_COMPAT_BOTH bfloat162 make_bfloat162(bfloat16 a, bfloat16 b) { return {a, b}; }

PG_COMPAT_16_INTEGERS(bfloat16, bfloat16, bfloat162float)
PG_COMPAT_16_COMPARES(bfloat16, bfloat162, bfloat162float, low2bfloat16, high2bfloat16)

namespace detail {
// Templates, so that "bfloat16 * float" is float arithmetic instead of ambiguous.
template <class T>
using only_bf16 = typename enable<is_same<T, bfloat16>::value, bfloat16>::type;
}  // namespace detail

// Arithmetic in float, rounded once: what CUDA's instructions give. Found by argument type, so the
// names stay as CUDA has them.
#define PG_COMPAT_OPERATOR(OP)                                                                  \
  template <class T>                                                                            \
  PG_COMPAT_BOTH detail::only_bf16<T> operator OP(T a, T b) {                                   \
    return bfloat16(static_cast<float>(a) OP static_cast<float>(b));                            \
  }                                                                                             \
  PG_COMPAT_BOTH bfloat16& operator OP##=(bfloat16& a, bfloat16 b) { return a = a OP b; }       \
  PG_COMPAT_BOTH bfloat162 operator OP(bfloat162 a, bfloat162 b) {                              \
    return {a.x OP b.x, a.y OP b.y};                                                            \
  }                                                                                             \
  PG_COMPAT_BOTH bfloat162& operator OP##=(bfloat162& a, bfloat162 b) { return a = a OP b; }
PG_COMPAT_OPERATOR(+)
PG_COMPAT_OPERATOR(-)
PG_COMPAT_OPERATOR(*)
PG_COMPAT_OPERATOR(/)
#undef PG_COMPAT_OPERATOR
#define PG_COMPAT_COMPARE(OP)                                                                   \
  template <class T, class = detail::only_bf16<T>>                                              \
  PG_COMPAT_BOTH bool operator OP(T a, T b) {                                                   \
    return static_cast<float>(a) OP static_cast<float>(b);                                      \
  }                                                                                             \
  PG_COMPAT_BOTH bool operator OP(bfloat162 a, bfloat162 b) {                                   \
    return a.x OP b.x && a.y OP b.y;                                                            \
  }
PG_COMPAT_COMPARE(==)
PG_COMPAT_COMPARE(!=)
PG_COMPAT_COMPARE(<)
PG_COMPAT_COMPARE(<=)
PG_COMPAT_COMPARE(>)
PG_COMPAT_COMPARE(>=)
#undef PG_COMPAT_COMPARE
#define PG_COMPAT_COMPARE(NAME)                                                                 \
  PG_COMPAT_BOTH bool __h##NAME(bfloat16 a, bfloat16 b) { return h##NAME(a, b); }               \
  PG_COMPAT_BOTH bfloat162 __h##NAME##2(bfloat162 a, bfloat162 b) { return h##NAME##2(a, b); }  \
  PG_COMPAT_BOTH bool __hb##NAME##2(bfloat162 a, bfloat162 b) { return hb##NAME##2(a, b); }
PG_COMPAT_COMPARE(eq)
PG_COMPAT_COMPARE(lt)
PG_COMPAT_COMPARE(le)
PG_COMPAT_COMPARE(gt)
PG_COMPAT_COMPARE(ge)
PG_COMPAT_COMPARE(neu)
#undef PG_COMPAT_COMPARE
PG_COMPAT_BOTH bfloat16 operator-(bfloat16 a) { return ushort_as_bfloat16(a.__x ^ 0x8000u); }
PG_COMPAT_BOTH bfloat16 operator+(bfloat16 a) { return a; }
PG_COMPAT_BOTH bfloat162 operator-(bfloat162 a) { return {-a.x, -a.y}; }
PG_COMPAT_BOTH bfloat16 __hneg(bfloat16 a) { return -a; }
PG_COMPAT_BOTH bfloat16 __habs(bfloat16 a) { return ushort_as_bfloat16(a.__x & 0x7fffu); }
PG_COMPAT_BOTH bool __hisnan(bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
PG_COMPAT_BOTH bfloat16 __hadd(bfloat16 a, bfloat16 b) { return a + b; }
PG_COMPAT_BOTH bfloat16 __hsub(bfloat16 a, bfloat16 b) { return a - b; }
PG_COMPAT_BOTH bfloat16 __hmul(bfloat16 a, bfloat16 b) { return a * b; }
PG_COMPAT_BOTH bfloat16 __hdiv(bfloat16 a, bfloat16 b) { return a / b; }
PG_COMPAT_BOTH bfloat16 __hfma(bfloat16 a, bfloat16 b, bfloat16 c) {
  return bfloat16(fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
PG_COMPAT_BOTH bfloat16 hmax(bfloat16 a, bfloat16 b) {
  return bfloat16(fmaxf(static_cast<float>(a), static_cast<float>(b)));
}
PG_COMPAT_BOTH bfloat16 hmin(bfloat16 a, bfloat16 b) {
  return bfloat16(fminf(static_cast<float>(a), static_cast<float>(b)));
}
PG_COMPAT_BOTH bfloat16 hmax_nan(bfloat16 a, bfloat16 b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : hmax(a, b);
}
PG_COMPAT_BOTH bfloat16 hmin_nan(bfloat16 a, bfloat16 b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : hmin(a, b);
}
#define PG_COMPAT_PAIR(NAME, ONE)                                                               \
  PG_COMPAT_BOTH bfloat162 NAME(bfloat162 a, bfloat162 b) { return {ONE(a.x, b.x), ONE(a.y, b.y)}; }
PG_COMPAT_PAIR(__hadd2, __hadd)
PG_COMPAT_PAIR(__hsub2, __hsub)
PG_COMPAT_PAIR(__hmul2, __hmul)
PG_COMPAT_PAIR(__h2div, __hdiv)
PG_COMPAT_PAIR(hmax2, hmax)
PG_COMPAT_PAIR(hmin2, hmin)
PG_COMPAT_PAIR(hmax2_nan, hmax_nan)
PG_COMPAT_PAIR(hmin2_nan, hmin_nan)
#undef PG_COMPAT_PAIR
PG_COMPAT_BOTH bfloat162 __hfma2(bfloat162 a, bfloat162 b, bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
PG_COMPAT_BOTH bfloat162 __hneg2(bfloat162 a) { return -a; }
PG_COMPAT_BOTH bfloat162 __habs2(bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
PG_COMPAT_BOTH float __low2float(bfloat162 a) { return a.x; }
PG_COMPAT_BOTH float __high2float(bfloat162 a) { return a.y; }
PG_COMPAT_BOTH bfloat162 __lowhigh2highlow(bfloat162 a) { return {a.y, a.x}; }
PG_COMPAT_BOTH bfloat16 hadd_rn(bfloat16 a, bfloat16 b) { return a + b; }
PG_COMPAT_BOTH bfloat16 hsub_rn(bfloat16 a, bfloat16 b) { return a - b; }
PG_COMPAT_BOTH bfloat16 hmul_rn(bfloat16 a, bfloat16 b) { return a * b; }
PG_COMPAT_BOTH bfloat162 hadd2_rn(bfloat162 a, bfloat162 b) { return a + b; }
PG_COMPAT_BOTH bfloat162 hsub2_rn(bfloat162 a, bfloat162 b) { return a - b; }
PG_COMPAT_BOTH bfloat162 hmul2_rn(bfloat162 a, bfloat162 b) { return a * b; }
PG_COMPAT_BOTH bfloat162 h2div(bfloat162 a, bfloat162 b) { return a / b; }
PG_COMPAT_BOTH bfloat16 hfma_relu(bfloat16 a, bfloat16 b, bfloat16 c) {
  return hmax_nan(__hfma(a, b, c), bfloat16(0.0f));
}
PG_COMPAT_BOTH bfloat162 hfma2_relu(bfloat162 a, bfloat162 b, bfloat162 c) {
  return {hfma_relu(a.x, b.x, c.x), hfma_relu(a.y, b.y, c.y)};
}
PG_COMPAT_BOTH bfloat162 hcmadd(bfloat162 a, bfloat162 b, bfloat162 c) {
  return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
#if !defined(PG_COMPAT_HOST_ONLY)
PG_COMPAT_16_SATURATED(bfloat16, bfloat162, bfloat162float, low2bfloat16, high2bfloat16)
#define PG_COMPAT_FUNCTION(NAME, EXPRESSION)                                                     \
  PG_COMPAT_DEVICE bfloat16 h##NAME(bfloat16 a) {                                               \
    const float x = a;                                                                          \
    return bfloat16(EXPRESSION);                                                                \
  }                                                                                             \
  PG_COMPAT_DEVICE bfloat162 h2##NAME(bfloat162 a) { return {h##NAME(a.x), h##NAME(a.y)}; }
PG_COMPAT_FUNCTION(exp, expf(x))
PG_COMPAT_FUNCTION(exp2, exp2f(x))
PG_COMPAT_FUNCTION(exp10, exp10f(x))
PG_COMPAT_FUNCTION(log, logf(x))
PG_COMPAT_FUNCTION(log2, log2f(x))
PG_COMPAT_FUNCTION(log10, log10f(x))
PG_COMPAT_FUNCTION(sin, sinf(x))
PG_COMPAT_FUNCTION(cos, cosf(x))
PG_COMPAT_FUNCTION(sqrt, sqrtf(x))
PG_COMPAT_FUNCTION(rsqrt, rsqrtf(x))
PG_COMPAT_FUNCTION(rcp, 1.0f / x)
PG_COMPAT_FUNCTION(ceil, ceilf(x))
PG_COMPAT_FUNCTION(floor, floorf(x))
PG_COMPAT_FUNCTION(trunc, truncf(x))
PG_COMPAT_FUNCTION(rint, rintf(x))
PG_COMPAT_FUNCTION(tanh, tanhf(x))
#undef PG_COMPAT_FUNCTION
PG_COMPAT_DEVICE bfloat16 __ldg(const bfloat16* p) { return *p; }
PG_COMPAT_DEVICE bfloat162 __ldg(const bfloat162* p) { return *p; }
PG_COMPAT_DEVICE bfloat16 atomicAdd(bfloat16* p, bfloat16 v) {
  return detail::atomic_16(p, [=] PG_COMPAT_LAMBDA(bfloat16 a) { return a + v; });
}
PG_COMPAT_DEVICE bfloat162 atomicAdd(bfloat162* p, bfloat162 v) {
  return detail::atomic_32(p, [=] PG_COMPAT_LAMBDA(bfloat162 a) { return a + v; });
}
#endif

}  // namespace pg_compat
#endif
