// Tiles of 4, 8 and 16 lanes: votes, matches, shuffles; aggregated adds of coalesced lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include "common.cuh"

namespace cg = cooperative_groups;

template <int W>
__device__ int votes(int v) {
  auto tile = cg::tiled_partition<W>(cg::this_thread_block());
  int r = static_cast<int>(tile.ballot(v & 2)) + tile.any(v > 900) * 64 + tile.all(v > 100) * 128;
  r += static_cast<int>(tile.match_any(v % 3)) * 3;
  r += tile.shfl(v, W - 1) + tile.shfl_xor(v, W / 2) * 2 + tile.shfl_down(v, 1) + tile.shfl_up(v, 1);
  r += cg::reduce(tile, v, cg::less<int>()) - cg::reduce(tile, v, cg::greater<int>());
  return r + static_cast<int>(tile.thread_rank() + tile.meta_group_rank() * 5 + tile.size());
}
__global__ void work(int* p, int* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = p[i], r = votes<4>(v) * 3 + votes<8>(v) * 5 + votes<16>(v) * 7 + votes<32>(v);
  if (v % 3) {
    cg::coalesced_group some = cg::coalesced_threads();
    if (some.thread_rank() == 0) atomicAdd(total, static_cast<int>(some.size()));
    r += some.shfl(v, 0) + static_cast<int>(some.ballot(v & 1));
  }
  p[i] = r;
}

int main() {
  auto out = run_on_device(numbers<int>(257), [](int* p) { work<<<2, 128>>>(p, p + 256); });
  return report("tile_votes", checksum(out));
}
