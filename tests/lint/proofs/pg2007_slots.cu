// PG2007: Lanes 32 to 63 read past an array of 32 slots.
#include "proof.h"

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
  return proof(256, one, [](int) { return 4; },
               [](int* x, int* y) { k<<<1, 256>>>(x, y); });
}
