// The warp that a host asks for.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p, int warp) { p[threadIdx.x] = (threadIdx.x / warp) * 100 + warpSize; }

int main() {
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  int attribute = 0, device = -1, count = 0;
  CHECK(cudaDeviceGetAttribute(&attribute, cudaDevAttrWarpSize, 0));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceCount(&count));
  auto out = run_on_device(numbers(128), [&](int* p) { work<<<1, 128>>>(p, prop.warpSize); });
  return report("device_properties", mix(checksum(out), attribute + device + (count > 0)));
}
