// A loop in which the warp serves its lanes one after the other, each with the help of all.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, int* table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int* mine = table + (i / 32) * 64;
  int todo = p[i] % 4, steps = 0;
  while (unsigned active = __ballot_sync(~0u, todo > 0)) {
    int leader = 31 - __clz(active);
    int key = __shfl_sync(~0u, p[i] + todo, leader);
    int at = (key * 7) & 63;
    for (;;) {
      unsigned empty = __ballot_sync(~0u, mine[(at + lane) & 63] == 0);
      if (empty) {
        if (lane == 0) mine[(at + __ffs(empty) - 1) & 63] = key + 1;
        break;
      }
      if (((at += 32) & 63) == ((key * 7) & 63)) break;
    }
    __syncwarp();
    if (lane == leader) --todo;
    ++steps;
  }
  p[i] = steps + mine[lane] * 3 + mine[lane + 32] * 5;
}

int main() {
  auto out = run_on_device(numbers<int>(192), [](int* p) {
    int* table;
    CHECK(cudaMalloc(&table, 6 * 64 * sizeof(int)));
    CHECK(cudaMemset(table, 0, 6 * 64 * sizeof(int)));
    work<<<2, 96>>>(p, table);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(table));
  });
  return report("warp_queue", checksum(out));
}
