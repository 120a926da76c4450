// Grid constants, restrict, forceinline, alignment.
#include <cuda_runtime.h>
#include "common.cuh"

struct __align__(16) Params {
  int scale, shift, pad[2];
};
__device__ __forceinline__ int apply(const Params& q, int v) { return v * q.scale + q.shift; }
__device__ __noinline__ int slow(int v) { return v ^ 3; }
__global__ void work(int* __restrict__ p, const __grid_constant__ Params q) {
  p[threadIdx.x] = slow(apply(q, p[threadIdx.x]));
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<1, 128>>>(p, Params{3, 4, {0, 0}}); });
  return report("grid_constant", checksum(out));
}
