// PG2022: AMD counts threads, not blocks: 2^32 of them in x are too many.
#include "proof.h"

#if FIXED
constexpr unsigned kBlocks = 1u << 8;
#else
constexpr unsigned kBlocks = 1u << 26;
#endif

__global__ void k(const int* x, int* y) {
  if (blockIdx.x == 0) y[threadIdx.x] = x[threadIdx.x];
}

int main() {
  return proof(64, number, number, [](int* x, int* y) { k<<<kBlocks, 64>>>(x, y); });
}
