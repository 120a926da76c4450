// libcu++ pipelines: of one thread, of a block whose threads do all, of halves that produce and consume.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include "common.cuh"

namespace pipelines {
namespace cg = cooperative_groups;
constexpr int stages = 3, block = 128, rounds = 10;

__global__ void alone(const int* in, int* out) {
  __shared__ int tile[2][block];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[r % 2][threadIdx.x], &in[r * block + threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    sum += tile[r % 2][block - 1 - threadIdx.x] * (r + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void together(const int* in, int* out) {
  __shared__ int tile[stages][block];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto group = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(group, &state);
  int sum = 0;
  for (int done = 0, filled = 0; done < rounds; ++done) {
    for (; filled < rounds && filled < done + stages; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(group, tile[filled % stages], in + filled * block,
                         cuda::aligned_size_t<4>(sizeof(int) * block), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[done % stages][(threadIdx.x + 7 * done) % block] * (done + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// Each half is a whole wave of 64.
__global__ void halves(const int* in, int* out) {
  __shared__ int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto group = cg::this_thread_block();
  const bool produces = threadIdx.x < 64;
  auto pipe = cuda::make_pipeline(
      group, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[r % 2][threadIdx.x], &in[r * 64 + threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[r % 2][(threadIdx.x + r) % 64] * (r + 1);
      pipe.consumer_release();
    }
  }
  if (!produces) out[threadIdx.x - 64] = sum;
  pipe.quit();
}
}  // namespace pipelines

int main() {
  using namespace pipelines;
  uint64_t h = 0;
  for (int which = 0; which < 3; ++which) {
    std::vector<int> data = numbers(rounds * block + block);
    data = run_on_device(data, [=](int* p) {
      int* out = p + rounds * block;
      if (which == 0) alone<<<1, block>>>(p, out);
      if (which == 1) together<<<1, block>>>(p, out);
      if (which == 2) halves<<<1, block>>>(p, out);
    });
    h = mix(h, checksum(data));
  }
  return report("pipelines", h);
}
