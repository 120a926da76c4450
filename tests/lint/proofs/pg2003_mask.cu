// PG2003: A mask of 32 bits leaves out lanes that make the call.
#include "proof.h"

__global__ void k(const int* x, int* y) {
#if FIXED
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffffffffffull, x[threadIdx.x], 1);
#else
  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
#endif
}

int main() {
  return proof(64, number, [](int i) { return i ^ 1; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
