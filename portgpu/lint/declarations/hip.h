// Names of HIP that CUDA spells or types differently: lane masks have 64 bits.
#pragma once
#include "common.h"

enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 };
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef int hipMemcpyKind;
#define hipMemcpyHostToDevice 1
#define hipMemcpyDeviceToHost 2
#define hipMemcpyDeviceToDevice 3
struct hipDeviceProp_t {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int warpSize, maxThreadsPerBlock, major, minor, multiProcessorCount, clockRate;
};
extern "C" int __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);
extern "C" int hipConfigureCall(dim3, dim3, size_t = 0, hipStream_t = 0);
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, hipStream_t = 0);
extern "C" int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);

extern const int warpSize;
PG_ANY void __syncwarp(unsigned long long = ~0ull);
PG_ANY unsigned long long __activemask();
PG_ANY unsigned long long __ballot(int);
PG_ANY int __any(int);
PG_ANY int __all(int);
PG_ANY unsigned __lane_id();
template <class M> PG_ANY unsigned long long __ballot_sync(M, int);
template <class M> PG_ANY int __any_sync(M, int);
template <class M> PG_ANY int __all_sync(M, int);
template <class M, class T> PG_ANY unsigned long long __match_any_sync(M, T);
template <class M, class T> PG_ANY T __shfl_sync(M, T, int, int = 64);
template <class M, class T> PG_ANY T __shfl_up_sync(M, T, unsigned, int = 64);
template <class M, class T> PG_ANY T __shfl_down_sync(M, T, unsigned, int = 64);
template <class M, class T> PG_ANY T __shfl_xor_sync(M, T, int, int = 64);
template <class T> PG_ANY T __shfl(T, int, int = 64);
template <class T> PG_ANY T __shfl_up(T, unsigned, int = 64);
template <class T> PG_ANY T __shfl_down(T, unsigned, int = 64);
template <class T> PG_ANY T __shfl_xor(T, int, int = 64);
template <class T> PG_ANY T unsafeAtomicAdd(T*, T);
template <class T> hipError_t hipMalloc(T**, size_t);
hipError_t hipFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind, hipStream_t = 0);
hipError_t hipMemset(void*, int, size_t);
hipError_t hipGetLastError();
hipError_t hipDeviceSynchronize();
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipSetDevice(int);
hipError_t hipGetDevice(int*);
const char* hipGetErrorString(hipError_t);
