// Attributes and occupancy of a kernel.
#include <cuda_runtime.h>
#include "common.cuh"

template <class T>
__global__ void work(T* p) { p[threadIdx.x] += 1; }

int main() {
  CHECK(cudaFuncSetAttribute(work<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  CHECK(cudaFuncSetCacheConfig(work<int>, cudaFuncCachePreferL1));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, work<int>));
  auto out = run_on_device(numbers(64), [](int* p) { work<int><<<1, 64, 1024>>>(p); });
  return report("func_attributes", checksum(out));
}
