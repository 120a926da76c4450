// Cooperative groups: scans, labeled and coalesced groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include "common.cuh"

namespace cg = cooperative_groups;
__global__ void work(int* p) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = cg::inclusive_scan(warp, p[i], cg::plus<int>());
  int b = cg::exclusive_scan(warp, p[i], cg::plus<int>());
  auto same = cg::labeled_partition(warp, p[i] % 5);
  int c = cg::reduce(same, 1, cg::plus<int>());
  if (p[i] & 1) {
    cg::coalesced_group odd = cg::coalesced_threads();
    c += static_cast<int>(odd.thread_rank() + odd.size());
  }
  p[i] = a + b * 3 + c * 7;
}

int main() {
  auto out = run_on_device(numbers<int>(256), [](int* p) { work<<<2, 128>>>(p); });
  return report("cooperative_scan", checksum(out));
}
