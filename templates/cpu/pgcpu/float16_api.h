// __half and the bfloat16 types with their vendors' functions. Each operation is done exactly and
// rounded once to nearest even, as the devices do.
#pragma once
#include "half.h"
#include "math.h"

#include <cmath>
#include <type_traits>

namespace pgcpu {

struct half_format {
  static constexpr unsigned short infinity = 0x7c00, nan = 0x7fff;
  static unsigned short round(float f) { return detail::half_from_float(f); }
  static unsigned short round(double d, detail::rounding m = detail::rounding::nearest) {
    return detail::half_from_double(d, m);
  }
  static float widen(unsigned short b) { return detail::half_to_float(b); }
};
struct bfloat16_format {
  static constexpr unsigned short infinity = 0x7f80, nan = 0x7fff;
  static unsigned short round(float f) { return detail::bfloat16_from_float(f); }
  static unsigned short round(double d, detail::rounding m = detail::rounding::nearest) {
    return detail::bfloat16_from_double(d, m);
  }
  static float widen(unsigned short b) { return detail::bfloat16_to_float(b); }
};

template <class F>
struct raw16 {
  unsigned short x;
};

template <class F>
struct raw_pair16 {
  unsigned short x, y;
};

// A 16-bit float that converts implicitly to float and from arithmetic types.
template <class F>
struct number16 {
  unsigned short bits_;

  number16() = default;
  number16(raw16<F> r) : bits_(r.x) {}
  template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
  number16(A v) : bits_(from(v)) {}
  operator raw16<F>() const { return {bits_}; }
  operator float() const { return F::widen(bits_); }
  static number16 of(unsigned short b) { return number16(raw16<F>{b}); }
  template <class A>
  static number16 directed(A v, detail::rounding mode) {
    return of(F::round(sticky(v), mode));
  }

  number16& operator+=(number16 o) { return *this = *this + o; }
  number16& operator-=(number16 o) { return *this = *this - o; }
  number16& operator*=(number16 o) { return *this = *this * o; }
  number16& operator/=(number16 o) { return *this = *this / o; }
  number16& operator++() { return *this = *this + number16(1.0f); }
  number16& operator--() { return *this = *this - number16(1.0f); }
  number16 operator++(int) { number16 o = *this; ++*this; return o; }
  number16 operator--(int) { number16 o = *this; --*this; return o; }
  number16 operator-() const { return of((unsigned short)(bits_ ^ 0x8000)); }
  number16 operator+() const { return *this; }
  friend number16 operator+(number16 a, number16 b) { return number16(float(a) + float(b)); }
  friend number16 operator-(number16 a, number16 b) { return number16(float(a) - float(b)); }
  friend number16 operator*(number16 a, number16 b) { return number16(float(a) * float(b)); }
  friend number16 operator/(number16 a, number16 b) { return number16(float(a) / float(b)); }
  friend bool operator==(number16 a, number16 b) { return float(a) == float(b); }
  friend bool operator!=(number16 a, number16 b) { return float(a) != float(b); }
  friend bool operator<(number16 a, number16 b) { return float(a) < float(b); }
  friend bool operator>(number16 a, number16 b) { return float(a) > float(b); }
  friend bool operator<=(number16 a, number16 b) { return float(a) <= float(b); }
  friend bool operator>=(number16 a, number16 b) { return float(a) >= float(b); }

