// For host code that is not compiled as HIP: CUDA's device properties.
#ifndef PORTGPU_SHADOW_HOST_ONLY_H
#define PORTGPU_SHADOW_HOST_ONLY_H

#include <cstddef>

static constexpr int pg_warpSize = 32;
#define PG_COMPAT_HOST static inline __attribute__((unused))
namespace pg_compat {
template <class T>
PG_COMPAT_HOST void** address(T** p) {
  return reinterpret_cast<void**>(p);
}
template <class F>
PG_COMPAT_HOST const void* function(F* f) {
  return reinterpret_cast<const void*>(f);
}
}  // namespace pg_compat
namespace pg_compat {
PG_COMPAT_HOST hipError_t device_get_attribute(int* value, hipDeviceAttribute_t attribute,
                                               int device) {
  const hipError_t status = hipDeviceGetAttribute(value, attribute, device);
  if (status == hipSuccess && attribute == hipDeviceAttributeWarpSize) *value = 32;
  return status;
}
}  // namespace pg_compat
#include "portgpu/compat/pointer.h"
#include "portgpu/shadow/host.h"
#define warpSize pg_warpSize

#endif
