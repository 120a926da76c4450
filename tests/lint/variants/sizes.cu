//// rules: PG2020 PG2021 PG2022 PG2023 PG2024 PG2025
//// case bounds-by-constants
constexpr int kThreads = 256, kBlocks = 4;
template <class T> __global__ void __launch_bounds__(kThreads, kBlocks) k(T* x) { x[0] = 0; }  // PG2020
//// case bounds-by-macro
#define BOUNDS(t, b) __launch_bounds__(t, b)
__global__ void BOUNDS(128, 8) k(int* x) { x[0] = 0; }  // PG2020
//// case bounds-without-second
template <int T> __global__ void __launch_bounds__(T) k(int* x) { x[0] = 0; }
__global__ void __launch_bounds__(1024, 1) one(int* x) { x[0] = 0; }
//// case block-by-product
constexpr int kWarps = 64, kWarp = 32;
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) { k<<<1, kWarps * kWarp>>>(x); }  // PG2021
//// case block-by-variable
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) {
  int threads = 2048;
  k<<<1, threads>>>(x);  // PG2021
}
//// case block-by-changed-variable
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x, int n) {
  int threads = 2048;
  if (n < 10) threads = 64;
  threads = threads > 1024 ? 1024 : threads;
  k<<<1, threads>>>(x);
}
//// case block-by-reference-argument
void choose(int& threads);
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) { int threads = 4096; choose(threads); k<<<1, threads>>>(x); }
//// case block-of-three-dimensions
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) {
  const dim3 block{32, 32, 2};
  k<<<dim3(4), block>>>(x);  // PG2021
  k<<<dim3(4), dim3{32, 16, 2}>>>(x);
}
//// case block-over-bounds-of-template
template <int B> __global__ void __launch_bounds__(B) k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) {
  k<128><<<1, 256>>>(x);  // PG2021
  k<256><<<1, 256>>>(x);
}
//// case block-over-bounds-in-other-file
#include "k.cuh"
void f(int* x) { k<<<1, 512>>>(x); }  // PG2021
//// file k.cuh
#define MAX_THREADS 256
__global__ void __launch_bounds__(MAX_THREADS) k(int* x) { x[threadIdx.x] = 0; }
//// case block-of-cooperative-launch
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) {
  void* args[] = {&x};
  check(cudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(2048), args, 0, nullptr));  // PG2021
}
//// case block-set-by-member
__global__ void k(int* x) { x[threadIdx.x] = 0; }
void f(int* x) {
  dim3 block(1024, 1, 1);
  block.y = 4;
  k<<<1, block>>>(x);  // PG2021
}
//// case grid-y-over-limit
__global__ void k(int* x) { x[blockIdx.y] = 0; }
void f(int* x) {
  constexpr unsigned rows = 1u << 17;
  k<<<dim3(1, rows), 64>>>(x);  // PG2022
  k<<<dim3(rows, 1), 64>>>(x);
}
//// case grid-times-block-over-32-bits
__global__ void k(int* x) { x[blockIdx.x] = 0; }
void f(int* x) {
  k<<<1 << 23, 1024>>>(x);  // PG2022
  k<<<1 << 20, 1024>>>(x);
}
//// case static-shared-by-template-argument
template <int N> __global__ void k(float* x) { __shared__ float s[N][N]; x[0] = s[0][0]; }
void f(float* x) {
  k<128><<<1, 64>>>(x);  // PG2023
  k<64><<<1, 64>>>(x);
}
//// case static-shared-in-helper
__device__ float part(float v) { __shared__ double s[5000]; s[0] = v; return s[1]; }
__global__ void k(float* x) {
  __shared__ double t[5000];  // PG2023
  t[0] = x[0];
  x[0] = part(x[1]) + t[1];
}
//// case static-shared-struct
struct Tile { float a[64][64]; float b[64][65]; };
__global__ void k(float* x) {
  __shared__ Tile t[2];  // PG2023
  x[0] = t[0].a[0][0];
}
//// case static-shared-union
__global__ void k(float* x) {
  __shared__ union { float a[8192]; int b[8192]; } t;
  x[0] = t.a[0];
}
//// case static-shared-in-branches
template <bool Big> __global__ void k(float* x) {
  if constexpr (Big) { __shared__ float s[10000]; x[0] = s[0]; }
  else { __shared__ float s[8000]; x[0] = s[0]; }
}
//// case dynamic-shared-by-chain
constexpr int kTile = 160;
constexpr size_t kBytes = kTile * kTile * sizeof(float);
__global__ void k(float* x);
void f(float* x) {
  check(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));  // PG2024
  k<<<1, 256, kBytes>>>(x);  // PG2024
}
//// case dynamic-shared-fits
__global__ void k(float* x);
void f(float* x, int n) {
  const size_t bytes = 2 * 64 * 64 * sizeof(float);
  k<<<1, 256, bytes>>>(x);
  k<<<1, 256, n * sizeof(float)>>>(x);
}
//// case dynamic-shared-by-ternary
__global__ void k(float* x);
void f(float* x, bool big) {
  const int small = 1024;
  k<<<1, 256, big ? 2 * small : small>>>(x);
}
//// case product-widened-by-declaration
#include <cuda_runtime.h>
void f(int rows, int cols) {
  size_t n = rows * cols;  // PG2025
  const int64_t m = (rows * cols);  // PG2025
  long long k = static_cast<long long>(rows) * cols;
  std::size_t small = rows * 4;
  int cells = rows * cols;
  use(n, m, k, small, cells);
}
//// case product-widened-by-assignment
#include <cuda_runtime.h>
void f(int rows, int cols, size_t& n) {
  n = rows * cols;  // PG2025
  n += rows * cols;  // PG2025
}
//// case product-widened-by-return
#include <cuda_runtime.h>
size_t count(int rows, int cols) { return rows * cols; }  // PG2025
size_t right(int rows, int cols) { return size_t(rows) * cols; }
int kept(int rows, int cols) { return rows * cols; }
//// case product-widened-by-argument
#include <cuda_runtime.h>
void alloc(void** p, size_t bytes);
void f(void** p, int rows, int cols) {
  alloc(p, rows * cols);  // PG2025
  alloc(p, (size_t)rows * cols);
}
//// case product-of-three
#include <cuda_runtime.h>
void f(int batch, int rows, int cols) {
  size_t n = size_t(batch) * (rows * cols);  // PG2025
  size_t m = size_t(batch) * rows * cols;
  size_t k = batch * rows * cols;  // PG2025
  size_t o = rows * cols * 2 + size_t(1);  // PG2025
  use(n, m, k, o);
}
//// case product-in-kernel-index
#include <cuda_runtime.h>
__global__ void k(float* x, int stride, int64_t wide) {
  int64_t row = blockIdx.x * stride;  // PG2025
  int64_t right = blockIdx.x * wide;
  int64_t at = (int64_t)blockIdx.x * stride + threadIdx.x;
  x[row + right + at] = 0;
}
//// case product-of-thread-index
#include <cuda_runtime.h>
__global__ void k(float* x, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
//// case product-for-kernel-size
#include <cuda_runtime.h>
void f(int rows, int cols, float* p, float* q) {
  check(cudaMemcpy(p, q, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice));  // PG2025
  check(cudaMemcpy(p, q, sizeof(float) * rows * cols, cudaMemcpyDeviceToDevice));
  check(cudaMemcpy(p, q, sizeof(float) * (rows * cols), cudaMemcpyDeviceToDevice));  // PG2025
}
//// case product-of-alias
#include <cuda_runtime.h>
using index_t = int64_t;
using small_t = int;
void f(small_t rows, small_t cols, index_t wide) {
  index_t n = rows * cols;  // PG2025
  index_t m = wide * cols;
  use(n, m);
}
//// case product-of-template-type
#include <cuda_runtime.h>
template <class I> void f(I rows, I cols) { size_t n = rows * cols; use(n); }
//// case product-of-auto
#include <cuda_runtime.h>
void f(int rows, int cols) {
  auto n = rows * cols;
  size_t m = n;
  use(m);
}
//// case product-of-small-constants
#include <cuda_runtime.h>
void f(int threads) {
  constexpr int a = 16, b = 8;
  size_t n = a * b;
  const int tile = 32;
  size_t m = tile * threads;
  size_t smem = threads * threads * sizeof(float);
  use(n, m, smem);
}
//// case product-of-chars
#include <cuda_runtime.h>
__device__ size_t f(unsigned char a, short b) { size_t n = a * b; return n; }
//// case product-compared
#include <cuda_runtime.h>
void f(int rows, int cols, size_t n) { if (n < rows * cols) use(n); }
