// Atomics, barriers and pipelines of libcu++.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void counters(cuda::atomic<int, cuda::thread_scope_device>* a, int* plain, float* most, unsigned* order) {
  a->fetch_add(1, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*plain);
  r += 2;
  cuda::atomic_ref<float, cuda::thread_scope_device>(*most).fetch_max(float(threadIdx.x));
  cuda::atomic_ref<unsigned> o(*order);
  unsigned seen = o.load();
  while (!o.compare_exchange_weak(seen, seen * 3 + 1)) {
  }
}
// Split arrival: work between arriving and waiting; the tile is reversed by other threads.
__global__ void reversed(const int* x, int* y) {
  __shared__ int tile[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(block, tile, x + round * 128, sizeof(int) * 128, bar);
    block_barrier::arrival_token token = bar.arrive();
    int own = round;
    bar.wait(std::move(token));
    y[round * 128 + threadIdx.x] = tile[127 - threadIdx.x] + own;
    bar.arrive_and_wait();
  }
}
// Two stages: the copies of the next tile beside the work on this one.
template <int Stages>
__global__ void piped(const int* x, long long* sums, int tiles) {
  __shared__ int tile[Stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  long long sum = 0;
  for (int work = 0, fetch = 0; work < tiles; ++work) {
    for (; fetch < tiles && fetch < work + Stages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % Stages], x + fetch * 64, cuda::aligned_size_t<4>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[work % Stages][(threadIdx.x + 7) % 64];
    pipe.consumer_release();
  }
  sums[threadIdx.x] = sum;
}
// Warp 0 produces, the others consume.
__global__ void roles(const int* x, int* y, int n) {
  __shared__ int slot[2];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, 32);
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      pipe.producer_acquire();
      if (threadIdx.x == 0) slot[i % 2] = x[i];
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      pipe.consumer_wait();
      sum += slot[i % 2] * (i + 1);
      pipe.consumer_release();
    }
    y[threadIdx.x - 32] = sum;
  }
}

int main() {
  int bad = 0;
  cuda::atomic<int, cuda::thread_scope_device>* a;
  int *plain, *x, *y;
  float* most;
  unsigned* order;
  long long* sums;
  cudaMallocManaged(&a, sizeof(*a));
  cudaMallocManaged(&plain, 4);
  cudaMallocManaged(&most, 4);
  cudaMallocManaged(&order, 4);
  cudaMallocManaged(&x, 384 * 4);
  cudaMallocManaged(&y, 384 * 4);
  cudaMallocManaged(&sums, 64 * 8);
  a->store(5);
  *plain = 0; *most = 0; *order = 0;
  counters<<<6, 96>>>(a, plain, most, order);
  unsigned want = 0;
  for (int i = 0; i < 576; ++i) want = want * 3 + 1;
  bad += cudaDeviceSynchronize() != cudaSuccess || a->load() != 581 || *plain != 1152 || *most != 95 || *order != want;
  for (int i = 0; i < 384; ++i) x[i] = i * i % 101;
  reversed<<<1, 128>>>(x, y);
  cudaDeviceSynchronize();
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 128; ++i) bad += y[r * 128 + i] != x[r * 128 + 127 - i] + r;
  for (int stages = 1; stages < 3; ++stages) {
    if (stages == 1) piped<1><<<1, 64>>>(x, sums, 6);
    else piped<2><<<1, 64>>>(x, sums, 6);
    cudaDeviceSynchronize();
    for (int t = 0; t < 64; ++t) {
      long long s = 0;
      for (int k = 0; k < 6; ++k) s += x[k * 64 + (t + 7) % 64];
      bad += s != sums[t];
    }
  }
  roles<<<1, 96>>>(x, y, 20);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum += x[i] * (i + 1);
  for (int t = 0; t < 64; ++t) bad += y[t] != sum;
  static_assert(cuda::std::is_same<int, int>::value, "");
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad;
}
