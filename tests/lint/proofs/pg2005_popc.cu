// PG2005: __popc counts 32 lanes of a wave of 64.
#include "proof.h"

__global__ void k(const int* x, int* y) {
#if FIXED
  y[threadIdx.x] = __popcll(__ballot(x[threadIdx.x] & 1));
#else
  y[threadIdx.x] = __popc(__ballot(x[threadIdx.x] & 1));
#endif
}

int main() {
  return proof(64, number, [](int) { return 32; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
