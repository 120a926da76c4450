// PG2042: A texture reference: the CPU target refuses it, as CUDA 12 does.
#include "proof.h"

#if FIXED
__global__ void k(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
#else
texture<int, 1> image;
__global__ void k(const int* x, int* y) { y[threadIdx.x] = tex1Dfetch(image, threadIdx.x); }
#endif

int main() {
  return proof(64, number, number, [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
