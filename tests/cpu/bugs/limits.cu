// Launches that a device refuses, and kernels that stop themselves.
#include "bugs.h"

template <bool BUG>
__global__ void block_too_big(int* out) {
  if (threadIdx.x == 0) *out = blockDim.x;
}
PLANT(block_too_big) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  block_too_big<BUG><<<1, BUG ? 2048 : 1024>>>(out);  // PG4020
  cudaDeviceSynchronize();
  const bool ok = *out == 1024;
  cudaFree(out);
  return ok;
}

template <bool BUG>
__global__ void grid_too_high(int* out) {
  if (blockIdx.y == gridDim.y - 1) *out = gridDim.y;
}
PLANT(grid_too_high) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  grid_too_high<BUG><<<dim3(1, BUG ? 70000 : 7000), 1>>>(out);  // PG4020
  cudaDeviceSynchronize();
  const bool ok = *out == 7000;
  cudaFree(out);
  return ok;
}

template <bool BUG>
__global__ void shared_too_big(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = s[blockDim.x - 1];
}
PLANT(shared_too_big) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  shared_too_big<BUG><<<1, 64, BUG ? 300000 : 40000>>>(out);  // PG4020
  cudaDeviceSynchronize();
  const bool ok = *out == 63;
  cudaFree(out);
  return ok;
}

template <bool BUG>
__global__ void divide_by_zero(int* out, int n) {
  out[threadIdx.x] = 100 / (BUG ? int(threadIdx.x) - n : int(threadIdx.x) + 1);  // PG4013
}
PLANT(divide_by_zero) {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  divide_by_zero<BUG><<<1, 32>>>(out, 20);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 100;
  cudaFree(out);
  return ok;
}

template <bool BUG>
__global__ void failed_assert(int n) {
  assert(int(threadIdx.x) < n);  // PG4011
}
PLANT(failed_assert) {
  failed_assert<BUG><<<1, 64>>>(BUG ? 63 : 64);
  return cudaDeviceSynchronize() == cudaSuccess;
}

template <bool BUG>
__global__ void trapped() {
  if (BUG && threadIdx.x == 5) __trap();  // PG4012
}
PLANT(trapped) {
  trapped<BUG><<<1, 64>>>();
  return cudaDeviceSynchronize() == cudaSuccess;
}

// The reduction halves a block whose size is no power of two, and forgets a thread.
template <bool BUG>
__global__ void wrong_tail(int* out) {
  __shared__ int s[96];
  const int tid = threadIdx.x;
  s[tid] = 1;
  __syncthreads();
  for (int n = blockDim.x; n > 1;) {
    const int half = BUG ? n / 2 : (n + 1) / 2;
    if (tid < n / 2) s[tid] += s[tid + half];
    __syncthreads();
    n = half;
  }
  assert(s[0] == int(blockDim.x));  // PG4011
  if (tid == 0) *out = s[0];
}
PLANT(wrong_tail) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  wrong_tail<BUG><<<1, 96>>>(out);
  cudaDeviceSynchronize();
  const bool ok = *out == 96;
  cudaFree(out);
  return ok;
}
