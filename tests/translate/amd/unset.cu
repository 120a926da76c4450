// A value that one lane sets and the others get: the condition must stay.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <class T>
__device__ T broadcast(T v) {
  return __shfl_sync(~0u, v, 0);
}

extern "C" __global__ void unset(int* counts, int* out) {
  const int lane = threadIdx.x & 31;
  int a, b, c, d;
  if (lane == 0) a = atomicAdd(counts, 1);
  a = __shfl_sync(~0u, a, 0);
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.thread_rank() == 0) b = atomicAdd(counts + 1, 1);
  b = tile.shfl(b, 0);
  auto group = cg::coalesced_threads();
  if (group.thread_rank() == 0) c = atomicAdd(counts + 2, 1);
  c = group.shfl(c, 0);
  if (lane == 0) d = atomicAdd(counts + 3, 1);
  d = broadcast(d);
  out[threadIdx.x] = a + b + c + d;
}
