// Stream compaction by ballot and popc; a mask kept in 32 bits.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = p[i];
  unsigned m = __ballot_sync(0xffffffffu, v & 1);
  int lane = threadIdx.x % warpSize;
  int before = __popc(m & ((1u << lane) - 1));
  int bits = __popc(m);
  __syncwarp();
  p[i] = (v & 1) ? before : bits + lane - before;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("ballot_compact", checksum(out));
}
