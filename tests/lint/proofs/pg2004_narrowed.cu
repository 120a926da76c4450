// PG2004: A lane mask in 32 bits loses the lanes from 32 up.
#include "proof.h"

__global__ void k(const int* x, int* y) {
#if FIXED
  unsigned long long odd = __ballot(x[threadIdx.x] & 1);
#else
  unsigned odd = __ballot(x[threadIdx.x] & 1);
#endif
  y[threadIdx.x] = __popcll(odd);
}

int main() {
  return proof(64, number, [](int) { return 32; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
