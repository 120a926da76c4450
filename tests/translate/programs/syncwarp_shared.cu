// Shared memory handed over inside a warp.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  __shared__ volatile int s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = p[i];
  __syncwarp();
  int v = s[t ^ 1];
  __syncwarp();
  s[t] = v + 1;
  __syncwarp(0xffffffffu);
  p[i] = s[t ^ 3];
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("syncwarp_shared", checksum(out));
}
