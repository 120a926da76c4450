// Reductions over the lanes of a partial mask, and uniform votes.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = p[i] - 500;
  unsigned u = static_cast<unsigned>(p[i]);
  unsigned mine = __match_any_sync(0xffffffffu, u % 3);
  int r = __reduce_add_sync(mine, v) + __reduce_min_sync(mine, v) * 3 + __reduce_max_sync(mine, v) * 5;
  r ^= static_cast<int>(__reduce_and_sync(mine, u | 8u) + __reduce_or_sync(mine, u) * 7u);
  r += static_cast<int>(__reduce_xor_sync(mine, u) + __reduce_max_sync(mine, u) - __reduce_min_sync(mine, u));
  int same = 0;
  unsigned who = __match_all_sync(mine, u % 3, &same);
  r += same * 1000 + __popc(who);
  __match_all_sync(mine, static_cast<unsigned long long>(u / 100), &same);
  p[i] = r + same * 100000;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("partial_reduce", checksum(out));
}
