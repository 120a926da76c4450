// Device functions that CUDA and HIP spell alike: bits, SIMD in a word, conversions, fast maths.
#pragma once
#include "half.h"
#include "thread.h"

#include <cmath>
#include <limits>
#include <type_traits>

#define PGCPU_FN static inline

// ---- bits ----
PGCPU_FN int __popc(unsigned x) { return __builtin_popcount(x); }
PGCPU_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
PGCPU_FN int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
PGCPU_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
PGCPU_FN int __ffs(int x) { return __builtin_ffs(x); }
PGCPU_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
PGCPU_FN unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
PGCPU_FN unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
PGCPU_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const unsigned long long v = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 32; i += 8, s >>= 4) r |= (unsigned(v >> (8 * (s & 7))) & 255) << i;
  return r;
}
PGCPU_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
PGCPU_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return unsigned(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
PGCPU_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
PGCPU_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}

// ---- integers ----
PGCPU_FN int __mul24(int a, int b) {
  return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8));
}
PGCPU_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
PGCPU_FN int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
PGCPU_FN unsigned __umulhi(unsigned a, unsigned b) {
  return unsigned((unsigned long long)a * b >> 32);
}
PGCPU_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
PGCPU_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
PGCPU_FN unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a));
}
PGCPU_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
PGCPU_FN int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
PGCPU_FN int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
PGCPU_FN unsigned __uhadd(unsigned a, unsigned b) {
  return unsigned(((unsigned long long)a + b) >> 1);
}
PGCPU_FN unsigned __urhadd(unsigned a, unsigned b) {
  return unsigned(((unsigned long long)a + b + 1) >> 1);
}
PGCPU_FN int __dp4a(int a, int b, int c) {
  unsigned r = unsigned(c);
  for (int i = 0; i < 32; i += 8) r += unsigned(int((signed char)(a >> i)) * int((signed char)(b >> i)));
  return int(r);
}
PGCPU_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
PGCPU_FN int __dp2a_lo(int a, int b, int c) {
  return int(unsigned(c) + unsigned(int(short(a)) * int((signed char)b)) +
             unsigned(int(short(a >> 16)) * int((signed char)(b >> 8))));
}
PGCPU_FN int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
PGCPU_FN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
PGCPU_FN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }

// ---- the same bits as another type ----
template <class To, class From>
static inline To pgcpu_bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To r;
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}
PGCPU_FN int __float_as_int(float x) { return pgcpu_bits<int>(x); }
PGCPU_FN unsigned __float_as_uint(float x) { return pgcpu_bits<unsigned>(x); }
PGCPU_FN float __int_as_float(int x) { return pgcpu_bits<float>(x); }
PGCPU_FN float __uint_as_float(unsigned x) { return pgcpu_bits<float>(x); }
PGCPU_FN long long __double_as_longlong(double x) { return pgcpu_bits<long long>(x); }
PGCPU_FN double __longlong_as_double(long long x) { return pgcpu_bits<double>(x); }
PGCPU_FN int __double2hiint(double x) { return int(pgcpu_bits<unsigned long long>(x) >> 32); }
PGCPU_FN int __double2loint(double x) { return int(unsigned(pgcpu_bits<unsigned long long>(x))); }
PGCPU_FN double __hiloint2double(int hi, int lo) {
  return pgcpu_bits<double>((unsigned long long)unsigned(hi) << 32 | unsigned(lo));
}

