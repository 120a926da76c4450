// PG2010: A broadcast without a width reaches from the first group of 32 into the second.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  const int lane = threadIdx.x & 31;
#if FIXED
  y[threadIdx.x] = __shfl(x[threadIdx.x], 0, 32) + lane;
#else
  y[threadIdx.x] = __shfl(x[threadIdx.x], 0) + lane;
#endif
}

int main() {
  const int n = 64;
  static int x[n], y[n];
  int *dx, *dy, wrong = 0;
  for (int i = 0; i < n; ++i) x[i] = i;
  hipMalloc(&dx, sizeof x);
  hipMalloc(&dy, sizeof y);
  hipMemcpy(dx, x, sizeof x, hipMemcpyHostToDevice);
  hipMemset(dy, 0, sizeof y);
  k<<<1, n>>>(dx, dy);
  if (hipDeviceSynchronize() != hipSuccess) return 2;
  hipMemcpy(y, dy, sizeof y, hipMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += y[i] != (i);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
