// Branches and loops whose lanes talk among themselves, each with the mask that led there.
#include <cuda_runtime.h>
#include "common.cuh"

__device__ int lowest(unsigned mask, int v) {
  for (int d = 16; d > 0; d /= 2) {
    int from = (threadIdx.x & 31) ^ d;
    int other = __shfl_sync(mask, v, (mask >> from) & 1u ? from : (threadIdx.x & 31));
    v = other < v ? other : v;
  }
  return v;
}
__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = p[i], r = 0;
  unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  if (v & 1) {
    unsigned big = __ballot_sync(odd, v > 500);
    if (v > 500) {
      r = lowest(big, v) + __popc(big);
      __syncwarp(big);
    } else {
      r = __any_sync(odd & ~big, v == 499) * 2 + __all_sync(odd & ~big, v < 500);
    }
    __syncwarp(odd);
    r += __shfl_sync(odd, v, __ffs(odd) - 1);
  } else {
    unsigned left = ~odd;
    for (int round = 0; round < 4; ++round) {
      bool stay = (v >> round) & 2;
      unsigned next = __ballot_sync(left, stay);
      r += __popc(next) << (round * 4);
      if (!stay) break;
      left = next;
    }
  }
  __syncwarp();
  p[i] = r + __popc(__ballot_sync(0xffffffffu, r & 1));
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("divergent_masks", checksum(out));
}
