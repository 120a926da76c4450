// Host calls whose CUDA shape HIP does not take in every version.
#if !defined(PORTGPU_COMPAT_HOST_H) && !defined(PG_COMPAT_NO_HIP)
#define PORTGPU_COMPAT_HOST_H

namespace pg_compat {

// The warp that translated code sees; `physical` is what the device says.
PG_COMPAT_BOTH int logical_warp(int) { return warp_size; }

// How much of the L1 cache is to be shared memory, in percent: hints that AMD takes and ignores.
constexpr int carveout_default = -1;
constexpr int carveout_max_shared = 100;
constexpr int carveout_max_l1 = 0;

// Whether memory can be mapped page by page: HIP before 5.3 does not know the question, and cannot.
#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA) && HIP_VERSION >= 50300000
static constexpr hipDeviceAttribute_t attribute_vmm =
    hipDeviceAttributeVirtualMemoryManagementSupported;
#else
static constexpr hipDeviceAttribute_t attribute_vmm = static_cast<hipDeviceAttribute_t>(32000);
#endif
PG_COMPAT_HOST hipError_t device_get_attribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (attribute == static_cast<hipDeviceAttribute_t>(32000)) {
    *value = 0;
    return hipSuccess;
  }
  const hipError_t status = hipDeviceGetAttribute(value, attribute, device);
  if (status == hipSuccess && attribute == hipDeviceAttributeWarpSize) *value = warp_size;
  return status;
}

// HIP before 5.6 does not know this flag, and says so when it is used.
#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA) && !defined(hipHostRegisterReadOnly)
#define hipHostRegisterReadOnly 0x8
#endif

// Recording for a graph's outside (flag 1) needs a newer HIP, whose function of that name this is not.
PG_COMPAT_HOST hipError_t event_record_with_flags(hipEvent_t event, hipStream_t stream = nullptr,
                                                  unsigned flags = 0) {
#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA) && HIP_VERSION >= 70100000
  return hipEventRecordWithFlags(event, stream, flags);
#else
  return flags == 0 ? hipEventRecord(event, stream) : hipErrorNotSupported;
#endif
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
// Unified memory: the forms of CUDA 12 and of CUDA 13, which names a place instead of a device.
PG_COMPAT_HOST hipError_t mem_prefetch_async(const void* p, size_t bytes, int device,
                                             hipStream_t stream = nullptr) {
  return hipMemPrefetchAsync(p, bytes, device, stream);
}
PG_COMPAT_HOST hipError_t mem_advise(const void* p, size_t bytes, hipMemoryAdvise advice,
                                     int device) {
  return hipMemAdvise(p, bytes, advice, device);
}
// Places that HIP names from 7.1 on; before, what is no device is the host.
static const hipMemLocationType mem_location_type_host = static_cast<hipMemLocationType>(2);
static const hipMemLocationType mem_location_type_host_numa = static_cast<hipMemLocationType>(3);
static const hipMemLocationType mem_location_type_host_numa_current =
    static_cast<hipMemLocationType>(4);
PG_COMPAT_HOST int device_of(hipMemLocation place) {
  return place.type == hipMemLocationTypeDevice ? place.id : hipCpuDeviceId;
}
PG_COMPAT_HOST hipError_t mem_prefetch_async(const void* p, size_t bytes, hipMemLocation place,
                                             unsigned, hipStream_t stream = nullptr) {
  return hipMemPrefetchAsync(p, bytes, device_of(place), stream);
}
PG_COMPAT_HOST hipError_t mem_advise(const void* p, size_t bytes, hipMemoryAdvise advice,
                                     hipMemLocation place) {
  return hipMemAdvise(p, bytes, advice, device_of(place));
}

PG_COMPAT_HOST hipError_t device_set_limit(hipLimit_t limit, size_t value) {
#if HIP_VERSION >= 50300000 || defined(PGCPU)
  return hipDeviceSetLimit(limit, value);
#else
  size_t now = 0;  // older versions cannot change a limit, but may have enough
  const hipError_t status = hipDeviceGetLimit(&now, limit);
  return status != hipSuccess ? status : now >= value ? hipSuccess : hipErrorNotSupported;
#endif
}

// Shared memory that is left for each of `blocks` blocks of a multiprocessor.
template <class F>
PG_COMPAT_HOST hipError_t occupancy_available_shared(size_t* bytes, F kernel, int blocks,
                                                     int threads) {
  int device = 0, unit = 0, block = 0, resident = 0;
  hipFuncAttributes attributes;
  hipError_t status = hipGetDevice(&device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(
        &unit, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&block, hipDeviceAttributeMaxSharedMemoryPerBlock, device);
  if (status == hipSuccess)
    status = hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (status == hipSuccess)
    status = hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0);
  if (status != hipSuccess) return status;
  if (!bytes || blocks < 1 || resident < blocks) return hipErrorInvalidValue;
  size_t each = static_cast<size_t>(unit) / static_cast<size_t>(blocks);
  if (each > static_cast<size_t>(block)) each = static_cast<size_t>(block);
  *bytes = each > attributes.sharedSizeBytes ? each - attributes.sharedSizeBytes : 0;
  return hipSuccess;
}

#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA)
// A context: the forms of CUDA 12 and of CUDA 13, whose parameters have no counterpart.
struct ctx_create_params {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
};
// HIP keeps contexts for such ports alone and says so at every use.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
PG_COMPAT_HOST hipError_t ctx_create(hipCtx_t* context, unsigned flags, hipDevice_t device) {
  return hipCtxCreate(context, flags, device);
}
PG_COMPAT_HOST hipError_t ctx_create(hipCtx_t* context, const ctx_create_params*, unsigned flags,
                                     hipDevice_t device) {
  return hipCtxCreate(context, flags, device);
}
#pragma GCC diagnostic pop
#endif

// The driver's error texts; HIP's driver and runtime share their codes.
PG_COMPAT_HOST hipError_t drv_get_error_string(hipError_t error, const char** text) {
  *text = hipGetErrorString(error);
  return hipSuccess;
}
PG_COMPAT_HOST hipError_t drv_get_error_name(hipError_t error, const char** text) {
  *text = hipGetErrorName(error);
  return hipSuccess;
}

// Graphs: the forms of CUDA 11, 12 and 13 over HIP's, which is CUDA 11's.
PG_COMPAT_HOST hipError_t graph_instantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                            unsigned long long flags = 0) {
  return hipGraphInstantiateWithFlags(exec, graph, flags);
}
PG_COMPAT_HOST hipError_t graph_instantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                            hipGraphNode_t* node, char* log, size_t bytes) {
  return hipGraphInstantiate(exec, graph, node, log, bytes);
}
struct graph_update_info {
  hipGraphExecUpdateResult result;
  hipGraphNode_t errorNode;
  hipGraphNode_t errorFromNode;
};
PG_COMPAT_HOST hipError_t graph_exec_update(hipGraphExec_t exec, hipGraph_t graph,
                                            graph_update_info* info) {
  info->errorNode = info->errorFromNode = nullptr;
  return hipGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}
