// Target ROCm: macros. Valid for HIP 5.2 to 7.x; also compiles where HIP's names stand for CUDA.
#ifndef PG_DETAIL_BASE_H
#define PG_DETAIL_BASE_H

// The dialect uses the mask-less forms, which every HIP has; the masked ones are not needed.
#ifndef HIP_DISABLE_WARP_SYNC_BUILTINS
#define HIP_DISABLE_WARP_SYNC_BUILTINS
#endif
#include <hip/hip_runtime.h>

#define PG_TARGET_CUDA 0
#define PG_TARGET_ROCM 1
#define PG_TARGET_CPU 0

// 1: AMD's compiler. 0: HIP names on top of CUDA.
#if defined(__HIP_PLATFORM_AMD__) && !defined(__NVCC__)
#define PG_AMD 1
#else
#define PG_AMD 0
#endif

#if defined(__HIP__) || defined(__HIPCC__) || defined(__CUDACC__)
#define PG_DEVICE_COMPILER 1
#else
#define PG_DEVICE_COMPILER 0
#endif

#if (defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
#define PG_DEVICE_PASS 1
#else
#define PG_DEVICE_PASS 0
#endif

// Width of a wave, in the device pass only: GCN and CDNA have 64 lanes, RDNA 32 unless asked otherwise.
#if defined(__AMDGCN__) && defined(__AMDGCN_WAVEFRONT_SIZE__)
#define PG_AMD_WAVE64 (__AMDGCN_WAVEFRONT_SIZE__ == 64)
#elif defined(__AMDGCN__) && defined(__AMDGCN_WAVEFRONT_SIZE)
#define PG_AMD_WAVE64 (__AMDGCN_WAVEFRONT_SIZE == 64)
#elif defined(__AMDGCN__) && (defined(__GFX8__) || defined(__GFX9__))
#define PG_AMD_WAVE64 1
#else
#define PG_AMD_WAVE64 0
#endif

#define PG_WARP_CONSTEXPR constexpr
// HIP's own memcpy is a loop over bytes in kernels, which can leave values in scratch memory.
#if PG_AMD
#define PG_COPY_BYTES_ __builtin_memcpy
#else
#define PG_COPY_BYTES_ ::memcpy
#endif

// AMD counts waves on an execution unit (4 or 2 in a compute unit), not blocks: the second number
// asks for the waves that `blocks` blocks of `threads` threads put on each.
#if PG_AMD
#if PG_AMD_WAVE64 || !defined(__AMDGCN__)
#define PG_WAVES_PER_EU_(threads, blocks) (((threads) + 63) / 64 * (blocks) + 3) / 4
#else
#define PG_WAVES_PER_EU_(threads, blocks) (((threads) + 31) / 32 * (blocks) + 1) / 2
#endif
#define PG_CLAMP_WAVES_(n) ((n) < 1 ? 1 : (n) > PG_MAX_WAVES_PER_EU_ ? PG_MAX_WAVES_PER_EU_ : (n))
#define PG_MAX_WAVES_PER_EU_ 8
#define PG_LAUNCH_BOUNDS_1_(threads) __launch_bounds__(threads)
#define PG_LAUNCH_BOUNDS_2_(threads, blocks) \
  __launch_bounds__(threads, PG_CLAMP_WAVES_((PG_WAVES_PER_EU_(threads, blocks))))
#define PG_LAUNCH_BOUNDS_N_(_1, _2, name, ...) name
#define PG_LAUNCH_BOUNDS(...) \
  PG_LAUNCH_BOUNDS_N_(__VA_ARGS__, PG_LAUNCH_BOUNDS_2_, PG_LAUNCH_BOUNDS_1_, )(__VA_ARGS__)
#else
#define PG_LAUNCH_BOUNDS(...) __launch_bounds__(__VA_ARGS__)
#endif
#define PG_GRID_CONSTANT
#define PG_DYN_SHARED(T, name)                                                                    \
  extern __shared__ __attribute__((aligned(16))) unsigned char pg_dynamic_shared_memory[];        \
  T* const name = reinterpret_cast<T*>(pg_dynamic_shared_memory)

// Feature tests: 0 or 1, in the pass that asks.
#define PG_HAS_ASYNC_COPY 0
// Matrix units, where the compiler has their builtins: CDNA by waves of 64, RDNA3 by waves of 32.
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) ||   \
    defined(__gfx942__) || defined(__gfx950__)
#define PG_AMD_MFMA 1
#else
#define PG_AMD_MFMA 0
#endif
#if defined(__GFX11__) && !PG_AMD_WAVE64 && defined(__has_builtin)
#if __has_builtin(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32)
#define PG_AMD_WMMA 1
#endif
#endif
#ifndef PG_AMD_WMMA
#define PG_AMD_WMMA 0
#endif
#define PG_HAS_MMA (PG_AMD_MFMA || PG_AMD_WMMA)
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) ||   \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1011__) ||  \
    defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||                       \
    defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) ||                       \
    defined(__gfx1035__) || defined(__gfx1036__)
#define PG_AMD_SDOT4 1
#else
#define PG_AMD_SDOT4 0
#endif
#if defined(__GFX11__) || defined(__GFX12__)
#define PG_AMD_SUDOT4 1
#else
#define PG_AMD_SUDOT4 0
#endif
#define PG_HAS_DP4A (PG_AMD_SDOT4 || PG_AMD_SUDOT4)
#define PG_HAS_NATIVE_MATCH 0
#define PG_HAS_NATIVE_WARP_REDUCE 0
#define PG_HAS_NATIVE_BFLOAT16 0
// clock64 is not dependable on RDNA3.
#define PG_HAS_CYCLE_COUNTER (!PG_AMD_SUDOT4)
#define PG_HAS_WARP_SIZE_CONSTANT 1
#define PG_HAS_GRID_CONSTANT 0
#define PG_HAS_PRINTF 1
#define PG_HAS_GRAPHS 1
#define PG_HAS_POOLS 1
#define PG_HAS_PEER 1
#define PG_HAS_MANAGED 1
#define PG_HAS_COOPERATIVE_LAUNCH 1

namespace pg {
namespace detail {
#if PG_DEVICE_COMPILER
__host__ __device__ __forceinline__ void trap() {
#if PG_DEVICE_PASS
#if PG_AMD
  __builtin_trap();
#else
  __trap();
#endif
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
