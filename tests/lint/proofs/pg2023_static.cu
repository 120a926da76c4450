// PG2023: 72 KiB of static shared memory are more than AMD's 64.
#include "proof.h"

#if FIXED
constexpr int kRows = 32;
#else
constexpr int kRows = 144;
#endif

__global__ void k(const int* x, int* y) {
  __shared__ int tile[kRows][128];
  tile[threadIdx.x % kRows][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x % kRows][threadIdx.x];
}

int main() {
  return proof(128, number, number, [](int* x, int* y) { k<<<1, 128>>>(x, y); });
}