PG_COMPAT_HOST hipError_t graph_exec_update(hipGraphExec_t exec, hipGraph_t graph,
                                            hipGraphNode_t* node,
                                            hipGraphExecUpdateResult* result) {
  return hipGraphExecUpdate(exec, graph, node, result);
}
PG_COMPAT_HOST hipError_t graph_add_dependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                 const hipGraphNode_t* to, size_t count) {
  return hipGraphAddDependencies(graph, from, to, count);
}
template <class Edge>
PG_COMPAT_HOST hipError_t graph_add_dependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                 const hipGraphNode_t* to, Edge, size_t count) {
  return hipGraphAddDependencies(graph, from, to, count);
}
PG_COMPAT_HOST hipError_t graph_remove_dependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                    const hipGraphNode_t* to, size_t count) {
  return hipGraphRemoveDependencies(graph, from, to, count);
}
template <class Edge>
PG_COMPAT_HOST hipError_t graph_remove_dependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                    const hipGraphNode_t* to, Edge, size_t count) {
  return hipGraphRemoveDependencies(graph, from, to, count);
}

// The block size of most resident threads when shared memory depends on it; HIP has this from 5.5
// on. As CUDA does: every multiple of a warp is asked, the largest first.
template <class F, class Bytes>
PG_COMPAT_HOST hipError_t occupancy_max_block_size(int* grid, int* block, F kernel, Bytes bytes,
                                                   int limit = 0, unsigned = 0) {
  if (!grid || !block) return hipErrorInvalidValue;
  int device = 0, units = 0, threads = 0, lanes = 0;
  hipFuncAttributes attributes;
  hipError_t status = hipGetDevice(&device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&threads, hipDeviceAttributeMaxThreadsPerMultiProcessor, device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, device);
  if (status == hipSuccess)
    status = hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (status != hipSuccess) return status;
  const int most =
      limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  int best = 0;
  *grid = *block = 0;
  for (int size = (most + lanes - 1) / lanes * lanes; size > 0 && best < threads; size -= lanes) {
    const int asked = size < most ? size : most;
    int blocks = 0;
    status = hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, asked,
                                                          static_cast<size_t>(bytes(asked)));
    if (status != hipSuccess) return status;
    if (blocks * asked > best) {
      best = blocks * asked;
      *block = asked;
      *grid = blocks * units;
    }
  }
  return hipSuccess;
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
#if defined(PGCPU)
  return static_cast<hipError_t>(PGCPU_LAUNCH((kernel), config->gridDim, config->blockDim,
                                              config->dynamicSmemBytes, config->stream)(arguments...));
#else
  void* pointers[sizeof...(P) + 1] = {
      const_cast<void*>(static_cast<const void*>(&arguments))...};
  return launch_kernel_ex_c(config, reinterpret_cast<const void*>(kernel), pointers);
#endif
}

}  // namespace pg_compat
#endif
