// PG2014: A shuffle reads lanes that are not there.
#include "proof.h"

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
  return proof(64, one, [](int i) { return i < 40 ? (i < 8 || i >= 32) : 0; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
