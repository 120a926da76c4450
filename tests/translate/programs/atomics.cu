// Atomics on ints and floats, block and system scope.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, float* sum) {
  int t = threadIdx.x;
  atomicAdd(p + 0, t);
  atomicMax(p + 1, t * 3);
  atomicMin(p + 2, -t);
  atomicOr(reinterpret_cast<unsigned*>(p + 3), 1u << (t & 31));
  atomicAdd_block(p + 4 + blockIdx.x, 1);
  atomicAdd_system(p + 8, 2);
  atomicCAS(p + 9, 0, 0);
  atomicExch(p + 11, 99);
  atomicAdd(sum, 0.5f);
  atomicInc(reinterpret_cast<unsigned*>(p + 12), 1000000u);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) {
    float* sum = reinterpret_cast<float*>(p + 10);
    CHECK(cudaMemset(sum, 0, sizeof(float)));
    work<<<2, 128>>>(p, sum);
  });
  return report("atomics", checksum(out));
}
