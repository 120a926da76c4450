// PG2001: Each wave should add its lanes once; numbered in groups of 32 it does so twice.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  const int here = __popcll(__ballot(x[threadIdx.x] >= 0));
#if FIXED
  const int lane = threadIdx.x % warpSize;
#else
  const int lane = threadIdx.x % 32;
#endif
  if (lane == 0) atomicAdd(&y[0], here);
}

int main() {
  const int n = 128;
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (i == 0 ? n : 0);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
