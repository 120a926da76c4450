// Host calls whose CUDA shape HIP does not take in every version.
#ifndef PORTGPU_COMPAT_HOST_H
#define PORTGPU_COMPAT_HOST_H

namespace pg_compat {

// The warp that translated code sees; `physical` is what the device says.
PG_COMPAT_BOTH int logical_warp(int) { return warp_size; }

PG_COMPAT_HOST hipError_t device_get_attribute(int* value, hipDeviceAttribute_t attribute, int device) {
  const hipError_t status = hipDeviceGetAttribute(value, attribute, device);
  if (status == hipSuccess && attribute == hipDeviceAttributeWarpSize) *value = warp_size;
  return status;
}

// CUDA takes a pointer to any type where HIP wants void**.
template <class T>
PG_COMPAT_HOST void** address(T** p) {
  return reinterpret_cast<void**>(p);
}
PG_COMPAT_HOST void** address(void** p) { return p; }

// A kernel's address as the const void* that HIP wants.
template <class F>
PG_COMPAT_HOST const void* function(F* f) {
  return reinterpret_cast<const void*>(f);
}

}  // namespace pg_compat
#endif
