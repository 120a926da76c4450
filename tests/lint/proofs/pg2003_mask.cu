// PG2003: A mask of 32 bits leaves out lanes that make the call.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
#if FIXED
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffffffffffull, x[threadIdx.x], 1);
#else
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (i ^ 1);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
