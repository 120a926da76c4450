// HIP's host API on the CPU target.
#pragma once
#include "../../pgcpu.h"
#include "../../pgcpu/texture.h"
#include "hip_version.h"

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
// Guards of the real headers, which programs ask for.
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#ifndef HIP_PUBLIC_API
#define HIP_PUBLIC_API
#endif

#define PGCPU_API(name) hip##name
#define PGCPU_API_TEXT "hip"
#define PGCPU_PROP hipDeviceProp_t
#define PGCPU_DEVICE_WARP i.warp_size
#define PGCPU_VERSION_NUMBER HIP_VERSION
#define PGCPU_ERRORS_EXTRA                                                            \
  hipErrorOutOfMemory = 2, hipErrorInvalidHandle = 400, hipErrorInvalidContext = 201, \
  hipErrorNotFound = 500, hipErrorRuntimeOther = 1053, hipErrorRuntimeMemory = 1052,
#define PGCPU_POINTER_ATTRIBUTES               \
  struct hipPointerAttribute_t {               \
    hipMemoryType type;                        \
    int device;                                \
    void *devicePointer, *hostPointer;         \
    int isManaged;                             \
    unsigned allocationFlags;                  \
  };
#define PGCPU_DEVICE_ATTRIBUTE_API
#define PGCPU_PREFETCH_API

typedef struct __hip_texture* hipTextureObject_t;
typedef struct __hip_surface* hipSurfaceObject_t;
#include "../../pgcpu/runtime_api.inc"

typedef void* hipDeviceptr_t;
typedef enum hipLimit hipLimit_t;
typedef enum hipFuncCache hipFuncCache_t;

#define PGCPU_ATTRIBUTE_ENUM(name, number, value) hipDeviceAttribute##name = number,
typedef enum hipDeviceAttribute_t {
  PGCPU_DEVICE_ATTRIBUTES(PGCPU_ATTRIBUTE_ENUM)
  hipDeviceAttributeSharedMemPerBlockOptin = hipDeviceAttributeMaxSharedMemoryPerBlockOptin,
  hipDeviceAttributeMemoryBusWidth = 37,
  hipDeviceAttributeComputeMode = 20,
  hipDeviceAttributeVendorSpecificBegin = 20000,
} hipDeviceAttribute_t;
#undef PGCPU_ATTRIBUTE_ENUM
PGCPU_RESULT hipDeviceGetAttribute(int* v, hipDeviceAttribute_t a, int d) {
  if (!v) return PGCPU_INVALID;
  hipDeviceProp_t p;
  if (hipError_t bad = hipGetDeviceProperties(&p, d)) return bad;
  switch (int(a)) {
#define PGCPU_ATTRIBUTE_CASE(name, number, value) \
  case number: *v = value; return hipSuccess;
    PGCPU_DEVICE_ATTRIBUTES(PGCPU_ATTRIBUTE_CASE)
#undef PGCPU_ATTRIBUTE_CASE
    case 20: *v = 0; return hipSuccess;
    case 37: *v = p.memoryBusWidth; return hipSuccess;
  }
  return PGCPU_INVALID;
}
PGCPU_RESULT hipPointerGetAttributes(hipPointerAttribute_t* a, const void* p) {
  if (!a) return PGCPU_INVALID;
  *a = {};
  const bool device = ::pgcpu::host::allocation_size(p) != 0;
  if (!device && !::pgcpu::host::is_registered(p)) return PGCPU_INVALID;
  a->type = device ? hipMemoryTypeManaged : hipMemoryTypeHost;
  a->hostPointer = a->devicePointer = const_cast<void*>(p);
  a->isManaged = device;
  return hipSuccess;
}
PGCPU_RESULT hipMemPrefetchAsync(const void*, size_t, int, hipStream_t = nullptr) { return hipSuccess; }
PGCPU_RESULT hipMemAdvise(const void*, size_t, hipMemoryAdvise, int) { return hipSuccess; }
PGCPU_RESULT hipStreamAttachMemAsync(hipStream_t, void*, size_t = 0, unsigned = 4) { return hipSuccess; }

enum hipMemLocationType { hipMemLocationTypeInvalid = 0, hipMemLocationTypeDevice = 1, hipMemLocationTypeHost = 2 };
struct hipMemLocation {
  hipMemLocationType type;
  int id;
};
PGCPU_RESULT hipInit(unsigned) { return hipSuccess; }
constexpr unsigned hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2,
                   hipHostMallocWriteCombined = 4, hipHostMallocNumaUser = 0x20000000,
                   hipHostMallocCoherent = 0x40000000, hipHostMallocNonCoherent = 0x80000000;
constexpr unsigned hipDeviceMallocDefault = 0, hipDeviceMallocFinegrained = 1;
template <class T>
PGCPU_RESULT hipHostMalloc(T** p, size_t n, unsigned = 0) { return hipMallocManaged(p, n); }
template <class T>
PGCPU_RESULT hipExtMallocWithFlags(T** p, size_t n, unsigned) { return hipMallocManaged(p, n); }
PGCPU_RESULT hipHostFree(void* p) { return hipFree(p); }
PGCPU_RESULT hipMemPtrGetInfo(void* p, size_t* n) {
  if (!n) return PGCPU_INVALID;
  *n = ::pgcpu::host::allocation_size(p);
  return *n ? hipSuccess : PGCPU_INVALID;
}
PGCPU_RESULT hipMemcpyWithStream(void* d, const void* s, size_t n, hipMemcpyKind kind, hipStream_t st) {
  return hipMemcpyAsync(d, s, n, kind, st);
}
PGCPU_RESULT hipMemcpyHtoD(hipDeviceptr_t d, const void* s, size_t n) {
  return hipMemcpy(d, s, n, hipMemcpyHostToDevice);
}
PGCPU_RESULT hipMemcpyDtoH(void* d, hipDeviceptr_t s, size_t n) {
  return hipMemcpy(d, s, n, hipMemcpyDeviceToHost);
}
PGCPU_RESULT hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n) {
  return hipMemcpy(d, s, n, hipMemcpyDeviceToDevice);
}
PGCPU_RESULT hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n) { return hipMemset(d, v, n); }
PGCPU_RESULT hipMemsetD32(hipDeviceptr_t d, int v, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (hipError_t bad = hipMemcpy(static_cast<int*>(d) + i, &v, sizeof v, hipMemcpyHostToDevice))
      return bad;
  return hipSuccess;
}
static const hipStream_t hipStreamLegacy = reinterpret_cast<hipStream_t>(1);
static const hipStream_t hipStreamPerThread = reinterpret_cast<hipStream_t>(2);

#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(T, name) PGCPU_DYN_SHARED(T, name)
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define hipLaunchKernelGGL(K, GRID, BLOCK, SHARED, STREAM, ...) \
  (void)PGCPU_LAUNCH((K), GRID, BLOCK, SHARED, STREAM)(__VA_ARGS__)
#define hipLaunchKernel(F, ...) hipLaunchKernel(PGCPU_UNCAST(F), __VA_ARGS__)
#define hipLaunchCooperativeKernel(F, ...) hipLaunchCooperativeKernel(PGCPU_UNCAST(F), __VA_ARGS__)

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
