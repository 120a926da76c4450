// Launches by a configuration, occupancy, and what one device alone cannot do.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void fill(int* y, int v, float) { y[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void everywhere(int* y) {
  atomicAdd(y, 1);
  cg::this_grid().sync();
  y[1 + blockIdx.x * blockDim.x + threadIdx.x] = *y;
}
int main() {
  int bad = 0, *y;
  cudaMallocManaged(&y, 1000 * sizeof(int));
  *y = 0;
  int block = 0, grid = 0, active = 0;
  bad += cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill) != cudaSuccess || block < 32 || grid < 1;
  bad += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, fill, 128, 0) != cudaSuccess || active < 1;
  cudaFuncAttributes attributes;
  bad += cudaFuncGetAttributes(&attributes, fill) != cudaSuccess || attributes.maxThreadsPerBlock < 128;
  int v = 7;
  float f = 0;
  void* args[] = {&y, &v, &f};
  bad += cudaLaunchKernel((void*)fill, dim3(2), dim3(64), args, 0, 0) != cudaSuccess;
  cudaDeviceSynchronize();
  bad += y[0] != 7 || y[127] != 7;
  *y = 0;
  void* only[] = {&y};
  bad += cudaLaunchCooperativeKernel((void*)everywhere, dim3(3), dim3(64), only, 0, 0) != cudaSuccess;
  cudaDeviceSynchronize();
  bad += y[1] != 192 || y[192] != 192;
  int can = 1, count = 0;
  cudaGetDeviceCount(&count);
  bad += cudaDeviceCanAccessPeer(&can, 0, count) == cudaSuccess && can;
  bad += cudaDeviceEnablePeerAccess(count, 0) == cudaSuccess;
  cudaIpcMemHandle_t handle;
  bad += cudaIpcGetMemHandle(&handle, y) != cudaErrorNotSupported;
  bad += cudaGetLastError() != cudaErrorNotSupported;
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
