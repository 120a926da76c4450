// Both arguments of __launch_bounds__.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void __launch_bounds__(256, 4) work(int* p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] ^= 0x55;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("launch_bounds", checksum(out));
}
