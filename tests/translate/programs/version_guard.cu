// Old and new code by CUDA_VERSION and CUDART_VERSION.
#include <cuda_runtime.h>
#include "common.cuh"

#if defined(CUDA_VERSION) && CUDA_VERSION >= 11000
#define STEP 3
#elif CUDART_VERSION >= 9000
#define STEP 3
#else
#error "too old"
#endif
#ifndef __CUDACC__
#error "this is device code"
#endif
__global__ void work(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] += STEP; }

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("version_guard", checksum(out));
}
