// Barriers that count, clocks, fences, nanosleep.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(int* p) {
  int i = threadIdx.x;
  int odd = __syncthreads_count(p[i] & 1);
  int any = __syncthreads_or(p[i] == 3), all = __syncthreads_and(p[i] >= 0);
  __threadfence_block();
  __threadfence();
  __nanosleep(20);
  long long t = clock64();
  p[i] = odd + any * 2 + all * 4 + (t == 0 ? 0 : 1);
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<1, 128>>>(p); });
  return report("sync_count", checksum(out));
}
