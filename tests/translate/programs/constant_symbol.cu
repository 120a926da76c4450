// Constant memory and symbols.
#include <cuda_runtime.h>
#include "common.cuh"

__constant__ int table[8];
__device__ int counter;
__global__ void work(int* p) {
  int i = threadIdx.x;
  p[i] = table[i & 7] * p[i];
  if (i == 0) counter = 42;
}

int main() {
  int host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got = 0;
  CHECK(cudaMemcpyToSymbol(table, host, sizeof(host)));
  auto out = run_on_device(numbers(64), [](int* p) { work<<<1, 64>>>(p); });
  CHECK(cudaMemcpyFromSymbol(&got, counter, sizeof(int)));
  return report("constant_symbol", mix(checksum(out), got));
}
