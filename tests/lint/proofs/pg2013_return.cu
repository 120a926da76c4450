// PG2013: Threads that returned early never reach the barrier.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = 0;
#if FIXED
  if (threadIdx.x < 100) s[threadIdx.x] = x[threadIdx.x];
#else
  if (threadIdx.x >= 100) return;
  s[threadIdx.x] = x[threadIdx.x];
#endif
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (i < 100 ? i : 0);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
