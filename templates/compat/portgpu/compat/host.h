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

// cudaLaunchKernelEx and its configuration. Clusters and programmatic launches have no counterpart;
// of the attributes, only the cooperative one changes the launch.
enum launch_attribute_id {
  launch_attribute_ignore = 0,
  launch_attribute_access_policy_window = 1,
  launch_attribute_cooperative = 2,
  launch_attribute_synchronization_policy = 3,
  launch_attribute_cluster_dimension = 4,
  launch_attribute_cluster_scheduling_policy = 5,
  launch_attribute_programmatic_stream_serialization = 6,
  launch_attribute_programmatic_event = 7,
  launch_attribute_priority = 8
};
union launch_attribute_value {
  char pad[64];
  int cooperative;
  int priority;
  int programmaticStreamSerializationAllowed;
  int clusterSchedulingPolicyPreference;
  struct {
    unsigned x, y, z;
  } clusterDim;
};
struct launch_attribute {
  launch_attribute_id id;
  launch_attribute_value val;
};
struct launch_config {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  launch_attribute* attrs;
  unsigned numAttrs;
};
PG_COMPAT_HOST hipError_t launch_kernel_ex_c(const launch_config* config, const void* kernel,
                                             void** arguments) {
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == launch_attribute_cooperative && config->attrs[i].val.cooperative)
      return hipLaunchCooperativeKernel(kernel, config->gridDim, config->blockDim, arguments,
                                        static_cast<unsigned>(config->dynamicSmemBytes),
                                        config->stream);
  return hipLaunchKernel(kernel, config->gridDim, config->blockDim, arguments,
                         config->dynamicSmemBytes, config->stream);
}
namespace detail {
template <class T>
struct same {
  using type = T;
};
}  // namespace detail
template <class... P>
PG_COMPAT_HOST hipError_t launch_kernel_ex(const launch_config* config, void (*kernel)(P...),
                                           typename detail::same<P>::type... arguments) {
  void* pointers[sizeof...(P) + 1] = {
      const_cast<void*>(static_cast<const void*>(&arguments))...};
  return launch_kernel_ex_c(config, reinterpret_cast<const void*>(kernel), pointers);
}

}  // namespace pg_compat
#endif
