// What nvcc tolerates: assert, unused, nested lambdas.
#include <cassert>
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  assert(blockDim.x == 128);
  auto twice = [](int v) { return v * 2; };
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = twice(p[i]);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("register_keyword", checksum(out));
}
