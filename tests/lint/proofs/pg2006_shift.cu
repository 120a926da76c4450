// PG2006: A 32-bit one shifted by a lane number wraps at 32.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  const int lane = threadIdx.x % warpSize;
  const unsigned long long all = __ballot_sync(~0ull, x[threadIdx.x] >= 0);
#if FIXED
  y[threadIdx.x] = __popcll(all & ((1ull << lane) - 1));
#else
  y[threadIdx.x] = __popcll(all & ((1u << lane) - 1));
#endif
}

int main() {
  const int n = 64;
  static int x[n], y[n];
  int *dx, *dy, wrong = 0;
  for (int i = 0; i < n; ++i) x[i] = i;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemset(dy, 0, sizeof y);
  k<<<1, n>>>(dx, dy);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += y[i] != (i);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
