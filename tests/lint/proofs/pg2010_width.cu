// PG2010: A broadcast without a width reaches from the first group of 32 into the second.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  const int lane = threadIdx.x & 31;
#if FIXED
  y[threadIdx.x] = __shfl(x[threadIdx.x], 0, 32) + lane;
#else
  y[threadIdx.x] = __shfl(x[threadIdx.x], 0) + lane;
#endif
}

int main() {
  return proof(64, number, [](int i) { return i; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
