// What cudaPointerGetAttributes says, in every version of HIP. Host code; needs the runtime's header.
#if !defined(PORTGPU_COMPAT_POINTER_H) && !defined(PG_COMPAT_NO_HIP)
#define PORTGPU_COMPAT_POINTER_H

namespace pg_compat {

// CUdeviceptr is an integer in CUDA, a `void*` in HIP. Whatever else has the name of one stays as it is.
template <class T>
PG_COMPAT_HOST T device_bytes(T p) {
  return p;
}
template <class T>
PG_COMPAT_HOST T device_address(T p) {
  return p;
}
PG_COMPAT_HOST unsigned char* device_bytes(hipDeviceptr_t p) {
  return static_cast<unsigned char*>(p);
}
PG_COMPAT_HOST unsigned long long device_address(hipDeviceptr_t p) {
  return reinterpret_cast<unsigned long long>(p);
}
// The source is const in CUDA.
PG_COMPAT_HOST hipError_t memcpy_htod(hipDeviceptr_t to, const void* from, size_t bytes) {
  return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
}
PG_COMPAT_HOST hipError_t memcpy_htod_async(hipDeviceptr_t to, const void* from, size_t bytes,
                                            hipStream_t stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream);
}

// Where a pointer points. HIP's structure calls the field `memoryType` before version 6, and HIP
// fails for host memory that it does not know, where CUDA says "unregistered" since version 11.
#if defined(PGCPU) || HIP_VERSION >= 60000000
static constexpr hipMemoryType memory_type_unregistered = hipMemoryTypeUnregistered;
static constexpr hipMemoryType memory_type_managed = hipMemoryTypeManaged;
#else
static constexpr hipMemoryType memory_type_unregistered = hipMemoryTypeArray;
static constexpr hipMemoryType memory_type_managed = hipMemoryTypeUnified;
#endif
struct pointer_attributes {
  hipMemoryType type;
  hipMemoryType memoryType;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};
namespace detail {
template <class A>
auto memory_type(const A& a, int) -> decltype(a.type) {
  return a.type;
}
template <class A>
auto memory_type(const A& a, long) -> decltype(a.memoryType) {
  return a.memoryType;
}
}  // namespace detail
PG_COMPAT_HOST hipError_t pointer_get_attributes(pointer_attributes* out, const void* p) {
  hipPointerAttribute_t found = {};
  const hipError_t status = hipPointerGetAttributes(&found, p);
  *out = pointer_attributes();
  out->device = -1;
  out->type = out->memoryType = memory_type_unregistered;
  if (status == hipErrorInvalidValue) {
    (void)hipGetLastError();
    return hipSuccess;
  }
  if (status != hipSuccess) return status;
  out->type = found.isManaged ? memory_type_managed : detail::memory_type(found, 0);
  out->memoryType = out->type;
  out->device = found.device;
  out->devicePointer = found.devicePointer;
  out->hostPointer = found.hostPointer;
  out->isManaged = found.isManaged;
  out->allocationFlags = found.allocationFlags;
  return status;
}

}  // namespace pg_compat
#endif
