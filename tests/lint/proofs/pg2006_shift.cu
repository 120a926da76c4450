// PG2006: A 32-bit one shifted by a lane number wraps at 32.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  const int lane = threadIdx.x % warpSize;
  const unsigned long long all = __ballot(x[threadIdx.x] >= 0);
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
