// What CUDA code needs on AMD GPUs and HIP does not have, or has with another meaning.
// Written for HIP 5.2 and newer. With nvcc the device functions are here too, so that a translation can
// be checked on NVIDIA; the host functions need headers that give CUDA the names of HIP.
// A warp has 32 lanes here on every device: shuffles stay within the caller's 32 lanes, and votes
// return these lanes as 32 bits.
#ifndef PORTGPU_HIP_COMPAT_H
#define PORTGPU_HIP_COMPAT_H

#if defined(__CUDACC__) && !defined(__HIP__) && !defined(PGCPU)
#define PG_COMPAT_NVIDIA 1
#endif
#if defined(PG_COMPAT_NVIDIA) && defined(__has_include)
#if !defined(__HIP_PLATFORM_NVIDIA__) && !__has_include(<hip/detail/hip_on_cuda_host.h>)
#define PG_COMPAT_NO_HIP 1
#endif
#endif
#if !defined(__HIP__) && !defined(__HIPCC_RTC__) && !defined(PG_COMPAT_NVIDIA) && !defined(PGCPU)
#define PG_COMPAT_HOST_ONLY 1  // a host compiler has no device functions, and needs none
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#endif
#if defined(PG_COMPAT_NO_HIP)
#include <cuda_runtime.h>
#else
#include <hip/hip_runtime.h>
#endif
#if defined(PGCPU)  // its own hip_runtime.h says so
#undef PG_COMPAT_HOST_ONLY
#endif

#ifndef PG_COMPAT_CUDA_ARCH_LEVEL
// The compute capability (times 100) that device code tested with __CUDA_ARCH__ sees.
#define PG_COMPAT_CUDA_ARCH_LEVEL 700
#endif
#if defined(__CUDA_ARCH__) && defined(PG_COMPAT_NVIDIA)
#define PG_COMPAT_CUDA_ARCH __CUDA_ARCH__
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define PG_COMPAT_CUDA_ARCH PG_COMPAT_CUDA_ARCH_LEVEL
#endif
#ifndef PG_COMPAT_CUDA_VERSION
// The CUDA version whose API shape the mapping tables follow.
#define PG_COMPAT_CUDA_VERSION 11070
#endif
#define PG_COMPAT_CUDACC_VER_MAJOR (PG_COMPAT_CUDA_VERSION / 1000)
#define PG_COMPAT_CUDACC_VER_MINOR (PG_COMPAT_CUDA_VERSION % 1000 / 10)
#define PG_COMPAT_CUDACC_VER_BUILD 0

#if defined(PG_COMPAT_NVIDIA)
#define PG_COMPAT_DEVICE static __device__ __forceinline__
#define PG_COMPAT_BOTH static __host__ __device__ __forceinline__
#define PG_COMPAT_LAMBDA  // as the function around it; anything else needs --extended-lambda
#define PG_COMPAT_LAMBDA_BOTH
#else
#define PG_COMPAT_DEVICE static __device__ inline __attribute__((always_inline, unused))
#define PG_COMPAT_BOTH static __host__ __device__ inline __attribute__((always_inline, unused))
#define PG_COMPAT_LAMBDA __device__
#define PG_COMPAT_LAMBDA_BOTH __host__ __device__
#endif
#define PG_COMPAT_HOST static inline __attribute__((unused))
// A template of the program's own beside HIP's of the same form: another signature, and preferred.
#if defined(__clang__) && defined(__HIP__)
#define PG_COMPAT_OWN __attribute__((enable_if(true, "")))
#else
#define PG_COMPAT_OWN
#endif

#include "compat/bits.h"
#include "compat/complex.h"
#include "compat/rounding.h"
#include "compat/cuda.h"
#if defined(PG_COMPAT_HOST_ONLY)
namespace pg_compat {
constexpr int warp_size = 32;
}
#else
#include "compat/warp.h"
#include "compat/memory.h"
#include "compat/math.h"
#endif
#include "compat/simd.h"
#if !defined(__HIPCC_RTC__)  // hipRTC has no host, and no standard library
#include "compat/host_math.h"
#include "compat/host_special.h"
#include "compat/host.h"
#include "compat/device_prop.h"
#include "compat/pointer.h"
#include "compat/data_types.h"
#include "compat/containers.h"
#include "compat/functional.h"
#include "compat/utility.h"
#endif

#endif
