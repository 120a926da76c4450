// CUDA's host API on the CPU target.
#pragma once
#include "../pgcpu.h"
#include "../pgcpu/texture.h"

// Guards of the real headers, which programs ask for.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#ifndef CUDARTAPI
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#endif

#define PGCPU_API(name) cuda##name
#define PGCPU_API_TEXT "cuda"
#define PGCPU_PROP cudaDeviceProp
#define PGCPU_DEVICE_WARP 32  // CUDA's warp has 32 lanes, whatever the physical one has
#define PGCPU_VERSION_NUMBER 13000
#define PGCPU_ERRORS_EXTRA
#define PGCPU_POINTER_ATTRIBUTES                  \
  struct cudaPointerAttributes {                  \
    cudaMemoryType type;                          \
    int device;                                   \
    void *devicePointer, *hostPointer;            \
  };
#define PGCPU_DEVICE_ATTRIBUTE_API
#define PGCPU_PREFETCH_API

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
#include "../pgcpu/runtime_api.inc"

#define PGCPU_ATTRIBUTE_ENUM(name, number, value) cudaDevAttr##name = number,
enum cudaDeviceAttr {
  PGCPU_DEVICE_ATTRIBUTES(PGCPU_ATTRIBUTE_ENUM)
  cudaDevAttrMultiProcessorCount = cudaDevAttrMultiprocessorCount,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrEccEnabled = 32,
};
#undef PGCPU_ATTRIBUTE_ENUM
PGCPU_RESULT cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int d) {
  if (!v) return PGCPU_INVALID;
  cudaDeviceProp p;
  if (cudaError_t bad = cudaGetDeviceProperties(&p, d)) return bad;
  switch (int(a)) {
#define PGCPU_ATTRIBUTE_CASE(name, number, value) \
  case number: *v = value; return cudaSuccess;
    PGCPU_DEVICE_ATTRIBUTES(PGCPU_ATTRIBUTE_CASE)
#undef PGCPU_ATTRIBUTE_CASE
    case 20: *v = 0; return cudaSuccess;
    case 32: *v = 0; return cudaSuccess;
    case 37: *v = p.memoryBusWidth; return cudaSuccess;
  }
  return PGCPU_INVALID;
}
PGCPU_RESULT cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  if (!a) return PGCPU_INVALID;
  *a = {};
  const bool device = ::pgcpu::host::allocation_size(p) != 0;
  a->type = device ? cudaMemoryTypeManaged
                   : ::pgcpu::host::is_registered(p) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  a->hostPointer = const_cast<void*>(p);
  a->devicePointer = device || a->type == cudaMemoryTypeHost ? const_cast<void*>(p) : nullptr;
  return cudaSuccess;
}
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
PGCPU_RESULT cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }
PGCPU_RESULT cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) {
  return cudaSuccess;
}
PGCPU_RESULT cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
PGCPU_RESULT cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
PGCPU_RESULT cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned = 4) { return cudaSuccess; }
PGCPU_RESULT cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
PGCPU_RESULT cudaThreadExit() { return cudaDeviceReset(); }
PGCPU_RESULT cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
PGCPU_RESULT cudaThreadSetLimit(cudaLimit l, size_t n) { return cudaDeviceSetLimit(l, n); }
static const cudaStream_t cudaStreamLegacy = reinterpret_cast<cudaStream_t>(1);
static const cudaStream_t cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);

#define cudaLaunchKernel(F, ...) cudaLaunchKernel(PGCPU_UNCAST(F), __VA_ARGS__)
#define cudaLaunchCooperativeKernel(F, ...) cudaLaunchCooperativeKernel(PGCPU_UNCAST(F), __VA_ARGS__)

#undef PGCPU_API
#undef PGCPU_API_TEXT
#undef PGCPU_PROP
#undef PGCPU_DEVICE_WARP
#undef PGCPU_VERSION_NUMBER
#undef PGCPU_ERRORS_EXTRA
#undef PGCPU_POINTER_ATTRIBUTES
#undef PGCPU_DEVICE_ATTRIBUTE_API
#undef PGCPU_PREFETCH_API
#undef PGCPU_ERRORS
#undef PGCPU_DEVICE_ATTRIBUTES
#undef PGCPU_KIND_OK
#undef PGCPU_BAD_KIND
#undef PGCPU_RESULT
#undef PGCPU_STATUS
#undef PGCPU_INVALID
#undef PGCPU_UNSUPPORTED
