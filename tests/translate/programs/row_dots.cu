// Dot products of rows, a warp each, in double and in 64-bit integers; the last lane reports.
#include <cuda_runtime.h>
#include "common.cuh"

#define FULL 0xffffffffu
__device__ __forceinline__ double warp_sum(double v) {
#pragma unroll
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_down_sync(FULL, v, d);
  return __shfl_sync(FULL, v, 0);
}
__device__ __forceinline__ long long warp_top(long long v) {
  for (int d = 1; d < warpSize; d <<= 1) v = max(v, __shfl_xor_sync(FULL, v, d));
  return v;
}
__global__ void work(long long* p, const long long* x, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  double dot = 0;
  long long top = -1;
  for (int c = lane; c < columns; c += warpSize) {
    long long v = p[row * columns + c];
    dot += static_cast<double>(v) * static_cast<double>(x[c]);
    top = max(top, v << 33);
  }
  dot = warp_sum(dot);
  top = warp_top(top);
  __syncwarp();
  if (lane == warpSize - 1) p[row * columns] = static_cast<long long>(dot) ^ top;
}

int main() {
  auto out = run_on_device(numbers<long long>(50 * 9), [](long long* p) { work<<<2, 128>>>(p, p + 50 * 8, 50); });
  return report("row_dots", checksum(out));
}
