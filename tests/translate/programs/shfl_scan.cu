// Block prefix sum with tid & 31 and tid >> 5.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  __shared__ int totals[32];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  int v = p[blockIdx.x * blockDim.x + tid];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int t = lane < (int)(blockDim.x / 32) ? totals[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(0xffffffff, t, d);
      if (lane >= d) t += other;
    }
    totals[lane] = t;
  }
  __syncthreads();
  if (warp > 0) v += totals[warp - 1];
  p[blockIdx.x * blockDim.x + tid] = v;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("shfl_scan", checksum(out));
}
