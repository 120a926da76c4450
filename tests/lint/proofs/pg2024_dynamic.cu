// PG2024: 96 KiB of dynamic shared memory: NVIDIA gives them on request, AMD never.
#include "proof.h"

#if FIXED
constexpr size_t kBytes = 32 * 1024;
#else
constexpr size_t kBytes = 96 * 1024;
#endif

__global__ void k(const int* x, int* y) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

int main() {
  return proof(64, number, number, [](int* x, int* y) { k<<<1, 64, kBytes>>>(x, y); });
}
