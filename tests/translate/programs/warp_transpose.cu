// A transpose in registers, of doubles in tiles of 8 lanes and of int2 halves over a warp.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(double* p) {
  int lane = threadIdx.x & 7;
  double row[8];
  for (int k = 0; k < 8; ++k) row[k] = p[threadIdx.x * 8 + k];
  for (int step = 4; step > 0; step /= 2)
    for (int k = 0; k < 8; ++k)
      if ((k & step) == 0) {
        bool high = lane & step;
        double send = high ? row[k] : row[k + step];
        double got = __shfl_xor_sync(0xffffffffu, send, step, 8);
        (high ? row[k] : row[k + step]) = got;
      }
  for (int k = 0; k < 8; ++k) p[threadIdx.x * 8 + k] = row[k];
}
__global__ void more(double* p) {
  int2 v = make_int2(static_cast<int>(p[threadIdx.x]), static_cast<int>(threadIdx.x));
  v.x = __shfl_down_sync(0xffffffffu, v.x, 3, 16);
  v.y = __shfl_up_sync(0xffffffffu, v.y, 5, 4);
  p[threadIdx.x] += v.x * 2 + __shfl_sync(0xffffffffu, v.y, -1) + __shfl_sync(0xffffffffu, v.y, 35, 16);
}

int main() {
  auto out = run_on_device(numbers<double>(64 * 8), [](double* p) {
    work<<<1, 64>>>(p);
    more<<<1, 64>>>(p);
  });
  return report("warp_transpose", checksum(out));
}
