// HIP's names on CUDA: host functions and types whose form differs. They come before the table's
// names, which leave out what is defined here.
#ifndef HIP_ON_CUDA_HOST_H
#define HIP_ON_CUDA_HOST_H

#include <cstdio>

// CUDA 13 dropped properties that HIP keeps; the architecture's name is HIP's own.
struct hipDeviceProp_t : cudaDeviceProp {
  char gcnArchName[256];
  int gcnArch;
#if CUDART_VERSION >= 13000
  int clockRate, memoryClockRate, computeMode, kernelExecTimeoutEnabled, cooperativeMultiDeviceLaunch;
#endif
};

inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t* out, int device) {
  *out = hipDeviceProp_t();
  const cudaError_t status = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(out), device);
  if (status != cudaSuccess) return status;
  snprintf(out->gcnArchName, sizeof(out->gcnArchName), "sm_%d%d", out->major, out->minor);
#if CUDART_VERSION >= 13000
  cudaDeviceGetAttribute(&out->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&out->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&out->computeMode, cudaDevAttrComputeMode, device);
  cudaDeviceGetAttribute(&out->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
#endif
  return cudaSuccess;
}

struct hipPointerAttribute_t {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};
inline cudaError_t hipPointerGetAttributes(hipPointerAttribute_t* out, const void* p) {
  cudaPointerAttributes found = {};
  const cudaError_t status = cudaPointerGetAttributes(&found, p);
  *out = {found.type, found.device, found.devicePointer, found.hostPointer,
          found.type == cudaMemoryTypeManaged, 0u};
  return status;
}

// Default arguments of HIP that CUDA's functions lack.
template <class T>
inline cudaError_t hipHostMalloc(T** p, size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(p), bytes, flags & 0x7u);
}
inline cudaError_t hipHostFree(void* p) { return cudaFreeHost(p); }
template <class T>
inline cudaError_t hipHostAlloc(T** p, size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(reinterpret_cast<void**>(p), bytes, flags & 0x7u);
}

// The older shapes that HIP keeps.
inline cudaError_t hipGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
inline cudaError_t hipGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
inline cudaError_t hipGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                      cudaGraphExecUpdateResult* result) {
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
  if (node) *node = info.errorNode;
  if (result) *result = info.result;
  return status;
#else
  return cudaGraphExecUpdate(exec, graph, node, result);
#endif
}

inline cudaError_t hipGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to, size_t count) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
#else
  return cudaGraphAddDependencies(graph, from, to, count);
#endif
}
inline cudaError_t hipGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                              const cudaGraphNode_t* to, size_t count) {
#if CUDART_VERSION >= 13000
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
#else
  return cudaGraphRemoveDependencies(graph, from, to, count);
#endif
}

#if CUDART_VERSION >= 13000
namespace hip_on_cuda {
inline cudaMemLocation location(int device) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}
}  // namespace hip_on_cuda
inline cudaError_t hipMemPrefetchAsync(const void* p, size_t bytes, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(p, bytes, hip_on_cuda::location(device), 0, stream);
}
inline cudaError_t hipMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(p, bytes, advice, hip_on_cuda::location(device));
}
#else
inline cudaError_t hipMemPrefetchAsync(const void* p, size_t bytes, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(p, bytes, device, stream);
}
inline cudaError_t hipMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(p, bytes, advice, device);
}
#endif

inline cudaError_t hipExtMallocWithFlags(void** p, size_t bytes, unsigned) { return cudaMalloc(p, bytes); }
inline cudaError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, stream);
  return status != cudaSuccess ? status : cudaStreamSynchronize(stream);
}

// The part of HIP's driver-like API that the runtime can serve.
using hipDevice_t = int;
using hipDeviceptr_t = void*;
inline cudaError_t hipInit(unsigned) { return cudaFree(nullptr); }
inline cudaError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  *device = ordinal;
  return cudaSuccess;
}
inline cudaError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  cudaDeviceProp p;
  const cudaError_t status = cudaGetDeviceProperties(&p, device);
  if (status == cudaSuccess) snprintf(name, static_cast<size_t>(length), "%s", p.name);
  return status;
}
inline cudaError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  cudaDeviceProp p;
  const cudaError_t status = cudaGetDeviceProperties(&p, device);
  if (status == cudaSuccess) *bytes = p.totalGlobalMem;
  return status;
}
inline cudaError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice); }
inline cudaError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost); }
inline cudaError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice); }
inline cudaError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, size_t bytes, cudaStream_t s) { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s); }
inline cudaError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, cudaStream_t s) { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s); }
inline cudaError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, cudaStream_t s) { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s); }
inline cudaError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) { return cudaMemset(to, value, count); }

// Names that HIP has beside its counterparts of CUDA.
#define HIP_SYMBOL(x) x
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipErrorInitializationError cudaErrorInitializationError
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorMapBufferObjectFailed cudaErrorMapBufferObjectFailed
#define hipErrorNoBinaryForGpu cudaErrorNoKernelImageForDevice
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipGetSymbolSize cudaGetSymbolSize
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#define hipHostMallocNonCoherent 0u
#define hipHostMallocCoherent 0u
#define hipHostMallocNumaUser 0u
#define hipHostMallocUncached 0u
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocPortable cudaHostAllocPortable
#define hipHostAllocMapped cudaHostAllocMapped
#define hipHostAllocWriteCombined cudaHostAllocWriteCombined
#define hipDeviceMallocDefault 0u
#define hipDeviceMallocFinegrained 0u
#define hipEventReleaseToDevice 0u
#define hipEventReleaseToSystem 0u
#define hipEventDisableSystemFence 0u
#define hipDeviceAttributeSharedMemPerMultiprocessor cudaDevAttrMaxSharedMemoryPerMultiprocessor
#define hipDeviceAttributePhysicalMultiProcessorCount cudaDevAttrMultiProcessorCount
#define hipFreeHost cudaFreeHost
#define hipMallocHost hipHostMalloc
#define hipMemAllocHost hipHostMalloc

#if defined(__CUDACC__)
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                     \
  do {                                                                                   \
    kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__);                        \
  } while (0)
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#endif

#endif
