// Cooperative groups: tiles, reduce, ballots.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include "common.cuh"

namespace cg = cooperative_groups;
__global__ void work(int* p) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank();
  int v = cg::reduce(warp, p[i], cg::plus<int>());
  v += cg::reduce(eight, p[i], cg::greater<int>());
  v += static_cast<int>(eight.ballot(p[i] & 1)) + static_cast<int>(warp.meta_group_rank());
  block.sync();
  v += warp.shfl_down(v, 3) + eight.shfl(v, 2) + (warp.any(v > 100) ? 1 : 0);
  p[i] = v;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("cooperative_tiles", checksum(out));
}
