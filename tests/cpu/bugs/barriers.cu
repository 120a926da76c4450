// Barriers that part of the block does not reach.
#include "bugs.h"

// Only the first half of the block waits.
template <bool BUG>
__global__ void barrier_in_branch(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = threadIdx.x;
    if (BUG) __syncthreads();  // PG4001
  } else {
    s[threadIdx.x] = 2 * threadIdx.x;
    if (BUG) __syncthreads();
  }
  if (!BUG) __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
PLANT(barrier_in_branch) {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  barrier_in_branch<BUG><<<1, 64>>>(out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 126 && out[63] == 0;
  cudaFree(out);
  return ok;
}

// Threads behind the end of the data return, the others wait for them.
template <bool BUG>
__global__ void early_return(const int* x, int* out, int n) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (BUG && i >= n) return;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();  // PG4002
  if (i < n) out[i] = s[threadIdx.x ^ 1];
}
PLANT(early_return) {
  int *x, *out;
  cudaMallocManaged(&x, 100 * sizeof(int));
  cudaMallocManaged(&out, 100 * sizeof(int));
  for (int i = 0; i < 100; ++i) x[i] = i;
  early_return<BUG><<<2, 64>>>(x, out, 100);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 1 && out[99] == 98;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// The number of barriers depends on the thread.
template <bool BUG>
__global__ void barrier_in_loop(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = 0;
  const int rounds = BUG ? 1 + (threadIdx.x & 1) : 2;
  for (int i = 0; i < rounds; ++i) {
    s[threadIdx.x] += 1;
    __syncthreads();  // PG4002
  }
  out[threadIdx.x] = s[threadIdx.x];
}
PLANT(barrier_in_loop) {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  barrier_in_loop<BUG><<<1, 32>>>(out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 2 && out[31] == 2;
  cudaFree(out);
  return ok;
}

// A grid barrier in a launch that is not cooperative.
template <bool BUG>
__global__ void grid_sync(int* count, int* out) {
  atomicAdd(count, 1);
  cooperative_groups::this_grid().sync();  // PG4008
  out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int*)count;
}
PLANT(grid_sync) {
  int *count, *out;
  cudaMallocManaged(&count, sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  *count = 0;
  void* args[] = {&count, &out};
  if (BUG) grid_sync<BUG><<<2, 32>>>(count, out);
  else cudaLaunchCooperativeKernel((void*)grid_sync<BUG>, 2, 32, args);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 64 && out[63] == 64;
  cudaFree(count);
  cudaFree(out);
  return ok;
}

// One block leaves before the grid barrier.
template <bool BUG>
__global__ void grid_sync_part(int* count) {
  if (BUG && blockIdx.x == 1) return;
  cooperative_groups::this_grid().sync();  // PG4008
  if (threadIdx.x == 0) atomicAdd(count, 1);
}
PLANT(grid_sync_part) {
  int* count;
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  void* args[] = {&count};
  cudaLaunchCooperativeKernel((void*)grid_sync_part<BUG>, 3, 32, args);
  cudaDeviceSynchronize();
  const bool ok = *count == 3;
  cudaFree(count);
  return ok;
}

// A flag that nobody sets. (Found by the watchdog, so the test gives it a short time.)
template <bool BUG>
__global__ void endless(volatile int* flag, int* out) {
  if (threadIdx.x == 0 && !BUG) *flag = 1;
  __syncthreads();
  while (*flag == 0) continue;  // PG4010
  out[threadIdx.x] = *flag;
}
PLANT(endless) {
  int *flag, *out;
  cudaMallocManaged(&flag, sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  *flag = 0;
  endless<BUG><<<1, 32>>>(flag, out);
  cudaDeviceSynchronize();
  const bool ok = out[31] == 1;
  cudaFree(flag);
  cudaFree(out);
  return ok;
}
