// PG2002: A reduction that starts at 16 misses half of a wave of 64.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  int v = x[threadIdx.x];
#if FIXED
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_xor_sync(~0ull, v, d);
#else
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0ull, v, d);
#endif
  y[threadIdx.x] = v;
}

int main() {
  const int n = 64;
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (64);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
