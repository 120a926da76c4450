// Fields of cudaDeviceProp that hipDeviceProp_t has from version 6 on, or never: read so, they are
// HIP's own where it has them, and otherwise what holds for AMD's devices (0 where nothing is known).
#if !defined(PORTGPU_COMPAT_DEVICE_PROP_H) && !defined(PG_COMPAT_NO_HIP)
#define PORTGPU_COMPAT_DEVICE_PROP_H

// The second overload is for structures without the field.
#define PG_COMPAT_FIELD(TYPE, NAME, OTHERWISE)                                   \
  namespace detail {                                                             \
  template <class P>                                                             \
  inline auto NAME(const P& p, int) -> decltype((p.NAME)) {                      \
    return p.NAME;                                                               \
  }                                                                              \
  template <class P>                                                             \
  inline TYPE NAME(const P& p, long) {                                           \
    (void)p;                                                                     \
    return OTHERWISE;                                                            \
  }                                                                              \
  }                                                                              \
  template <class P>                                                             \
  inline auto NAME(const P& p) -> decltype(detail::NAME(p, 0)) {                 \
    return detail::NAME(p, 0);                                                   \
  }
#define PG_COMPAT_FIELDS(NAME, COUNT)                                            \
  namespace detail {                                                             \
  struct NAME##_t {                                                              \
    int sizes[COUNT];                                                            \
    int operator[](int i) const { return sizes[i]; }                             \
  };                                                                             \
  }                                                                              \
  PG_COMPAT_FIELD(detail::NAME##_t, NAME, detail::NAME##_t())

namespace pg_compat {
namespace prop {

PG_COMPAT_FIELD(unsigned, luidDeviceNodeMask, 0)
PG_COMPAT_FIELD(int, maxTexture1DMipmap, 0)
PG_COMPAT_FIELDS(maxTexture2DMipmap, 2)
PG_COMPAT_FIELDS(maxTexture2DLinear, 3)
PG_COMPAT_FIELDS(maxTexture2DGather, 2)
PG_COMPAT_FIELDS(maxTexture3DAlt, 3)
PG_COMPAT_FIELD(int, maxTextureCubemap, 0)
PG_COMPAT_FIELDS(maxTexture1DLayered, 2)
PG_COMPAT_FIELDS(maxTexture2DLayered, 3)
PG_COMPAT_FIELDS(maxTextureCubemapLayered, 2)
PG_COMPAT_FIELD(int, maxSurface1D, 0)
PG_COMPAT_FIELDS(maxSurface2D, 2)
PG_COMPAT_FIELDS(maxSurface3D, 3)
PG_COMPAT_FIELDS(maxSurface1DLayered, 2)
PG_COMPAT_FIELDS(maxSurface2DLayered, 3)
PG_COMPAT_FIELD(int, maxSurfaceCubemap, 0)
PG_COMPAT_FIELDS(maxSurfaceCubemapLayered, 2)
PG_COMPAT_FIELD(size_t, surfaceAlignment, 0)
PG_COMPAT_FIELD(int, asyncEngineCount, 1)
PG_COMPAT_FIELD(int, deviceOverlap, 1)
PG_COMPAT_FIELD(int, unifiedAddressing, 1)
PG_COMPAT_FIELD(int, persistingL2CacheMaxSize, 0)
PG_COMPAT_FIELD(int, streamPrioritiesSupported, 1)
PG_COMPAT_FIELD(int, globalL1CacheSupported, 1)
PG_COMPAT_FIELD(int, localL1CacheSupported, 1)
PG_COMPAT_FIELD(size_t, sharedMemPerMultiprocessor, p.maxSharedMemoryPerMultiProcessor)
PG_COMPAT_FIELD(int, regsPerMultiprocessor, p.regsPerBlock)
PG_COMPAT_FIELD(int, multiGpuBoardGroupID, 0)
PG_COMPAT_FIELD(int, hostNativeAtomicSupported, 0)
PG_COMPAT_FIELD(int, computePreemptionSupported, 0)
PG_COMPAT_FIELD(int, canUseHostPointerForRegisteredMem, 0)
PG_COMPAT_FIELD(size_t, sharedMemPerBlockOptin, p.sharedMemPerBlock)
PG_COMPAT_FIELD(int, maxBlocksPerMultiProcessor, p.maxThreadsPerMultiProcessor / 64)
PG_COMPAT_FIELD(int, accessPolicyMaxWindowSize, 0)
PG_COMPAT_FIELD(size_t, reservedSharedMemPerBlock, 0)
PG_COMPAT_FIELD(int, hostRegisterSupported, 1)
PG_COMPAT_FIELD(int, sparseCudaArraySupported, 0)
PG_COMPAT_FIELD(int, hostRegisterReadOnlySupported, 0)
PG_COMPAT_FIELD(int, timelineSemaphoreInteropSupported, 0)
PG_COMPAT_FIELD(int, memoryPoolsSupported, 0)
PG_COMPAT_FIELD(int, gpuDirectRDMASupported, 0)
PG_COMPAT_FIELD(unsigned, gpuDirectRDMAFlushWritesOptions, 0)
PG_COMPAT_FIELD(int, gpuDirectRDMAWritesOrdering, 0)
PG_COMPAT_FIELD(unsigned, memoryPoolSupportedHandleTypes, 0)
PG_COMPAT_FIELD(int, deferredMappingCudaArraySupported, 0)
PG_COMPAT_FIELD(int, ipcEventSupported, 1)
PG_COMPAT_FIELD(int, clusterLaunch, 0)
PG_COMPAT_FIELD(int, unifiedFunctionPointers, 0)
PG_COMPAT_FIELD(int, singleToDoublePrecisionPerfRatio, 2)
PG_COMPAT_FIELD(int, deviceNumaConfig, 0)
PG_COMPAT_FIELD(int, deviceNumaId, -1)
PG_COMPAT_FIELD(int, mpsEnabled, 0)
PG_COMPAT_FIELD(int, hostNumaId, -1)
PG_COMPAT_FIELD(unsigned, gpuPciDeviceID, 0)
PG_COMPAT_FIELD(unsigned, gpuPciSubsystemID, 0)
PG_COMPAT_FIELD(int, hostNumaMultinodeIpcSupported, 0)

}  // namespace prop
}  // namespace pg_compat
#undef PG_COMPAT_FIELD
#undef PG_COMPAT_FIELDS
#endif
