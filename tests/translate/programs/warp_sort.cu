// A bitonic sort in each warp, of 64-bit keys, by shuffles over 32 and over 8 lanes.
#include <cuda_runtime.h>
#include "common.cuh"

template <int W>
__device__ unsigned long long sorted(unsigned long long v, int lane) {
  for (int size = 2; size <= W; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      unsigned long long other = __shfl_xor_sync(0xffffffffu, v, step, W);
      bool up = (lane & size) == 0 || size == W, low = (lane & step) == 0;
      v = (v < other) == (up == low) ? v : other;
    }
  return v;
}
__global__ void work(unsigned long long* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned long long key = (p[i] << 32) | static_cast<unsigned>(i);
  unsigned long long all = sorted<32>(key, lane), few = sorted<8>(key * 0x9e3779b97f4a7c15ull, lane & 7);
  p[i] = all ^ (few << 1);
}

int main() {
  auto out = run_on_device(numbers<unsigned long long>(384), [](unsigned long long* p) { work<<<3, 128>>>(p); });
  return report("warp_sort", checksum(out));
}
