// PG2013: Threads that returned early never reach the barrier.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = 0;
#if FIXED
  if (threadIdx.x < 100) s[threadIdx.x] = x[threadIdx.x];
#else
  if (threadIdx.x >= 100) return;
  s[threadIdx.x] = x[threadIdx.x];
#endif
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

int main() {
  return proof(128, number, [](int i) { return i < 100 ? i : 0; },
               [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
