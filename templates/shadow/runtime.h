// Stands before every translation unit, and behind cuda_runtime.h and its parts: HIP's runtime under
// CUDA's names, and what nvcc gives without an include.
#ifndef PORTGPU_SHADOW_RUNTIME_H
#define PORTGPU_SHADOW_RUNTIME_H

#if defined(__cplusplus)
#if defined(__HIP__)
#include "portgpu/shadow/throws.h"
// nvcc's implicit include brings these along.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>
#endif

#include "portgpu/hip_compat.h"
#if defined(__HIP__)
#include <cstdio>
namespace std {  // HIP's own for devices, which came behind <cstring>
using ::free;
using ::malloc;
using ::memcpy;
using ::memset;
using ::printf;
}  // namespace std
#endif
#include <hip/library_types.h>
#include "portgpu/shadow/host.h"

// A warp has 32 lanes, for the host too: see cudaDeviceProp in host.h. The macro also renames
// members and variables of that name, everywhere alike.
static constexpr int pg_warpSize = 32;

#if defined(__HIP__)
// The second number means blocks an SM on NVIDIA, waves an execution unit in HIP: it is left out.
#undef __launch_bounds__
#define __launch_bounds__(threads, ...) \
  __attribute__((amdgpu_flat_work_group_size(1, (threads))))
#ifndef __grid_constant__
#define __grid_constant__
#endif
#define __nv_bswap16 __builtin_bswap16
#define __nv_bswap32 __builtin_bswap32
#define __nv_bswap64 __builtin_bswap64
#ifndef __nv_pure__
#define __nv_pure__ __attribute__((pure))
#endif
#ifndef __cluster_dims__
#define __cluster_dims__(...)
#endif
// Options of nvcc that HIP's compiler has always on.
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

#ifndef PGCPU  // which has them
#define PG_SHADOW_MIN_MAX(T, PREFIX)                                                           \
  static __host__ __device__ inline T PREFIX##min(T a, T b) { return a < b ? a : b; }          \
  static __host__ __device__ inline T PREFIX##max(T a, T b) { return a > b ? a : b; }
PG_SHADOW_MIN_MAX(unsigned, u)
PG_SHADOW_MIN_MAX(long long, ll)
PG_SHADOW_MIN_MAX(unsigned long long, ull)
#undef PG_SHADOW_MIN_MAX
#endif

#define PG_SHADOW_DEVICE \
  static __host__ __device__ inline __attribute__((always_inline, unused))
#include "portgpu/shadow/names/device.h"
#include "portgpu/shadow/on.h"
#else
#define warpSize pg_warpSize
#endif

#else
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#endif

// Calling conventions, which are empty here.
#define CUDART_CB
#define CUDA_CB
#define CUDARTAPI
#define CUDAAPI

#include "portgpu/shadow/names/errors.h"
#include "portgpu/shadow/names/runtime.h"
#include "portgpu/shadow/names/types.h"

#ifndef __cplusplus  // where the flags have a default
static inline hipError_t pg_malloc_host(void** p, size_t bytes) {
  return hipHostMalloc(p, bytes, 0);
}
#undef cudaMallocHost
#define cudaMallocHost pg_malloc_host
#endif

// What says in CUDA's headers that they have been included.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__

#undef CUDART_VERSION
#define CUDART_VERSION PG_COMPAT_CUDA_VERSION
#ifndef PG_COMPAT_CUDA_VERSION
#define PG_COMPAT_CUDA_VERSION 11070
#endif
#define __CUDACC_VER_MAJOR__ (PG_COMPAT_CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (PG_COMPAT_CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0

#endif
