// PG2002: A reduction that starts at 16 misses half of a wave of 64.
#include "proof.h"

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
  return proof(64, one, [](int) { return 64; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
