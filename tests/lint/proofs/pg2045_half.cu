// PG2045: half with float: computed in 16 bits, in 32, or ambiguous, by the header that is there.
#include "proof.h"
#include <hip/hip_fp16.h>

__global__ void k(const int* x, int* y) {
  const __half h = __float2half(x[threadIdx.x]);
  const float big = 100000.f;
#if FIXED
  y[threadIdx.x] = static_cast<int>(__half2float(h) * big);
#else
  y[threadIdx.x] = static_cast<int>(h * big);
#endif
}

int main() {
  return proof(64, number, [](int i) { return i * 100000; },
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
