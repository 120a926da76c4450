// PG2001: Each wave should add its lanes once; numbered in groups of 32 it does so twice.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  const int here = __popcll(__ballot(x[threadIdx.x] >= 0));
#if FIXED
  const int lane = threadIdx.x % warpSize;
#else
  const int lane = threadIdx.x % 32;
#endif
  if (lane == 0) atomicAdd(&y[0], here);
}

int main() {
  return proof(128, number, [](int i) { return i == 0 ? 128 : 0; },
               [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
