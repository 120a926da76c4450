// PG2080: A vendor's shuffle in a dialect source names 32 lanes; pg:: functions take the device's.
#include "portgpu.h"
#include "proof.h"

__global__ void k(const int* x, int* y) {
#if FIXED
  y[threadIdx.x] = pg::warp_sum(x[threadIdx.x]);
#else
  int v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  y[threadIdx.x] = v;
#endif
}

int main() {
  return proof(64, one, [](int) { return 64; },
               [](int* x, int* y) { PG_LAUNCH(k, 1, 64, 0, nullptr, x, y); });
}