 private:
  template <class A>
  static unsigned short from(A v) {
    if constexpr (std::is_same_v<A, float>) return F::round(v);
    else if constexpr (sizeof(A) == 8 && std::is_integral_v<A>) return from_wide(v);
    else return F::round(double(v));
  }
  // 64-bit integers do not fit a double: keep the lost bits as one sticky bit.
  template <class A>
  static unsigned short from_wide(A v) { return F::round(sticky(v)); }
  template <class A>
  static double sticky(A v) {
    const bool negative = v < 0;
    unsigned long long m = negative ? 0 - (unsigned long long)v : (unsigned long long)v;
    if (m >> 52) m = m >> 12 << 12 | (unsigned long long)((m & 4095) != 0) << 12;
    return negative ? -double(m) : double(m);
  }
};

template <class F>
struct alignas(4) pair16 {
  number16<F> x, y;
  pair16() = default;
  pair16(number16<F> a, number16<F> b) : x(a), y(b) {}
  pair16(raw_pair16<F> r) : x(number16<F>::of(r.x)), y(number16<F>::of(r.y)) {}
  operator raw_pair16<F>() const { return {x.bits_, y.bits_}; }
#define PGCPU_PAIR(OP)                                                                        \
  friend pair16 operator OP(pair16 a, pair16 b) { return {a.x OP b.x, a.y OP b.y}; }          \
  pair16& operator OP##=(pair16 o) { return *this = *this OP o; }
  PGCPU_PAIR(+)
  PGCPU_PAIR(-)
  PGCPU_PAIR(*)
  PGCPU_PAIR(/)
#undef PGCPU_PAIR
  pair16 operator-() const { return {-x, -y}; }
#define PGCPU_PAIR(OP) \
  friend bool operator OP(pair16 a, pair16 b) { return a.x OP b.x && a.y OP b.y; }
  PGCPU_PAIR(==)
  PGCPU_PAIR(<)
  PGCPU_PAIR(>)
  PGCPU_PAIR(<=)
  PGCPU_PAIR(>=)
#undef PGCPU_PAIR
  friend bool operator!=(pair16 a, pair16 b) { return a.x != b.x && a.y != b.y; }
};

// a * b + c rounded once: the double result is made odd where it is not exact.
template <class F>
inline number16<F> fma16(number16<F> a, number16<F> b, number16<F> c) {
  const double p = double(float(a)) * double(float(b)), d = float(c);
  double s = p + d;
  if (std::isfinite(s)) {
    const double t = s - p, e = (p - (s - t)) + (d - t);
    unsigned long long bits;
    __builtin_memcpy(&bits, &s, 8);
    if (e != 0 && !(bits & 1)) s = std::nextafter(s, e > 0 ? HUGE_VAL : -HUGE_VAL);
  }
  return number16<F>::of(F::round(s));
}
template <class F>
inline bool nan16(number16<F> a) { return (a.bits_ & 0x7fff) > F::infinity; }
template <class F>
inline number16<F> min16(number16<F> a, number16<F> b, bool keep_nan) {
  if (nan16(a) || nan16(b)) return keep_nan || (nan16(a) && nan16(b)) ? number16<F>::of(F::nan) : nan16(a) ? b : a;
  if (float(a) == float(b)) return a.bits_ & 0x8000 ? a : b;
  return float(a) < float(b) ? a : b;
}
template <class F>
inline number16<F> max16(number16<F> a, number16<F> b, bool keep_nan) {
  if (nan16(a) || nan16(b)) return keep_nan || (nan16(a) && nan16(b)) ? number16<F>::of(F::nan) : nan16(a) ? b : a;
  if (float(a) == float(b)) return a.bits_ & 0x8000 ? b : a;
  return float(a) < float(b) ? b : a;
}
template <class F>
inline number16<F> clamp16(number16<F> a) {
  const float f = a;
  return f > 0 ? (f < 1 ? a : number16<F>(1.0f)) : number16<F>(0.0f);
}
template <class F>
inline number16<F> relu16(number16<F> a) {
  return nan16(a) ? number16<F>::of(F::nan) : float(a) <= 0 ? number16<F>(0.0f) : a;
}

// What the atomics need.
template <class F>
inline float to_float(number16<F> v) { return v; }

}  // namespace pgcpu