// ---- conversions: rounding modes, saturating as the hardware does ----
namespace pgcpu::detail {
template <class I, class F>
inline I to_integer(F x, F rounded) {
  if (x != x) return sizeof(I) == 8 ? I(1ull << 63) : I(0);
  if (rounded <= F(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  if (rounded >= -F(std::numeric_limits<std::make_signed_t<I>>::min()) *
                     (std::is_unsigned_v<I> ? F(2) : F(1)))
    return std::numeric_limits<I>::max();
  return I(rounded);
}
}  // namespace pgcpu::detail
#define PGCPU_TO_INTEGER(NAME, F, I)                                                              \
  PGCPU_FN I NAME##_rn(F x) { return ::pgcpu::detail::to_integer<I, F>(x, std::nearbyint(x)); }  \
  PGCPU_FN I NAME##_rz(F x) { return ::pgcpu::detail::to_integer<I, F>(x, std::trunc(x)); }      \
  PGCPU_FN I NAME##_ru(F x) { return ::pgcpu::detail::to_integer<I, F>(x, std::ceil(x)); }       \
  PGCPU_FN I NAME##_rd(F x) { return ::pgcpu::detail::to_integer<I, F>(x, std::floor(x)); }
PGCPU_TO_INTEGER(__float2int, float, int)
PGCPU_TO_INTEGER(__float2uint, float, unsigned)
PGCPU_TO_INTEGER(__float2ll, float, long long)
PGCPU_TO_INTEGER(__float2ull, float, unsigned long long)
PGCPU_TO_INTEGER(__double2int, double, int)
PGCPU_TO_INTEGER(__double2uint, double, unsigned)
PGCPU_TO_INTEGER(__double2ll, double, long long)
PGCPU_TO_INTEGER(__double2ull, double, unsigned long long)
#undef PGCPU_TO_INTEGER
PGCPU_FN float __int2float_rn(int x) { return float(x); }
PGCPU_FN float __uint2float_rn(unsigned x) { return float(x); }
PGCPU_FN float __ll2float_rn(long long x) { return float(x); }
PGCPU_FN float __ull2float_rn(unsigned long long x) { return float(x); }
PGCPU_FN double __int2double_rn(int x) { return double(x); }
PGCPU_FN double __uint2double_rn(unsigned x) { return double(x); }
PGCPU_FN double __ll2double_rn(long long x) { return double(x); }
PGCPU_FN double __ull2double_rn(unsigned long long x) { return double(x); }
PGCPU_FN float __double2float_rn(double x) { return float(x); }
namespace pgcpu::detail {
// Toward zero, up or down by stepping from the nearest value.
template <class To, class From>
inline To directed(From x, int way) {
  To r = To(x);
  const long double exact = (long double)x, got = (long double)r;
  if (way == 0 ? std::fabs(got) > std::fabs(exact) : way < 0 && got > exact)
    return std::nextafter(r, way == 0 ? To(0) : -std::numeric_limits<To>::infinity());
  if (way > 0 && got < exact) return std::nextafter(r, std::numeric_limits<To>::infinity());
  return r;
}
}  // namespace pgcpu::detail
PGCPU_FN float __double2float_rz(double x) { return ::pgcpu::detail::directed<float>(x, 0); }
PGCPU_FN float __double2float_ru(double x) { return ::pgcpu::detail::directed<float>(x, 1); }
PGCPU_FN float __double2float_rd(double x) { return ::pgcpu::detail::directed<float>(x, -1); }
#define PGCPU_FROM_INTEGER(NAME, I, F)                                                              \
  PGCPU_FN F NAME##_rz(I x) { return ::pgcpu::detail::directed<F>((long double)x, 0); }            \
  PGCPU_FN F NAME##_ru(I x) { return ::pgcpu::detail::directed<F>((long double)x, 1); }            \
  PGCPU_FN F NAME##_rd(I x) { return ::pgcpu::detail::directed<F>((long double)x, -1); }
PGCPU_FROM_INTEGER(__int2float, int, float)
PGCPU_FROM_INTEGER(__uint2float, unsigned, float)
PGCPU_FROM_INTEGER(__ll2float, long long, float)
PGCPU_FROM_INTEGER(__ull2float, unsigned long long, float)
PGCPU_FROM_INTEGER(__ll2double, long long, double)
PGCPU_FROM_INTEGER(__ull2double, unsigned long long, double)
#undef PGCPU_FROM_INTEGER

// ---- single operations that are never contracted ----
PGCPU_FN float __fadd_rn(float a, float b) { return a + b; }
PGCPU_FN float __fsub_rn(float a, float b) { return a - b; }
PGCPU_FN float __fmul_rn(float a, float b) { return a * b; }
PGCPU_FN float __fdiv_rn(float a, float b) { return a / b; }
PGCPU_FN float __frcp_rn(float a) { return 1.0f / a; }
PGCPU_FN float __fsqrt_rn(float a) { return std::sqrt(a); }
PGCPU_FN float __frsqrt_rn(float a) { return float(1.0 / std::sqrt(double(a))); }
PGCPU_FN float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
PGCPU_FN double __dadd_rn(double a, double b) { return a + b; }
PGCPU_FN double __dsub_rn(double a, double b) { return a - b; }
PGCPU_FN double __dmul_rn(double a, double b) { return a * b; }
PGCPU_FN double __ddiv_rn(double a, double b) { return a / b; }
PGCPU_FN double __drcp_rn(double a) { return 1.0 / a; }
PGCPU_FN double __dsqrt_rn(double a) { return std::sqrt(a); }
PGCPU_FN double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
#include "rounding.h"

// ---- fast maths: accurate here; a device is allowed to be worse ----
PGCPU_FN float pgcpu_fast_expf(float x) { return std::exp(x); }
PGCPU_FN float pgcpu_fast_exp10f(float x) { return float(std::pow(10.0, double(x))); }
PGCPU_FN float pgcpu_fast_logf(float x) { return std::log(x); }
PGCPU_FN float pgcpu_fast_log2f(float x) { return std::log2(x); }
PGCPU_FN float pgcpu_fast_log10f(float x) { return std::log10(x); }
PGCPU_FN float pgcpu_fast_powf(float x, float y) { return std::pow(x, y); }
PGCPU_FN float pgcpu_fast_sinf(float x) { return std::sin(x); }
PGCPU_FN float pgcpu_fast_cosf(float x) { return std::cos(x); }
PGCPU_FN float pgcpu_fast_tanf(float x) { return std::tan(x); }
PGCPU_FN void pgcpu_fast_sincosf(float x, float* s, float* c) { *s = std::sin(x), *c = std::cos(x); }
// The C library declares these names for itself, so ours are spelled by macro.
#define __expf pgcpu_fast_expf
#define __exp10f pgcpu_fast_exp10f
#define __logf pgcpu_fast_logf
#define __log2f pgcpu_fast_log2f
#define __log10f pgcpu_fast_log10f
#define __powf pgcpu_fast_powf
#define __sinf pgcpu_fast_sinf
#define __cosf pgcpu_fast_cosf
#define __tanf pgcpu_fast_tanf
#define __sincosf pgcpu_fast_sincosf
PGCPU_FN float __fdividef(float a, float b) { return a / b; }
PGCPU_FN float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

// ---- maths that the C library lacks ----
PGCPU_FN float rsqrtf(float x) { return float(1.0 / std::sqrt(double(x))); }
PGCPU_FN double rsqrt(double x) { return 1.0 / std::sqrt(x); }
PGCPU_FN float rsqrt(float x) { return rsqrtf(x); }
PGCPU_FN float rcbrtf(float x) { return float(1.0 / std::cbrt(double(x))); }
PGCPU_FN double rcbrt(double x) { return 1.0 / std::cbrt(x); }
PGCPU_FN float sinpif(float x) {
  const double r = std::remainder(double(x), 2.0);
  return r == std::trunc(r) ? float(std::copysign(0.0, x)) : float(std::sin(M_PI * r));
}
PGCPU_FN float cospif(float x) {
  const double r = std::remainder(double(x), 2.0);
  return std::fabs(r) == 0.5 ? 0.0f : float(std::cos(M_PI * r));
}
PGCPU_FN double sinpi(double x) {
  const double r = std::remainder(x, 2.0);
  return r == std::trunc(r) ? std::copysign(0.0, x) : std::sin(M_PI * r);
}
PGCPU_FN double cospi(double x) {
  const double r = std::remainder(x, 2.0);
  return std::fabs(r) == 0.5 ? 0.0 : std::cos(M_PI * r);
}
PGCPU_FN void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
PGCPU_FN void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
PGCPU_FN float normcdff(float x) { return float(0.5 * std::erfc(-double(x) * M_SQRT1_2)); }
PGCPU_FN double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
PGCPU_FN float fdividef(float a, float b) { return a / b; }
PGCPU_FN float norm3df(float a, float b, float c) {
  return float(std::sqrt(double(a) * a + double(b) * b + double(c) * c));
}
PGCPU_FN double norm3d(double a, double b, double c) { return std::hypot(a, b, c); }
PGCPU_FN float rhypotf(float a, float b) { return float(1.0 / std::hypot(double(a), double(b))); }
PGCPU_FN double rhypot(double a, double b) { return 1.0 / std::hypot(a, b); }

namespace pgcpu::detail {
// Newton's method on erf from a rational start; full accuracy for the type double.
inline double erfinv(double y) {
  if (y != y || y < -1 || y > 1) return std::numeric_limits<double>::quiet_NaN();
  if (y == 1 || y == -1) return y * std::numeric_limits<double>::infinity();
  const double a = 0.147, l = std::log1p(-y * y), t = 2 / (M_PI * a) + l / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - l / a) - t), y);
  for (int i = 0; i < 4; ++i) {
    const double e = y > 0.5    ? (1 - y) - std::erfc(x)
                     : y < -0.5 ? std::erfc(-x) - (1 + y)
                                : std::erf(x) - y;
    const double d = (y > 0.5 ? e : e) / (2 / std::sqrt(M_PI) * std::exp(-x * x));
    x -= d / (1 + x * d);
  }
  return x;
}
}  // namespace pgcpu::detail
PGCPU_FN double erfinv(double x) { return ::pgcpu::detail::erfinv(x); }
PGCPU_FN float erfinvf(float x) { return float(::pgcpu::detail::erfinv(double(x))); }
PGCPU_FN double erfcinv(double x) {
  return ::pgcpu::detail::erfinv(1 - x);
}
PGCPU_FN float erfcinvf(float x) { return float(erfcinv(double(x))); }
PGCPU_FN double erfcx(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double i = 1 / (x * x);  // asymptotic series
  return 1 / (x * std::sqrt(M_PI)) * (1 - i / 2 * (1 - 1.5 * i * (1 - 2.5 * i)));
}
PGCPU_FN float erfcxf(float x) { return float(erfcx(double(x))); }

