// PG2012: Threads above the condition never reach the barrier.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];
#if FIXED
  __syncthreads();
  if (threadIdx.x < 64) y[threadIdx.x] = s[127 - threadIdx.x];
#else
  if (threadIdx.x < 64) {
    __syncthreads();
    y[threadIdx.x] = s[127 - threadIdx.x];
  }
#endif
}

int main() {
  return proof(128, number, [](int i) { return i < 64 ? 127 - i : 0; },
               [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
