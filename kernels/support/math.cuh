// Accurate functions of float and double under one name each.
#pragma once

#include <math.h>

#include "types.cuh"

namespace pgops {
namespace m {

#define PG_MATH1(NAME)                                                                       \
  __device__ __forceinline__ float NAME(float x) { return ::NAME##f(x); }                    \
  __device__ __forceinline__ double NAME(double x) { return ::NAME(x); }
#define PG_MATH2(NAME)                                                                       \
  __device__ __forceinline__ float NAME(float x, float y) { return ::NAME##f(x, y); }        \
  __device__ __forceinline__ double NAME(double x, double y) { return ::NAME(x, y); }

PG_MATH1(exp) PG_MATH1(exp2) PG_MATH1(expm1) PG_MATH1(log) PG_MATH1(log1p) PG_MATH1(log2) PG_MATH1(log10)
PG_MATH1(erf) PG_MATH1(erfc) PG_MATH1(sinh) PG_MATH1(cosh) PG_MATH1(tanh) PG_MATH1(sin) PG_MATH1(cos) PG_MATH1(tan)
PG_MATH1(asin) PG_MATH1(acos) PG_MATH1(atan) PG_MATH1(asinh) PG_MATH1(acosh) PG_MATH1(atanh)
PG_MATH1(sqrt) PG_MATH1(floor) PG_MATH1(ceil) PG_MATH1(trunc) PG_MATH1(rint) PG_MATH1(fabs)
PG_MATH2(pow) PG_MATH2(atan2) PG_MATH2(fmod)

#undef PG_MATH1
#undef PG_MATH2

template <class T>
__device__ __forceinline__ bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return x != x;
  else return false;
}
// NaN if either is NaN.
template <class T>
__device__ __forceinline__ T min_nan(T a, T b) {
  return (a < b || is_nan(a)) ? a : b;
}
template <class T>
__device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || is_nan(a)) ? a : b;
}

}  // namespace m
}  // namespace pgops
