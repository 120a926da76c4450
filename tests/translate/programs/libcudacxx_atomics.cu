// libcu++: atomics with scopes on host and device, block barriers with split arrival.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda_runtime.h>
#include "common.cuh"

using device_count = cuda::atomic<int, cuda::thread_scope_device>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__host__ __device__ inline void count(cuda::atomic_ref<unsigned long long> total, int v) {
  total.fetch_add(v, cuda::memory_order_relaxed);
}

__device__ void work_scopes(int* p) {
  int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> a(p[0]);
  a += t;
  a.fetch_sub(1, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_block>(p[1 + blockIdx.x]).fetch_max(t, cuda::memory_order_acq_rel);
  cuda::atomic_ref<int>(p[3]).fetch_min(-t);
  cuda::atomic_ref<unsigned>(reinterpret_cast<unsigned&>(p[4])).fetch_or(1u << (t % 32));
  cuda::atomic_ref<float, cuda::thread_scope_device> f(reinterpret_cast<float&>(p[5]));
  f.fetch_add(0.5f);
  cuda::atomic_ref<float, cuda::thread_scope_device>(reinterpret_cast<float&>(p[6])).fetch_max(float(t));
  cuda::atomic_ref<int, cuda::thread_scope_device> c(p[7]);
  int seen = c.load(cuda::memory_order_relaxed);
  while (!c.compare_exchange_weak(seen, seen + t, cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) {
  }
  reinterpret_cast<device_count*>(p + 8)->fetch_xor(t);
  ++*reinterpret_cast<device_count*>(p + 9);
  reinterpret_cast<cuda::std::atomic<int>*>(p + 10)->fetch_and(~(1 << (t % 16)));
  count(cuda::atomic_ref<unsigned long long>(reinterpret_cast<unsigned long long&>(p[12])), t);
}

__global__ void work(int* p, int* out, int rounds) {
  __shared__ int tile[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  for (int round = 0; round < rounds; ++round) {
    cuda::memcpy_async(block, tile, p + 128 * (round + 1), sizeof(tile), bar);
    block_barrier::arrival_token token = bar.arrive();
    cuda::std::array<int, 2> own{round, 3};
    bar.wait(cuda::std::move(token));
    int mine = tile[127 - threadIdx.x] * own[1] + own[0], other = cuda::std::numeric_limits<int>::max();
    cuda::std::swap(mine, other);
    if (blockIdx.x == 0) out[128 * (round + 1) + threadIdx.x] = other;
    bar.arrive_and_wait();
  }
  work_scopes(p);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

int main() {
  const int rounds = 3;
  auto out = run_on_device(numbers<int>(2 * 128 * (rounds + 1)), [=](int* p) {
    CHECK(cudaMemset(p, 0, 16 * sizeof(int)));
    work<<<2, 128>>>(p, p + 128 * (rounds + 1), rounds);
  });
  cuda::atomic<long long> total(2);
  cuda::std::atomic<int> steps{0};
  cuda::atomic<int> high{0};
  for (int v : out) {
    total.fetch_add(v);
    high.fetch_max(v, cuda::std::memory_order_relaxed);
    ++steps;
  }
  long long expected = 0;
  if (!total.compare_exchange_strong(expected, 1)) total -= expected - 5;
  unsigned long long more = 7;
  count(cuda::atomic_ref<unsigned long long>(more), high.load() + steps);
  out.push_back(static_cast<int>(total.exchange(0)));
  out.push_back(static_cast<int>(more));
  return report("libcudacxx_atomics", checksum(out));
}
