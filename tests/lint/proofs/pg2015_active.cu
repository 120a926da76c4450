// PG2015: The lanes that were here before the branch are not those that come to the shuffle.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  const bool mine = x[threadIdx.x] < 40;
#if FIXED
  const unsigned long long mask = __ballot(mine);
#else
  const unsigned long long mask = __activemask();
#endif
  int v = 0;
  if (mine) v = __shfl_sync(mask, x[threadIdx.x], 0) + 1;
  __syncthreads();
  y[threadIdx.x] = v;
}

int main() {
  return proof(64, number, [](int i) { return i < 40 ? 1 : 0; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
