// PG2007: Lanes 32 to 63 read past an array of 32 slots.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  __shared__ int part[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) part[warp] = x[threadIdx.x];
  __syncthreads();
  const int warps = blockDim.x / warpSize;
#if FIXED
  int v = lane < warps ? part[lane] : 0;
#else
  int v = part[lane] * (lane < warps);
#endif
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_xor_sync(~0ull, v, d);
  y[threadIdx.x] = v;
}

int main() {
  const int n = 256;
  static int x[n], y[n];
  int *dx, *dy, wrong = 0;
  for (int i = 0; i < n; ++i) x[i] = 1;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemset(dy, 0, sizeof y);
  k<<<1, n>>>(dx, dy);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += y[i] != (4);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
