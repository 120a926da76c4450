// Device code inside architecture tests.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 350
  p[threadIdx.x] += 1;
#endif
#ifdef __CUDA_ARCH__
  p[threadIdx.x] *= 3;
#else
#endif
}
__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
__global__ void more(int* p) { p[threadIdx.x] += side(); }

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<1, 128>>>(p); more<<<1, 128>>>(p); });
  return report("arch_guard", checksum(out));
}
