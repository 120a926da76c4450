// Managed memory and a device variable.
#include <cuda_runtime.h>
#include "common.cuh"

__managed__ int total;
__global__ void work(int* p) { atomicAdd(&total, p[threadIdx.x]); }

int main() {
  int* p;
  CHECK(cudaMallocManaged(&p, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) p[i] = i;
  total = 0;
  work<<<1, 64>>>(p);
  CHECK(cudaDeviceSynchronize());
  int sum = total;
  cudaFree(p);
  return report("managed_memory", mix(0, sum));
}
