// Threads that return before barriers which the others still pass, of the block and of the grid.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void block_rounds(int* out, int rounds) {
  __shared__ int sum;
  if (threadIdx.x % 16 > 1) return;
  if (threadIdx.x == 0) sum = 0;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    atomicAdd(&sum, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void grid_rounds(int* out, int n, int rounds) {
  auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x >= 20) return;
  for (int r = 0; r < rounds; ++r) {
    const int other = out[(i + 64) % n];
    grid.sync();
    out[i] = other + 1;
    grid.sync();
  }
}

int main() {
  int *out, n = 3 * 64, rounds = 5;
  cudaMallocManaged(&out, n * sizeof(int));
  block_rounds<<<3, 64>>>(out, rounds);
  bool ok = cudaDeviceSynchronize() == cudaSuccess;
  for (int b = 0; b < 3; ++b) ok = ok && out[b] == 8 * rounds;
  for (int i = 0; i < n; ++i) out[i] = 0;
  void* arguments[] = {&out, &n, &rounds};
  ok = ok && cudaLaunchCooperativeKernel((void*)grid_rounds, 3, 64, arguments) == cudaSuccess;
  ok = ok && cudaDeviceSynchronize() == cudaSuccess;
  for (int i = 0; i < n; ++i) ok = ok && out[i] == (i % 64 < 20 ? rounds : 0);
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
