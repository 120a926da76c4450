// Atomics of equal keys joined in the warp: match, elect a leader, add the count once.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(const int* p, int n, int* bins) {
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    int i = base + threadIdx.x;
    unsigned there = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
      int key = p[i] % 13;
      unsigned peers = __match_any_sync(there, key);
      int leader = __ffs(peers) - 1, lane = threadIdx.x & 31, old = 0;
      if (lane == leader) old = atomicAdd(&bins[key], __popc(peers));
      __syncwarp(there);
      old = __shfl_sync(peers, old, leader);
      int rank = old + __popc(peers & ((1u << lane) - 1u));
      atomicXor(&bins[16 + key], rank * 2654435761u);
    }
  }
}

int main() {
  auto out = run_on_device(numbers<int>(1000), [](int* p) {
    int* bins;
    CHECK(cudaMalloc(&bins, 32 * sizeof(int)));
    CHECK(cudaMemset(bins, 0, 32 * sizeof(int)));
    work<<<2, 96>>>(p, 990, bins);
    CHECK(cudaMemcpy(p, bins, 32 * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(bins));
  });
  return report("warp_histogram", checksum(out));
}
