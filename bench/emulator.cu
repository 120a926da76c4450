// Two kernels for bench/emulator.py: softmax over 1024 rows of 1024, and a bitonic sort of each of
// 1024 blocks of 1024 keys. Prints seconds of each and checks the results.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int ROWS = 1024, N = 1024, THREADS = 256;

template <class Op>
__device__ float block_reduce(float v, Op op, float start) {
  __shared__ float partial[32];
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : start;
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();
  return v;
}
__global__ void softmax(const float* x, float* y, int n) {
  x += size_t(blockIdx.x) * n, y += size_t(blockIdx.x) * n;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
  most = block_reduce(most, [](float a, float b) { return fmaxf(a, b); }, -INFINITY);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(x[i] - most);
  sum = block_reduce(sum, [](float a, float b) { return a + b; }, 0.0f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = __expf(x[i] - most) / sum;
}
// Every step is a barrier: 55 of them for 1024 keys.
__global__ void sort_blocks(unsigned* keys) {
  __shared__ unsigned s[N];
  unsigned* mine = keys + size_t(blockIdx.x) * N;
  s[threadIdx.x] = mine[threadIdx.x];
  s[threadIdx.x + N / 2] = mine[threadIdx.x + N / 2];
  for (unsigned size = 2; size <= N; size *= 2) {
    for (unsigned step = size / 2; step; step /= 2) {
      __syncthreads();
      const unsigned i = 2 * threadIdx.x - (threadIdx.x & (step - 1));
      const bool up = (i & size) == 0;
      if ((s[i] > s[i + step]) == up) {
        const unsigned t = s[i];
        s[i] = s[i + step];
        s[i + step] = t;
      }
    }
  }
  __syncthreads();
  mine[threadIdx.x] = s[threadIdx.x];
  mine[threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

int main() {
  float *x, *y;
  unsigned* keys;
  cudaMallocManaged(&x, sizeof(float) * ROWS * N);
  cudaMallocManaged(&y, sizeof(float) * ROWS * N);
  cudaMallocManaged(&keys, sizeof(unsigned) * ROWS * N);
  srand(1);
  for (int i = 0; i < ROWS * N; ++i) x[i] = float(rand() % 1000) * 0.01f, keys[i] = unsigned(rand());
  std::vector<unsigned> wanted(keys, keys + N);
  std::sort(wanted.begin(), wanted.end());
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  float ms[2];
  cudaEventRecord(a);
  softmax<<<ROWS, THREADS>>>(x, y, N);
  cudaEventRecord(b);
  cudaEventElapsedTime(&ms[0], a, b);
  cudaEventRecord(a);
  sort_blocks<<<ROWS, N / 2>>>(keys);
  cudaEventRecord(b);
  cudaEventElapsedTime(&ms[1], a, b);
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += y[i];
  const bool ok = fabs(sum - 1) < 1e-4 && std::equal(wanted.begin(), wanted.end(), keys);
  printf("%g %g\n", ms[0] * 1e-3, ms[1] * 1e-3);
  return ok ? 0 : 1;
}