// ---- min and max of the device, found by both vendors without std:: ----
#define PGCPU_MIN_MAX(T)                                 \
  PGCPU_FN T min(T a, T b) { return b < a ? b : a; }     \
  PGCPU_FN T max(T a, T b) { return a < b ? b : a; }
PGCPU_MIN_MAX(int)
PGCPU_MIN_MAX(unsigned)
PGCPU_MIN_MAX(long)
PGCPU_MIN_MAX(unsigned long)
PGCPU_MIN_MAX(long long)
PGCPU_MIN_MAX(unsigned long long)
#undef PGCPU_MIN_MAX
#define PGCPU_MIXED(A, B, U)                                              \
  PGCPU_FN auto min(A a, B b) -> U {                                      \
    typedef U R;                                                          \
    return R(b) < R(a) ? R(b) : R(a);                                     \
  }                                                                       \
  PGCPU_FN auto max(A a, B b) -> U {                                      \
    typedef U R;                                                          \
    return R(a) < R(b) ? R(b) : R(a);                                     \
  }
PGCPU_MIXED(int, unsigned, unsigned)
PGCPU_MIXED(unsigned, int, unsigned)
PGCPU_MIXED(long, unsigned long, unsigned long)
PGCPU_MIXED(unsigned long, long, unsigned long)
PGCPU_MIXED(long long, unsigned long long, unsigned long long)
PGCPU_MIXED(unsigned long long, long long, unsigned long long)
#undef PGCPU_MIXED
PGCPU_FN float min(float a, float b) { return std::fmin(a, b); }
PGCPU_FN float max(float a, float b) { return std::fmax(a, b); }
PGCPU_FN double min(double a, double b) { return std::fmin(a, b); }
PGCPU_FN double max(double a, double b) { return std::fmax(a, b); }
PGCPU_FN double min(float a, double b) { return std::fmin(double(a), b); }
PGCPU_FN double max(float a, double b) { return std::fmax(double(a), b); }
PGCPU_FN double min(double a, float b) { return std::fmin(a, double(b)); }
PGCPU_FN double max(double a, float b) { return std::fmax(a, double(b)); }
PGCPU_FN unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
PGCPU_FN unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
PGCPU_FN long long llmin(long long a, long long b) { return a < b ? a : b; }
PGCPU_FN long long llmax(long long a, long long b) { return a < b ? b : a; }
PGCPU_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
PGCPU_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

// ---- loads and stores with hints ----
#define PGCPU_LOAD(NAME) \
  template <class T>     \
  static inline T NAME(const T* p) { return *p; }
#define PGCPU_STORE(NAME) \
  template <class T>      \
  static inline void NAME(T* p, std::common_type_t<T> v) { *p = v; }
PGCPU_LOAD(__ldg)
PGCPU_LOAD(__ldcg)
PGCPU_LOAD(__ldca)
PGCPU_LOAD(__ldcs)
PGCPU_LOAD(__ldlu)
PGCPU_LOAD(__ldcv)
PGCPU_STORE(__stwb)
PGCPU_STORE(__stcg)
PGCPU_STORE(__stcs)
PGCPU_STORE(__stwt)
#undef PGCPU_LOAD
#undef PGCPU_STORE

PGCPU_FN void __trap(::pgcpu::site at = ::pgcpu::site::current()) { ::pgcpu::trap(at); }
PGCPU_FN void __brkpt() {}
PGCPU_FN void __prof_trigger(int) {}
