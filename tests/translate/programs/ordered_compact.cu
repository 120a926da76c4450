// An order-keeping filter of a block: ranks by ballot in the warp, offsets of warps by a scan.
#include <cuda_runtime.h>
#include "common.cuh"

__global__ void work(const int* in, int* out, int* count) {
  __shared__ int offset[33];
  const unsigned full = 0xffffffffu;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  bool keep = v % 3 == 1;
  unsigned kept = __ballot_sync(full, keep), below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  if (lane == 0) offset[warp] = __popc(kept);
  __syncthreads();
  if (warp == 0) {
    int n = lane < warps ? offset[lane] : 0, sum = n;
    for (int d = 1; d < 32; d += d) {
      int other = __shfl_up_sync(full, sum, d);
      if (lane >= d) sum += other;
    }
    if (lane < warps) offset[lane] = sum - n;
    if (lane == warps - 1) count[blockIdx.x] = sum;
  }
  __syncthreads();
  if (keep) out[blockIdx.x * blockDim.x + offset[warp] + __popc(kept & below)] = v;
}

int main() {
  auto data = run_on_device(numbers<int>(1024), [](int* p) {
    CHECK(cudaMemset(p + 512, 0, 512 * sizeof(int)));
    work<<<2, 224>>>(p, p + 512, p + 1020);
  });
  return report("ordered_compact", checksum(data));
}