// Functions of a type T and its pair T2.
#define PGCPU_F16_COMMON(T, T2)                                                                \
  PGCPU_FN T __hadd(T a, T b) { return a + b; }                                                \
  PGCPU_FN T __hsub(T a, T b) { return a - b; }                                                \
  PGCPU_FN T __hmul(T a, T b) { return a * b; }                                                \
  PGCPU_FN T __hdiv(T a, T b) { return a / b; }                                                \
  PGCPU_FN T __hadd_rn(T a, T b) { return a + b; }                                             \
  PGCPU_FN T __hsub_rn(T a, T b) { return a - b; }                                             \
  PGCPU_FN T __hmul_rn(T a, T b) { return a * b; }                                             \
  PGCPU_FN T __hadd_sat(T a, T b) { return ::pgcpu::clamp16(a + b); }                          \
  PGCPU_FN T __hsub_sat(T a, T b) { return ::pgcpu::clamp16(a - b); }                          \
  PGCPU_FN T __hmul_sat(T a, T b) { return ::pgcpu::clamp16(a * b); }                          \
  PGCPU_FN T __hfma(T a, T b, T c) { return ::pgcpu::fma16(a, b, c); }                         \
  PGCPU_FN T __hfma_sat(T a, T b, T c) { return ::pgcpu::clamp16(::pgcpu::fma16(a, b, c)); }   \
  PGCPU_FN T __hfma_relu(T a, T b, T c) { return ::pgcpu::relu16(::pgcpu::fma16(a, b, c)); }   \
  PGCPU_FN T __hneg(T a) { return -a; }                                                        \
  PGCPU_FN T __habs(T a) { return T::of((unsigned short)(a.bits_ & 0x7fff)); }                 \
  PGCPU_FN T __hmin(T a, T b) { return ::pgcpu::min16(a, b, false); }                          \
  PGCPU_FN T __hmax(T a, T b) { return ::pgcpu::max16(a, b, false); }                          \
  PGCPU_FN T __hmin_nan(T a, T b) { return ::pgcpu::min16(a, b, true); }                       \
  PGCPU_FN T __hmax_nan(T a, T b) { return ::pgcpu::max16(a, b, true); }                       \
  PGCPU_FN bool __hisnan(T a) { return ::pgcpu::nan16(a); }                                    \
  PGCPU_FN int __hisinf(T a) { return std::isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0; }    \
  PGCPU_FN float __low2float(T2 a) { return a.x; }                                             \
  PGCPU_FN float __high2float(T2 a) { return a.y; }                                            \
  PGCPU_FN T2 __lowhigh2highlow(T2 a) { return {a.y, a.x}; }                                   \
  PGCPU_FN T2 __hadd2(T2 a, T2 b) { return a + b; }                                            \
  PGCPU_FN T2 __hsub2(T2 a, T2 b) { return a - b; }                                            \
  PGCPU_FN T2 __hmul2(T2 a, T2 b) { return a * b; }                                            \
  PGCPU_FN T2 __h2div(T2 a, T2 b) { return a / b; }                                            \
  PGCPU_FN T2 __hadd2_rn(T2 a, T2 b) { return a + b; }                                         \
  PGCPU_FN T2 __hsub2_rn(T2 a, T2 b) { return a - b; }                                         \
  PGCPU_FN T2 __hmul2_rn(T2 a, T2 b) { return a * b; }                                         \
  PGCPU_FN T2 __hneg2(T2 a) { return -a; }                                                     \
  PGCPU_F16_EACH(__hadd2_sat, T2, __hadd_sat)                                                  \
  PGCPU_F16_EACH(__hsub2_sat, T2, __hsub_sat)                                                  \
  PGCPU_F16_EACH(__hmul2_sat, T2, __hmul_sat)                                                  \
  PGCPU_F16_EACH(__hmin2, T2, __hmin)                                                          \
  PGCPU_F16_EACH(__hmax2, T2, __hmax)                                                          \
  PGCPU_F16_EACH(__hmin2_nan, T2, __hmin_nan)                                                  \
  PGCPU_F16_EACH(__hmax2_nan, T2, __hmax_nan)                                                  \
  PGCPU_FN T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                             \
  PGCPU_FN T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  PGCPU_FN T2 __hfma2_sat(T2 a, T2 b, T2 c) {                                                  \
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                             \
  }                                                                                            \
  PGCPU_FN T2 __hfma2_relu(T2 a, T2 b, T2 c) {                                                 \
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                           \
  }                                                                                            \
  PGCPU_FN T2 __hcmadd(T2 a, T2 b, T2 c) {                                                     \
    const T re = __hfma(a.x, b.x, c.x), im = __hfma(a.x, b.y, c.y);                            \
    return {__hfma(-a.y, b.y, re), __hfma(a.y, b.x, im)};                                      \
  }                                                                                            \
  PGCPU_FN T2 __hisnan2(T2 a) { return {T(float(__hisnan(a.x))), T(float(__hisnan(a.y)))}; }   \
  PGCPU_F16_COMPARE(T, T2, eq, ==, false)                                                      \
  PGCPU_F16_COMPARE(T, T2, ne, !=, false)                                                      \
  PGCPU_F16_COMPARE(T, T2, lt, <, false)                                                       \
  PGCPU_F16_COMPARE(T, T2, gt, >, false)                                                       \
  PGCPU_F16_COMPARE(T, T2, le, <=, false)                                                      \
  PGCPU_F16_COMPARE(T, T2, ge, >=, false)                                                      \
  PGCPU_F16_MATH(T, T2, sin, std::sin(double(float(a))))                                       \
  PGCPU_F16_MATH(T, T2, cos, std::cos(double(float(a))))                                       \
  PGCPU_F16_MATH(T, T2, exp, std::exp(double(float(a))))                                       \
  PGCPU_F16_MATH(T, T2, exp2, std::exp2(double(float(a))))                                     \
  PGCPU_F16_MATH(T, T2, exp10, std::pow(10.0, double(float(a))))                               \
  PGCPU_F16_MATH(T, T2, log, std::log(double(float(a))))                                       \
  PGCPU_F16_MATH(T, T2, log2, std::log2(double(float(a))))                                     \
  PGCPU_F16_MATH(T, T2, log10, std::log10(double(float(a))))                                   \
  PGCPU_F16_MATH(T, T2, sqrt, std::sqrt(double(float(a))))                                     \
  PGCPU_F16_MATH(T, T2, rsqrt, 1.0 / std::sqrt(double(float(a))))                              \
  PGCPU_F16_MATH(T, T2, rcp, 1.0 / double(float(a)))                                           \
  PGCPU_F16_MATH(T, T2, tanh, std::tanh(double(float(a))))                                     \
  PGCPU_F16_MATH(T, T2, floor, std::floor(double(float(a))))                                   \
  PGCPU_F16_MATH(T, T2, ceil, std::ceil(double(float(a))))                                     \
  PGCPU_F16_MATH(T, T2, trunc, std::trunc(double(float(a))))                                   \
  PGCPU_F16_MATH(T, T2, rint, std::nearbyint(double(float(a))))

