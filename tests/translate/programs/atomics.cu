// Atomics on ints and floats, block and system scope.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int t = threadIdx.x;
  atomicAdd(p + 0, t);
  atomicMax(p + 1, t * 3);
  atomicMin(p + 2, -t);
  atomicOr(reinterpret_cast<unsigned*>(p + 3), 1u << (t & 31));
  atomicAdd_block(p + 4 + blockIdx.x, 1);
  atomicAdd_system(p + 8, 2);
  atomicCAS(p + 9, 0, 0);
  atomicAdd(reinterpret_cast<float*>(p + 10), 0.0f);
  atomicExch(p + 11, 99);
  atomicInc(reinterpret_cast<unsigned*>(p + 12), 1000000u);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("atomics", checksum(out));
}
