// PG2007: Lanes 32 to 63 read past an array of 32 slots.
#include <hip/hip_runtime.h>
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
  for (int d = warpSize / 2; d > 0; d >>= 1) v += __shfl_xor(v, d);
  y[threadIdx.x] = v;
}

int main() {
  const int n = 256;
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
  for (int i = 0; i < n; ++i) wrong += y[i] != (4);
  std::printf("%d of %d values are wrong\n", wrong, n);
  return wrong ? 1 : 0;
}
