// Butterfly sum with the full mask.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int v = p[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  p[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("shfl_xor_sum", checksum(out));
}
