// min and max of mixed types on both sides.
#include <cuda_runtime.h>
#include "common.cuh"

template <class T>
__host__ __device__ T clamp_between(T v, T lo, T hi) { return min(max(v, lo), hi); }
__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = clamp_between(p[i], 10, 500) + static_cast<int>(max(1.5f, 2.5f) + fminf(0.5f, 0.25f)) + min(3u, 5u);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("min_max", checksum(out));
}
