// Segmented sums: heads by ballot, the start of one's segment by counting leading zeros.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
  int v = p[i];
  unsigned heads = __ballot_sync(0xffffffffu, lane == 0 || v % 5 == 0);
  unsigned upto = heads & (0xffffffffu >> (31 - lane));
  int start = 31 - __clz(upto), sum = v;
  for (int d = 1; d < warpSize; d <<= 1) {
    int other = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane - d >= start) sum += other;
  }
  unsigned after = lane == 31 ? 0u : heads >> (lane + 1);
  int length = (after ? __ffs(after) : 32 - lane) + lane - start;
  int total = __shfl_sync(0xffffffffu, sum, start + length - 1);
  p[i] = sum * 3 + total * 5 + length * 7;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("segmented_scan", checksum(out));
}
