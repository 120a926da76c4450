// PG2014: A shuffle reads lanes that are not there.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
#if FIXED
  const int v = threadIdx.x < 40 ? x[threadIdx.x] : 0;
  const int w = __shfl_xor(v, 32);
  if (threadIdx.x < 40) y[threadIdx.x] = w;
#else
  if (threadIdx.x < 40) y[threadIdx.x] = __shfl_xor(x[threadIdx.x], 32);
#endif
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (i < 40 ? (i < 8 || i >= 32) : 0);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
