// Warp functions and cooperative groups, their results as numbers.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
#define OUT 64
extern "C" __global__ void groups(const unsigned* in, unsigned* out) {
  unsigned t = threadIdx.x, lane = t & 31, v = in[t], w = in[t + 128];
  unsigned* o = out + t * OUT;
  int p, k = 0;
  unsigned m = __ballot_sync(~0u, v & 1);
  o[k++] = m; 
  o[k++] = __any_sync(~0u, v % 7 == 0);
  o[k++] = __all_sync(~0u, v % 7 != 0);
  o[k++] = __activemask();
  o[k++] = __match_any_sync(~0u, v % 5);
  o[k++] = __match_any_sync(~0u, (unsigned long long)(v % 3) << 40);
  o[k++] = __match_any_sync(~0u, (float)(v % 4));
  o[k++] = __match_all_sync(~0u, t / 32, &p);
  o[k++] = p;
  o[k++] = __match_all_sync(~0u, v % 2, &p);
  o[k++] = p;
  o[k++] = __reduce_add_sync(~0u, v);
  o[k++] = __reduce_min_sync(~0u, (int)v);
  o[k++] = __reduce_max_sync(~0u, (int)v);
  o[k++] = __reduce_max_sync(~0u, v);
  o[k++] = __reduce_or_sync(~0u, v & 0xf0f);
  o[k++] = __reduce_xor_sync(~0u, v);
  o[k++] = __reduce_and_sync(~0u, v | 0xff);
  if (v & 1) { // divergent, mask = m
    o[k] = __match_any_sync(m, w % 3);
  o[k + 1] = __reduce_add_sync(m, w);
  o[k + 2] = __ballot_sync(m, w & 1);
  o[k + 3] = __shfl_sync(m, w, __ffs(m) - 1);
  o[k + 4] = __activemask();
    auto g = cg::coalesced_threads();
    o[k + 5] = g.size();
  o[k + 6] = g.thread_rank();
  o[k + 7] = g.shfl(w, g.size() - 1);
  o[k + 8] = g.shfl_up(w, 1);
  o[k + 9] = g.shfl_down(w, 2);
  o[k + 10] = g.ballot(w & 2);
  o[k + 11] = g.match_any(w % 3);
  o[k + 12] = cg::reduce(g, w, cg::plus<unsigned>());
  o[k + 13] = cg::inclusive_scan(g, w % 100);
  o[k + 14] = cg::exclusive_scan(g, w % 100); 
    auto l = cg::labeled_partition(g, (int)(w % 3));
  o[k + 15] = l.size();
  o[k + 16] = l.thread_rank();
  o[k + 17] = cg::reduce(l, w, cg::greater<unsigned>());
    auto b = cg::binary_partition(g, w & 1);
  o[k + 18] = b.size() * 100 + b.thread_rank();
    o[k + 19] = l.meta_group_rank() * 100 + l.meta_group_size();
  o[k + 20] = b.meta_group_rank() * 100 + b.meta_group_size(); 
  }
  k += 22; __syncwarp();
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  o[k++] = tile.shfl(w, 9);
  o[k++] = tile.shfl_xor(w, 3);
  o[k++] = tile.shfl_up(w, 3);
  o[k++] = tile.shfl_down(w, 3);
  o[k++] = tile.ballot(w & 1);
  o[k++] = tile.match_any(w % 2);
  o[k++] = tile.any(w % 9 == 0);
  o[k++] = tile.all(w % 9);
  o[k++] = tile.meta_group_rank() * 1000 + tile.meta_group_size() * 10 + tile.thread_rank();
  o[k++] = cg::reduce(tile, (int)w, cg::less<int>());
  o[k++] = cg::inclusive_scan(tile, w, cg::bit_xor<unsigned>());
  o[k++] = cg::exclusive_scan(tile, w);
  o[k++] = cg::exclusive_scan(tile, w % 1000, cg::greater<unsigned>());
  auto sub = cg::tiled_partition<4>(tile);
  o[k++] = sub.shfl(w, 1) + sub.meta_group_rank(); 
  double d = __shfl_sync(~0u, (double)v / 3, 5);
  o[k++] = (unsigned)(long long)(d * 1000);
  o[k++] = __shfl_up_sync(~0u, v, 1, 8);
  o[k++] = __fns(m, 3, 2); 
  if (lane < 20) o[k] = __match_any_sync(0xfffffu, v % 2); k++;
  if (lane >= 16) { if (lane & 1) o[k] = __ballot_sync(0xaaaa0000u, v & 4); else o[k] = __ballot_sync(0x55550000u, v & 4) + __activemask(); } k++;
  o[k++] = __popc(__ballot_sync(~0u, v > w)); 
  o[63] = k;
}

#ifndef KERNEL_ONLY
int main() {
  static unsigned in[256], out[96 * OUT];
  unsigned seed = SEED, *device_in, *device_out;
  for (auto& x : in) x = (seed = seed * 1664525u + 1013904223u) >> 12;
  cudaMalloc(&device_in, sizeof in);
  cudaMalloc(&device_out, sizeof out);
  cudaMemset(device_out, 0, sizeof out);
  cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
  groups<<<1, 96>>>(device_in, device_out);
  if (cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost)) return 1;
  for (unsigned x : out) printf("%u\n", x);
}
#endif
