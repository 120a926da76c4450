// Names of CUDA that HIP spells or types differently.
#pragma once
#include "common.h"

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorNotReady = 600 };
typedef cudaError_t cudaError;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef int cudaMemcpyKind;
#define cudaMemcpyHostToDevice 1
#define cudaMemcpyDeviceToHost 2
#define cudaMemcpyDeviceToDevice 3
#define cudaMemcpyDefault 4
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int warpSize, maxThreadsPerBlock, major, minor, multiProcessorCount, clockRate;
};
extern "C" int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);

extern const int warpSize;
PG_ANY void __syncwarp(unsigned = 0xffffffff);
PG_ANY unsigned __activemask();
PG_ANY unsigned __ballot_sync(unsigned, int);
PG_ANY int __any_sync(unsigned, int);
PG_ANY int __all_sync(unsigned, int);
PG_ANY unsigned __ballot(int);
PG_ANY int __any(int);
PG_ANY int __all(int);
template <class T> PG_ANY unsigned __match_any_sync(unsigned, T);
template <class T> PG_ANY unsigned __match_all_sync(unsigned, T, int*);
template <class T> PG_ANY T __shfl_sync(unsigned, T, int, int = 32);
template <class T> PG_ANY T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> PG_ANY T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> PG_ANY T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> PG_ANY T __shfl(T, int, int = 32);
template <class T> PG_ANY T __shfl_up(T, unsigned, int = 32);
template <class T> PG_ANY T __shfl_down(T, unsigned, int = 32);
template <class T> PG_ANY T __shfl_xor(T, int, int = 32);
template <class T> PG_ANY T __reduce_add_sync(unsigned, T);
template <class T> PG_ANY T __reduce_min_sync(unsigned, T);
template <class T> PG_ANY T __reduce_max_sync(unsigned, T);
#define cudaHostRegisterMapped 2
template <class T> cudaError_t cudaMalloc(T**, size_t);
template <class T> cudaError_t cudaMallocManaged(T**, size_t, unsigned = 1);
template <class T> cudaError_t cudaMallocHost(T**, size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
