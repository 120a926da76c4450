// Typed pointers to pinned and mapped host memory.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) { p[threadIdx.x] *= 2; }

int main() {
  int *a, *b, *view;
  CHECK(cudaMallocHost(&a, 64 * sizeof(int)));
  CHECK(cudaHostAlloc(&b, 64 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 64; ++i) b[i] = a[i] = i;
  CHECK(cudaHostGetDevicePointer(&view, b, 0));
  work<<<1, 64>>>(view);
  CHECK(cudaDeviceSynchronize());
  uint64_t h = 0;
  for (int i = 0; i < 64; ++i) h = mix(h, a[i] + b[i]);
  cudaFreeHost(a);
  cudaFreeHost(b);
  return report("host_alloc", h);
}
