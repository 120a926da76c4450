// Two-dimensional copies.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, size_t pitch) {
  int* row = reinterpret_cast<int*>(reinterpret_cast<char*>(p) + threadIdx.y * pitch);
  row[threadIdx.x] += threadIdx.y;
}

int main() {
  std::vector<int> h = numbers(8 * 16);
  int* d;
  size_t pitch;
  CHECK(cudaMallocPitch(&d, &pitch, 16 * sizeof(int), 8));
  CHECK(cudaMemcpy2D(d, pitch, h.data(), 16 * sizeof(int), 16 * sizeof(int), 8, cudaMemcpyHostToDevice));
  work<<<1, dim3(16, 8)>>>(d, pitch);
  CHECK(cudaMemcpy2D(h.data(), 16 * sizeof(int), d, pitch, 16 * sizeof(int), 8, cudaMemcpyDeviceToHost));
  cudaFree(d);
  return report("pitched_copy", checksum(h));
}
