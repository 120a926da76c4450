// Data races between the threads of a block. Their results are often right on one schedule.
#include "bugs.h"

// No barrier between writing and reading the tile.
template <bool BUG>
__global__ void missing_barrier(const int* x, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (!BUG) __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];  // PG4040 PG4035
}
PLANT(missing_barrier) {
  int *x, *out;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  missing_barrier<BUG><<<1, 64>>>(x, out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 63 && out[63] == 0;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// The tile is filled again while others still read it.
template <bool BUG>
__global__ void write_after_read(const int* x, int* out) {
  __shared__ int s[64];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    s[threadIdx.x] = x[round * 64 + threadIdx.x];  // PG4040
    __syncthreads();
    sum += s[(threadIdx.x + 1) % 64];
    if (!BUG) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
PLANT(write_after_read) {
  int *x, *out;
  cudaMallocManaged(&x, 256 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 256; ++i) x[i] = i;
  write_after_read<BUG><<<1, 64>>>(x, out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 1 + 65 + 129 + 193;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// A histogram that counts without atomics.
template <bool BUG>
__global__ void no_atomic(const int* x, int* out) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  if (BUG) bins[x[threadIdx.x]]++;  // PG4040
  else atomicAdd(&bins[x[threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = bins[threadIdx.x];
}
PLANT(no_atomic) {
  int *x, *out;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMallocManaged(&out, 4 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i % 4;
  no_atomic<BUG><<<1, 64>>>(x, out);
  cudaDeviceSynchronize();
  const bool ok = out[0] == 16 && out[3] == 16;
  cudaFree(x);
  cudaFree(out);
  return ok;
}

// One thread sets the total to zero while others already add to it.
template <bool BUG>
__global__ void late_zero(int* out) {
  __shared__ int total;
  if (threadIdx.x == 63) total = 0;  // PG4040 PG4035
  if (!BUG) __syncthreads();
  atomicAdd(&total, 1);  // PG4040 PG4035
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}
PLANT(late_zero) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  late_zero<BUG><<<1, 64>>>(out);
  cudaDeviceSynchronize();
  const bool ok = *out == 64;
  cudaFree(out);
  return ok;
}

// Every thread writes its own value to one place in device memory.
template <bool BUG>
__global__ void global_race(int* out) {
  if (!BUG && threadIdx.x != 63) return;
  *out = threadIdx.x;  // PG4040
}
PLANT(global_race) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  global_race<BUG><<<1, 64>>>(out);
  cudaDeviceSynchronize();
  const bool ok = *out == 63;
  cudaFree(out);
  return ok;
}

// Several threads writing the same value is fine; the correct twin shows that it is not reported.
template <bool BUG>
__global__ void same_value(const int* x, int* found) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (x[threadIdx.x] > 5) any = BUG ? x[threadIdx.x] : 1;  // PG4040
  __syncthreads();
  if (threadIdx.x == 0) *found = any;
}
PLANT(same_value) {
  int *x, *found;
  cudaMallocManaged(&x, 64 * sizeof(int));
  cudaMallocManaged(&found, sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  same_value<BUG><<<1, 64>>>(x, found);
  cudaDeviceSynchronize();
  const bool ok = *found == 1;
  cudaFree(x);
  cudaFree(found);
  return ok;
}

// The second stage of a block reduction starts before the first has ended.
template <bool BUG>
__global__ void two_stage(int* out) {
  __shared__ int s[8];
  int v = 1;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  if (!BUG) __syncthreads();
  if (threadIdx.x < 8) {
    v = s[threadIdx.x];  // PG4035 PG4040
    for (int o = 4; o; o >>= 1) v += __shfl_xor_sync(0xffu, v, o);
    if (threadIdx.x == 0) *out = v;
  }
}
PLANT(two_stage) {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  two_stage<BUG><<<1, 256>>>(out);
  cudaDeviceSynchronize();
  const bool ok = *out == 256;
  cudaFree(out);
  return ok;
}
