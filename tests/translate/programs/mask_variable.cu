// A ballot handed on as a mask, in one half of each warp.
#include <cuda_runtime.h>
#include "common.cuh"

__device__ int sum_of(unsigned mask, int v) {
  for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, 16);
  return v;
}
__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool low = (threadIdx.x & 31) < 16;
  unsigned m = __ballot_sync(0xffffffffu, low);
  int v = p[i];
  if (low) v = sum_of(m, v);
  if (__any_sync(~0u, v > 5000)) v += 1;
  if (__all_sync(~0u, v >= 0)) v += 2;
  p[i] = v;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("mask_variable", checksum(out));
}