#define PGCPU_F16_EACH(NAME, T2, FN) \
  PGCPU_FN T2 NAME(T2 a, T2 b) { return {FN(a.x, b.x), FN(a.y, b.y)}; }
#define PGCPU_F16_MATH(T, T2, NAME, EXPR)         \
  PGCPU_FN T h##NAME(T a) { return T(EXPR); }     \
  PGCPU_FN T2 h2##NAME(T2 v) { return {h##NAME(v.x), h##NAME(v.y)}; }
// The unordered forms (…u) are true for NaN; the _mask forms give words of ones.
#define PGCPU_F16_COMPARE(T, T2, NAME, OP, UNUSED)                                                \
  PGCPU_FN bool __h##NAME(T a, T b) {                                                             \
    return !::pgcpu::nan16(a) && !::pgcpu::nan16(b) && float(a) OP float(b);                      \
  }                                                                                               \
  PGCPU_FN bool __h##NAME##u(T a, T b) {                                                          \
    return ::pgcpu::nan16(a) || ::pgcpu::nan16(b) || float(a) OP float(b);                        \
  }                                                                                               \
  PGCPU_FN T2 __h##NAME##2(T2 a, T2 b) {                                                          \
    return {T(float(__h##NAME(a.x, b.x))), T(float(__h##NAME(a.y, b.y)))};                        \
  }                                                                                               \
  PGCPU_FN bool __hb##NAME##2(T2 a, T2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }  \
  PGCPU_FN bool __hb##NAME##u2(T2 a, T2 b) {                                                      \
    return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y);                                      \
  }                                                                                               \
  PGCPU_FN T2 __h##NAME##u2(T2 a, T2 b) {                                                         \
    return {T(float(__h##NAME##u(a.x, b.x))), T(float(__h##NAME##u(a.y, b.y)))};                  \
  }                                                                                               \
  PGCPU_FN unsigned __h##NAME##2_mask(T2 a, T2 b) {                                               \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0);         \
  }                                                                                               \
  PGCPU_FN unsigned __h##NAME##u2_mask(T2 a, T2 b) {                                              \
    return (__h##NAME##u(a.x, b.x) ? 0xffffu : 0) | (__h##NAME##u(a.y, b.y) ? 0xffff0000u : 0);   \
  }

// Conversions; N is the name's stem (half, bfloat16), F the format.
#define PGCPU_F16_CONVERT(T, T2, N, N2, F)                                                         \
  PGCPU_FN T __float2##N(float f) { return T(f); }                                                 \
  PGCPU_FN T __float2##N##_rn(float f) { return T(f); }                                            \
  PGCPU_FN T __float2##N##_rz(float f) {                                                           \
    return T::of(F::round(double(f), ::pgcpu::detail::rounding::zero));                            \
  }                                                                                                \
  PGCPU_FN T __float2##N##_ru(float f) {                                                           \
    return T::of(F::round(double(f), ::pgcpu::detail::rounding::up));                              \
  }                                                                                                \
  PGCPU_FN T __float2##N##_rd(float f) {                                                           \
    return T::of(F::round(double(f), ::pgcpu::detail::rounding::down));                            \
  }                                                                                                \
  PGCPU_FN T __double2##N(double d) { return T(d); }                                               \
  PGCPU_FN float __##N##2float(T a) { return a; }                                                  \
  PGCPU_FN T2 __float2##N2##_rn(float f) { return {T(f), T(f)}; }                                  \
  PGCPU_FN T2 __floats2##N2##_rn(float a, float b) { return {T(a), T(b)}; }                        \
  PGCPU_FN T2 __float22##N2##_rn(float2 f) { return {T(f.x), T(f.y)}; }                            \
  PGCPU_FN T2 __##N##2##N2(T a) { return {a, a}; }                                                 \
  PGCPU_FN T2 __halves2##N2(T a, T b) { return {a, b}; }                                           \
  PGCPU_FN T __low2##N(T2 a) { return a.x; }                                                       \
  PGCPU_FN T __high2##N(T2 a) { return a.y; }                                                      \
  PGCPU_FN T2 __low2##N2(T2 a) { return {a.x, a.x}; }                                              \
  PGCPU_FN T2 __high2##N2(T2 a) { return {a.y, a.y}; }                                             \
  PGCPU_FN T2 __lows2##N2(T2 a, T2 b) { return {a.x, b.x}; }                                       \
  PGCPU_FN T2 __highs2##N2(T2 a, T2 b) { return {a.y, b.y}; }                                      \
  PGCPU_FN short __##N##_as_short(T a) { return (short)a.bits_; }                                  \
  PGCPU_FN unsigned short __##N##_as_ushort(T a) { return a.bits_; }                               \
  PGCPU_FN T __short_as_##N(short b) { return T::of((unsigned short)b); }                          \
  PGCPU_FN T __ushort_as_##N(unsigned short b) { return T::of(b); }                                \
  PGCPU_F16_INTEGER(T, N, F, int, int)                                                             \
  PGCPU_F16_INTEGER(T, N, F, uint, unsigned)                                                       \
  PGCPU_F16_INTEGER(T, N, F, short, short)                                                         \
  PGCPU_F16_INTEGER(T, N, F, ushort, unsigned short)                                               \
  PGCPU_F16_INTEGER(T, N, F, ll, long long)                                                        \
  PGCPU_F16_INTEGER(T, N, F, ull, unsigned long long)                                              \
  PGCPU_FN signed char __##N##2char_rz(T a) {                                                      \
    return ::pgcpu::detail::to_integer<signed char, float>(a, std::trunc(float(a)));               \
  }                                                                                                \
  PGCPU_FN unsigned char __##N##2uchar_rz(T a) {                                                   \
    return ::pgcpu::detail::to_integer<unsigned char, float>(a, std::trunc(float(a)));             \
  }
