// A radix sort of each warp, one bit at a time, in a block of two dimensions.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  __shared__ int box[4][32];
  int t = threadIdx.y * blockDim.x + threadIdx.x, lane = t % 32, warp = t / 32;
  int i = blockIdx.x * blockDim.x * blockDim.y + t;
  int v = p[i];
  for (int bit = 0; bit < 10; ++bit) {
    unsigned ones = __ballot_sync(0xffffffffu, (v >> bit) & 1), before = (1u << lane) - 1u;
    int zeros = 32 - __popc(ones);
    int to = (v >> bit) & 1 ? zeros + __popc(ones & before) : __popc(~ones & before);
    box[warp][to] = v;
    __syncwarp();
    v = box[warp][lane];
    __syncwarp();
  }
  int next = __shfl_down_sync(0xffffffffu, v, 1);
  p[i] = v + (__all_sync(0xffffffffu, lane == 31 || v <= next) ? 1000 : 0);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, dim3(8, 16)>>>(p); });
  return report("radix_split", checksum(out));
}
