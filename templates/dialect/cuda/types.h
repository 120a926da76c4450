// Target CUDA: 16-bit floats.
#ifndef PG_DETAIL_TYPES_H
#define PG_DETAIL_TYPES_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "../float16.h"

namespace pg {
using half = __half;
using bfloat16 = __nv_bfloat16;

namespace detail {
PG_HDFN float half_to_float(half h) { return __half2float(h); }
PG_HDFN half float_to_half(float f) { return __float2half_rn(f); }
PG_HDFN float bfloat16_to_float(bfloat16 b) { return __bfloat162float(b); }
PG_HDFN bfloat16 float_to_bfloat16(float f) { return __float2bfloat16_rn(f); }
PG_HDFN float round_even(float f) { return rintf(f); }
PG_HDFN double round_even(double f) { return rint(f); }

#if PG_DEVICE_COMPILER
// One rounding each, as the float route gives.
__device__ __forceinline__ half add16(half a, half b) { return __hadd_rn(a, b); }
__device__ __forceinline__ half mul16(half a, half b) { return __hmul_rn(a, b); }
__device__ __forceinline__ bfloat16 add16(bfloat16 a, bfloat16 b) { return __hadd_rn(a, b); }
__device__ __forceinline__ bfloat16 mul16(bfloat16 a, bfloat16 b) { return __hmul_rn(a, b); }

#if PG_CUDA_ARCH >= 80
__device__ __forceinline__ float min_nan(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ __forceinline__ float max_nan(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#else
__device__ __forceinline__ float min_nan(float a, float b) { return (a != a || a < b) ? a : b; }
__device__ __forceinline__ float max_nan(float a, float b) { return (a != a || b < a) ? a : b; }
#endif
#endif
}  // namespace detail
}  // namespace pg

#endif
