// Target CUDA: macros.
#ifndef PG_DETAIL_BASE_H
#define PG_DETAIL_BASE_H

#include <cuda_runtime.h>

#define PG_TARGET_CUDA 1
#define PG_TARGET_ROCM 0
#define PG_TARGET_CPU 0

#if defined(__CUDACC__)
#define PG_DEVICE_COMPILER 1
#else
#define PG_DEVICE_COMPILER 0
#endif

#if defined(__CUDA_ARCH__)
#define PG_DEVICE_PASS 1
#define PG_CUDA_ARCH (__CUDA_ARCH__ / 10)
#else
#define PG_DEVICE_PASS 0
#define PG_CUDA_ARCH 0
#endif
#define PG_AMD_WAVE64 0

#define PG_WARP_CONSTEXPR constexpr
#define PG_COPY_BYTES_ ::memcpy

// First: most threads of a block. Second: fewest blocks on a multiprocessor.
#define PG_LAUNCH_BOUNDS(...) __launch_bounds__(__VA_ARGS__)
#define PG_GRID_CONSTANT __grid_constant__
#define PG_DYN_SHARED(T, name)                                                 \
  extern __shared__ __align__(16) unsigned char pg_dynamic_shared_memory[];    \
  T* const name = reinterpret_cast<T*>(pg_dynamic_shared_memory)

// Feature tests: 0 or 1, in the pass that asks.
#define PG_HAS_ASYNC_COPY (PG_CUDA_ARCH >= 80)
#define PG_HAS_MMA (PG_CUDA_ARCH >= 80)
#define PG_HAS_DP4A (PG_CUDA_ARCH >= 61)
#define PG_HAS_NATIVE_MATCH (PG_CUDA_ARCH >= 70)
#define PG_HAS_NATIVE_WARP_REDUCE (PG_CUDA_ARCH >= 80)
#define PG_HAS_NATIVE_BFLOAT16 (PG_CUDA_ARCH >= 80)
#define PG_HAS_CYCLE_COUNTER 1
#define PG_HAS_WARP_SIZE_CONSTANT 1
#define PG_HAS_GRID_CONSTANT 1
#define PG_HAS_PRINTF 1
#define PG_HAS_GRAPHS 1
#define PG_HAS_POOLS (CUDART_VERSION >= 11020)
#define PG_HAS_PEER 1
#define PG_HAS_MANAGED 1
#define PG_HAS_COOPERATIVE_LAUNCH 1

namespace pg {
namespace detail {
#if PG_DEVICE_COMPILER
__host__ __device__ __forceinline__ void trap() {
#if PG_DEVICE_PASS
  __trap();
#else
  abort();
#endif
}
#else
inline void trap() { abort(); }
#endif
}  // namespace detail
}  // namespace pg

#endif
