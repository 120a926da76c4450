// PG2006: A 32-bit one shifted by a lane number wraps at 32.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  const int lane = threadIdx.x % warpSize;
  const unsigned long long all = __ballot(x[threadIdx.x] >= 0);
#if FIXED
  y[threadIdx.x] = __popcll(all & ((1ull << lane) - 1));
#else
  y[threadIdx.x] = __popcll(all & ((1u << lane) - 1));
#endif
}

int main() {
  return proof(64, number, [](int i) { return i; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