#define PGCPU_F16_INTEGER(T, N, F, I, TYPE)                                                        \
  PGCPU_FN TYPE __##N##2##I##_rn(T a) {                                                            \
    return ::pgcpu::detail::to_integer<TYPE, float>(a, std::nearbyint(float(a)));                  \
  }                                                                                                \
  PGCPU_FN TYPE __##N##2##I##_rz(T a) {                                                            \
    return ::pgcpu::detail::to_integer<TYPE, float>(a, std::trunc(float(a)));                      \
  }                                                                                                \
  PGCPU_FN TYPE __##N##2##I##_ru(T a) {                                                            \
    return ::pgcpu::detail::to_integer<TYPE, float>(a, std::ceil(float(a)));                       \
  }                                                                                                \
  PGCPU_FN TYPE __##N##2##I##_rd(T a) {                                                            \
    return ::pgcpu::detail::to_integer<TYPE, float>(a, std::floor(float(a)));                      \
  }                                                                                                \
  PGCPU_FN T __##I##2##N##_rn(TYPE v) { return T(v); }                                             \
  PGCPU_FN T __##I##2##N##_rz(TYPE v) { return T::directed(v, ::pgcpu::detail::rounding::zero); }  \
  PGCPU_FN T __##I##2##N##_ru(TYPE v) { return T::directed(v, ::pgcpu::detail::rounding::up); }    \
  PGCPU_FN T __##I##2##N##_rd(TYPE v) { return T::directed(v, ::pgcpu::detail::rounding::down); }
