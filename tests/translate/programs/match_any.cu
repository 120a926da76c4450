// Lanes with equal keys.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned same = __match_any_sync(0xffffffffu, p[i] % 7);
  int pred;
  unsigned all = __match_all_sync(0xffffffffu, p[i] < 100000, &pred);
  p[i] = static_cast<int>(same) + pred + static_cast<int>(all & 1);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("match_any", checksum(out));
}
