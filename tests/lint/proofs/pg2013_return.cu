// PG2013: What the threads that returned early should have written is not there behind the barrier.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  __shared__ int s[128];
  const int t = threadIdx.x;
#if FIXED
  s[t] = t < 100 ? x[t] : 0;
#else
  if (t >= 100) return;
  s[t] = x[t];
#endif
  __syncthreads();
  if (t < 100) y[t] = s[127 - t];
}

int main() {
  return proof(128, number, [](int i) { return i >= 28 && i < 100 ? 127 - i : 0; },
               [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
