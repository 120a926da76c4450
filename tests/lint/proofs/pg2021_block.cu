// PG2021: 16 warps of a wave's width are twice as many threads as of 32 lanes, and too many.
#include "proof.h"

#if FIXED
constexpr int kThreads = 1024;
#else
constexpr int kThreads = 32 * 64;
#endif

__global__ void k(const int* x, int* y) {
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) y[i] = x[i];
}

int main() {
  return proof(2048, number, number, [](int* x, int* y) { k<<<1, kThreads>>>(x, y); });
}
