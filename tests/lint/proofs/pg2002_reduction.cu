// PG2002: A reduction that starts at 16 misses half of a wave of 64.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  int v = x[threadIdx.x];
#if FIXED
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_xor(v, d);
#else
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d);
#endif
  y[threadIdx.x] = v;
}

int main() {
  const int n = 64;
  static int x[n], y[n];
  int *dx, *dy, wrong = 0;
  for (int i = 0; i < n; ++i) x[i] = 1;
  hipMalloc(&dx, sizeof x);
  hipMalloc(&dy, sizeof y);
  hipMemcpy(dx, x, sizeof x, hipMemcpyHostToDevice);
  hipMemset(dy, 0, sizeof y);
  k<<<1, n>>>(dx, dy);
  if (hipDeviceSynchronize() != hipSuccess) return 2;
  hipMemcpy(y, dy, sizeof y, hipMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += y[i] != (64);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
