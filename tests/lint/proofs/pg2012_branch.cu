// PG2012: Threads that leave out a barrier meet the others at the next one, and read too early.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
#if FIXED
  __syncthreads();
#else
  if (t < 64) __syncthreads();
#endif
  const int v = s[127 - t];
  __syncthreads();
  y[t] = v;
}

int main() {
  return proof(128, number, [](int i) { return 127 - i; },
               [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
