// A variadic macro around the launch.
#include <cuda_runtime.h>
#include "common.cuh"

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
__global__ void work(int* p, int a) { p[blockIdx.x * blockDim.x + threadIdx.x] += a; }
__global__ void nothing() {}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { LAUNCH(work, 2, 128, p, 7); nothing<<<1, 2>>>( ); });
  return report("macro_launch", checksum(out));
}
