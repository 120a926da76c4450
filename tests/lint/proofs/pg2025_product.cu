// PG2025: The product overflows in 32 bits before it is widened.
#include "proof.h"

__global__ void k(const int* x, int* y) {
  const int rows = x[threadIdx.x], columns = rows + 1;
#if FIXED
  const long long at = static_cast<long long>(rows) * columns;
#else
  const long long at = rows * columns;
#endif
  y[threadIdx.x] = at / columns == rows;
}

int main() {
  return proof(64, [](int i) { return 100000 + i; }, one,
               [](int* x, int* y) { k<<<1, 64>>>(x, y); });
}
