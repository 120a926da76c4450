// cudaLaunchKernelEx with a configuration.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, int a, float b) { p[threadIdx.x] += a + static_cast<int>(b); }

int main() {
  auto out = run_on_device(numbers(64), [](int* p) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    CHECK(cudaLaunchKernelEx(&config, work, p, 3, 2.5f));
    void* arguments[3];
    int a = 1;
    float b = 1.0f;
    arguments[0] = &p;
    arguments[1] = &a;
    arguments[2] = &b;
    CHECK(cudaLaunchKernel(work, dim3(1), dim3(64), arguments, 0, nullptr));
  });
  return report("launch_ex", checksum(out));
}
