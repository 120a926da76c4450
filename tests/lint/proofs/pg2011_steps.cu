// PG2011: Lanes hand values over in shared memory without a sync between the steps.
#include "proof.h"

__device__ void last_warp(volatile int* s, int t) {
#if FIXED
  for (int d = 16; d > 0; d /= 2) {
    const int other = s[t + d];
    __syncthreads();
    s[t] += other;
    __syncthreads();
  }
#else
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
#endif
}

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 64] = 0;
  __syncthreads();
  last_warp(s, t);
  __syncthreads();
  y[t] = t == 0 ? s[0] : 0;
}

int main() {
  return proof(64, one, [](int i) { return i == 0 ? 32 : 0; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
