// Host calls that CUDA overloads more widely than HIP, and the device's properties as CUDA has them.
#ifndef PORTGPU_SHADOW_HOST_H
#define PORTGPU_SHADOW_HOST_H

#include "portgpu/shadow/properties.h"

// `struct cudaDeviceProp` is this type: HIP's fields, and what CUDA has besides in some version.
// `warpSize` reads 32; it is a macro for `pg_warpSize`.
struct pg_cudaDeviceProp : hipDeviceProp_t {
  int pg_warpSize;
  PG_SHADOW_FIELDS
};

// Flags that newer versions of HIP have.
#ifndef hipEventWaitDefault
#define hipEventWaitDefault 0
#endif
#ifndef hipEventWaitExternal
#define hipEventWaitExternal 1
#endif
#ifndef hipEventRecordDefault
#define hipEventRecordDefault 0
#endif
#ifndef hipEventRecordExternal
#define hipEventRecordExternal 1
#endif

namespace pg_shadow {

PG_COMPAT_HOST hipError_t get_device_properties(pg_cudaDeviceProp* prop, int device) {
  *prop = pg_cudaDeviceProp();
  const hipError_t status = hipGetDeviceProperties(static_cast<hipDeviceProp_t*>(prop), device);
  if (status != hipSuccess) return status;
  prop->pg_warpSize = 32;
  const hipDeviceProp_t& known = *prop;
  PG_SHADOW_SET_FIELDS(prop, known)
  return status;
}

PG_COMPAT_HOST hipError_t stream_wait_event(hipStream_t stream, hipEvent_t event,
                                            unsigned flags = 0) {
  return hipStreamWaitEvent(stream, event, flags);
}
PG_COMPAT_HOST hipError_t event_create(hipEvent_t* event, unsigned flags = 0) {
  return hipEventCreateWithFlags(event, flags);
}

PG_COMPAT_HOST hipError_t malloc_3d_array(hipArray_t* array, const hipChannelFormatDesc* format,
                                          hipExtent extent, unsigned flags = 0) {
  return hipMalloc3DArray(array, format, extent, flags);
}

// CUDA takes the kernel itself, HIP its address as const void*.
template <class F>
PG_COMPAT_HOST hipError_t func_set_attribute(F* function, hipFuncAttribute which, int value) {
  return hipFuncSetAttribute(pg_compat::function(function), which, value);
}
template <class F>
PG_COMPAT_HOST hipError_t func_set_cache_config(F* function, hipFuncCache_t config) {
  return hipFuncSetCacheConfig(pg_compat::function(function), config);
}
template <class F>
PG_COMPAT_HOST hipError_t func_set_shared_mem_config(F* function, hipSharedMemConfig config) {
  return hipFuncSetSharedMemConfig(pg_compat::function(function), config);
}
template <class F>
PG_COMPAT_HOST hipError_t func_get_attributes(hipFuncAttributes* attributes, F* function) {
  return hipFuncGetAttributes(attributes, pg_compat::function(function));
}
template <class F>
PG_COMPAT_HOST hipError_t launch_kernel(F* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, hipStream_t stream = nullptr) {
  return hipLaunchKernel(pg_compat::function(function), grid, block, arguments, shared, stream);
}
template <class F>
PG_COMPAT_HOST hipError_t launch_cooperative_kernel(F* function, dim3 grid, dim3 block,
                                                    void** arguments, size_t shared = 0,
                                                    hipStream_t stream = nullptr) {
  return hipLaunchCooperativeKernel(pg_compat::function(function), grid, block, arguments,
                                    static_cast<unsigned>(shared), stream);
}

// CUDA takes a pointer to any type, HIP void** in some version.
template <class T>
PG_COMPAT_HOST hipError_t host_alloc(T** p, size_t bytes, unsigned flags) {
  return hipHostMalloc(pg_compat::address(p), bytes, flags);
}
template <class T>
PG_COMPAT_HOST hipError_t malloc_host(T** p, size_t bytes, unsigned flags = 0) {
  return hipHostMalloc(pg_compat::address(p), bytes, flags);
}
template <class T>
PG_COMPAT_HOST hipError_t malloc_async(T** p, size_t bytes, hipStream_t stream) {
  return hipMallocAsync(pg_compat::address(p), bytes, stream);
}
template <class T>
PG_COMPAT_HOST hipError_t malloc_pitch(T** p, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch(pg_compat::address(p), pitch, width, height);
}
template <class T>
PG_COMPAT_HOST hipError_t host_get_device_pointer(T** p, void* host, unsigned flags) {
  return hipHostGetDevicePointer(pg_compat::address(p), host, flags);
}

// A symbol itself, or its address as const void*.
#if defined(PGCPU)  // which takes the symbol too
template <class T>
PG_COMPAT_HOST const T& symbol(const T& s) {
  return s;
}
#else
template <class T>
PG_COMPAT_HOST const void* symbol(const T& s) {
  return reinterpret_cast<const void*>(&s);
}
PG_COMPAT_HOST const void* symbol(const void* s) { return s; }
PG_COMPAT_HOST const void* symbol(void* s) { return s; }
#endif

template <class S>
PG_COMPAT_HOST hipError_t memcpy_to_symbol(const S& s, const void* from, size_t bytes,
                                           size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol(symbol(s), from, bytes, offset, kind);
}
template <class S>
PG_COMPAT_HOST hipError_t memcpy_to_symbol_async(const S& s, const void* from, size_t bytes,
                                                 size_t offset = 0,
                                                 hipMemcpyKind kind = hipMemcpyHostToDevice,
                                                 hipStream_t stream = nullptr) {
  return hipMemcpyToSymbolAsync(symbol(s), from, bytes, offset, kind, stream);
}
template <class S>
PG_COMPAT_HOST hipError_t memcpy_from_symbol(void* to, const S& s, size_t bytes, size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, symbol(s), bytes, offset, kind);
}
template <class S>
PG_COMPAT_HOST hipError_t memcpy_from_symbol_async(void* to, const S& s, size_t bytes,
                                                   size_t offset = 0,
                                                   hipMemcpyKind kind = hipMemcpyDeviceToHost,
                                                   hipStream_t stream = nullptr) {
  return hipMemcpyFromSymbolAsync(to, symbol(s), bytes, offset, kind, stream);
}
template <class T, class S>
PG_COMPAT_HOST hipError_t get_symbol_address(T** p, const S& s) {
  return hipGetSymbolAddress(pg_compat::address(p), symbol(s));
}
template <class S>
PG_COMPAT_HOST hipError_t get_symbol_size(size_t* bytes, const S& s) {
  return hipGetSymbolSize(bytes, symbol(s));
}

}  // namespace pg_shadow

// Sources with an AMD branch of their own name HIP's structure, and read `warpSize` of it too.
#undef hipDeviceProp_t
#define hipDeviceProp_t pg_cudaDeviceProp
#undef hipGetDeviceProperties
#define hipGetDeviceProperties pg_shadow::get_device_properties
#endif
