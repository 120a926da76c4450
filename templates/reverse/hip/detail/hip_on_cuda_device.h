// HIP's names on CUDA: device functions. HIP's warp functions take no mask; the lanes that execute the
// call take part, as on AMD. HIP_ON_CUDA_FULL_MASK names all lanes of the warp instead, for code in
// which whole warps arrive.
#ifndef HIP_ON_CUDA_DEVICE_H
#define HIP_ON_CUDA_DEVICE_H

#if defined(__CUDACC__)

// Before the macros below: these declare mask-less shuffles of their own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "../hip_runtime_api.h"

namespace hip_on_cuda {

__device__ __forceinline__ unsigned lanes() {
#if defined(HIP_ON_CUDA_FULL_MASK)
  return 0xffffffffu;
#else
  return __activemask();
#endif
}

// Applies f to each 32-bit word of a value.
template <class T, class F>
__device__ __forceinline__ T each_word(const T& value, F f) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned in[words];
  in[words - 1] = 0;
  memcpy(in, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) in[i] = f(in[i]);
  T out;
  memcpy(&out, in, sizeof(T));
  return out;
}

// Compare-and-swap in a scope of HIP, 32 or 64 bits.
template <class T>
__device__ __forceinline__ T cas(T* p, T expected, T desired, int scope) {
  if constexpr (sizeof(T) == 4) {
    unsigned e, d;
    memcpy(&e, &expected, 4);
    memcpy(&d, &desired, 4);
    unsigned* const u = reinterpret_cast<unsigned*>(p);
    const unsigned r = scope <= 3 ? atomicCAS_block(u, e, d) : scope == 4 ? atomicCAS(u, e, d) : atomicCAS_system(u, e, d);
    T old;
    memcpy(&old, &r, 4);
    return old;
  } else {
    static_assert(sizeof(T) == 8, "HIP's scoped atomics are for 32 and 64 bits");
    unsigned long long e, d;
    memcpy(&e, &expected, 8);
    memcpy(&d, &desired, 8);
    unsigned long long* const u = reinterpret_cast<unsigned long long*>(p);
    const unsigned long long r =
        scope <= 3 ? atomicCAS_block(u, e, d) : scope == 4 ? atomicCAS(u, e, d) : atomicCAS_system(u, e, d);
    T old;
    memcpy(&old, &r, 8);
    return old;
  }
}
__device__ __forceinline__ void fence(int scope) {
  if (scope <= 3) __threadfence_block();
  else if (scope == 4) __threadfence();
  else __threadfence_system();
}
__device__ __forceinline__ void before(int order, int scope) { if (order >= __ATOMIC_RELEASE) fence(scope); }
__device__ __forceinline__ void after(int order, int scope) {
  if (order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order >= __ATOMIC_ACQ_REL) fence(scope);
}
template <class T, class F>
__device__ __forceinline__ T update(T* p, int order, int scope, F f) {
  before(order, scope);
  T seen = *const_cast<volatile T*>(p);
  while (true) {
    const T wanted = f(seen);
    const T old = cas(p, seen, wanted, scope);
    if (memcmp(&old, &seen, sizeof(T)) == 0) break;
    seen = old;
  }
  after(order, scope);
  return seen;
}
}  // namespace hip_on_cuda

// Functions of HIP's names. CUDA declares some of them too, for old architectures only, hence the macros
// below; they are plain names, because other headers use the same ones for things of their own.
#define HIP_ON_CUDA_SHUFFLE(name, index_type)                                                         \
  template <class T>                                                                                  \
  __device__ __forceinline__ T hip_on_cuda_##name(T value, index_type x, int width = 32) {            \
    const unsigned mask = hip_on_cuda::lanes();                                                       \
    return hip_on_cuda::each_word(value, [=](unsigned w) { return __##name##_sync(mask, w, x, width); }); \
  }
HIP_ON_CUDA_SHUFFLE(shfl, int)
HIP_ON_CUDA_SHUFFLE(shfl_up, unsigned)
HIP_ON_CUDA_SHUFFLE(shfl_down, unsigned)
HIP_ON_CUDA_SHUFFLE(shfl_xor, int)
#undef HIP_ON_CUDA_SHUFFLE
__device__ __forceinline__ int hip_on_cuda_any(int p) { return __any_sync(hip_on_cuda::lanes(), p); }
__device__ __forceinline__ int hip_on_cuda_all(int p) { return __all_sync(hip_on_cuda::lanes(), p); }
// 64 bits, as on AMD; the upper ones are 0.
__device__ __forceinline__ unsigned long long hip_on_cuda_ballot(int p) { return __ballot_sync(hip_on_cuda::lanes(), p); }
#define __shfl hip_on_cuda_shfl
#define __shfl_up hip_on_cuda_shfl_up
#define __shfl_down hip_on_cuda_shfl_down
#define __shfl_xor hip_on_cuda_shfl_xor
#define __any hip_on_cuda_any
#define __all hip_on_cuda_all
#define __ballot hip_on_cuda_ballot

__device__ __forceinline__ unsigned long long __ballot64(int p) { return hip_on_cuda_ballot(p); }
__device__ __forceinline__ unsigned __lane_id() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ long long wall_clock64() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return static_cast<long long>(t);
}

// HIP's scoped atomics, which its compiler has built in.
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_add(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return static_cast<T>(old + v); });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_min(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return static_cast<T>(v) < old ? static_cast<T>(v) : old; });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_max(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return old < static_cast<T>(v) ? static_cast<T>(v) : old; });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_and(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return static_cast<T>(old & v); });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_or(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return static_cast<T>(old | v); });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_fetch_xor(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T old) { return static_cast<T>(old ^ v); });
}
template <class T, class V>
__device__ __forceinline__ T __hip_atomic_exchange(T* p, V v, int order, int scope) {
  return hip_on_cuda::update(p, order, scope, [=](T) { return static_cast<T>(v); });
}
template <class T>
__device__ __forceinline__ T __hip_atomic_load(const T* p, int order, int scope) {
  const T v = *const_cast<const volatile T*>(p);
  hip_on_cuda::after(order, scope);
  return v;
}
template <class T, class V>
__device__ __forceinline__ void __hip_atomic_store(T* p, V v, int order, int scope) {
  hip_on_cuda::before(order, scope);
  *const_cast<volatile T*>(p) = static_cast<T>(v);
}
template <class T, class V>
__device__ __forceinline__ bool __hip_atomic_compare_exchange_strong(T* p, T* expected, V desired, int order, int, int scope) {
  hip_on_cuda::before(order, scope);
  const T old = hip_on_cuda::cas(p, *expected, static_cast<T>(desired), scope);
  hip_on_cuda::after(order, scope);
  const bool same = memcmp(&old, expected, sizeof(T)) == 0;
  *expected = old;
  return same;
}
#define __hip_atomic_compare_exchange_weak __hip_atomic_compare_exchange_strong

// AMD's names for a floating-point add that may, or may not, use the hardware's instruction.
template <class T>
__device__ __forceinline__ T unsafeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }
template <class T>
__device__ __forceinline__ T safeAtomicAdd(T* p, T v) { return atomicAdd(p, v); }

#endif  // __CUDACC__

#endif
