// __reduce_*_sync on ints and unsigned.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned u = p[i];
  int s = __reduce_add_sync(0xffffffffu, p[i]);
  int lo = __reduce_min_sync(0xffffffffu, -p[i]);
  unsigned hi = __reduce_max_sync(0xffffffffu, u);
  unsigned x = __reduce_xor_sync(0xffffffffu, u) ^ __reduce_or_sync(0xffffffffu, u);
  p[i] = s + lo + static_cast<int>(hi + x);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("reduce_sync", checksum(out));
}
