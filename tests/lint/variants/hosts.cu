//// rules: PG2047 PG2048 PG2049 PG2050 PG2051 PG2052 PG2053 PG2060 PG2061
//// case managed
__device__ __managed__ int flag;  // PG2047
template <class T> T* make(size_t n) { T* p; check(cudaMallocManaged(&p, n)); return p; }  // PG2047
//// case managed-attribute-only
void f(int* v) { check(cudaDeviceGetAttribute(v, cudaDevAttrManagedMemory, 0)); }
//// case peers-unasked
void f() { check(cudaDeviceEnablePeerAccess(1, 0)); }  // PG2048
//// case peers-asked
void f() {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can) check(cudaDeviceEnablePeerAccess(1, 0));
}
//// case peer-copy-unasked
void f(void* d, void* s, size_t n) { check(cudaMemcpyPeer(d, 1, s, 0, n)); }
//// case default-stream
__global__ void k(int* x);
void f(int* x, cudaStream_t stream) {
  k<<<1, 32>>>(x);  // PG2049
  k<<<1, 32, 0, stream>>>(x);
  check(cudaMemsetAsync(x, 0, 4));  // PG2049
}
//// case default-stream-own hints=1
__global__ void k(int* x);
void f(int* x) {
  cudaStream_t s;
  check(cudaStreamCreate(&s));
  k<<<1, 32>>>(x);  // PG2049
  k<<<1, 32, 0, s>>>(x);
}
//// case default-stream-only
__global__ void k(int* x);
void f(int* x) { k<<<1, 32>>>(x); k<<<1, 32, 16>>>(x); }
//// case stream-made-later
__global__ void k(int* x);
void f(int* x) {
  k<<<1, 32>>>(x);
  check(cudaDeviceSynchronize());
  cudaStream_t s;
  check(cudaStreamCreate(&s));
  k<<<1, 32, 0, s>>>(x);
}
//// case groups-lacking
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>  // PG2050
namespace cg = cooperative_groups;
__global__ void k(int* x) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  x[0] = cg::reduce(warp, x[1], cg::plus<int>());  // PG2050
  cg::memcpy_async(block, x, x + 4, 16);  // PG2050
  cg::wait(block);  // PG2050
  x[1] = block.group_index().x + warp.meta_group_rank();
  x[2] = block.dim_threads().x;  // PG2050
}
//// case groups-by-using
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void k(int* x) {
  thread_block b = this_thread_block();
  auto parts = labeled_partition(coalesced_threads(), x[threadIdx.x]);  // PG2050
  parts.sync();
  b.sync();
}
//// case libraries
#include <cudnn.h>  // PG2051
#include "cutlass/cutlass.h"  // PG2051
#include <cublas_v2.h>
#include <cub/cub.cuh>
//// case libraries-guarded
#include <cuda_runtime.h>
#ifndef USE_ROCM
#include <cudnn.h>
#endif
//// case fragments
#include <mma.h>
using namespace nvcuda;  // PG2052
__global__ void k(float* x) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  wmma::store_matrix_sync(x, c, 16, wmma::mem_row_major);
}
//// case clusters
__global__ void __cluster_dims__(2, 1, 1) k(int* x) { x[0] = 0; }  // PG2053
//// case strided-access hints=1
__global__ void k(const float* x, float* y, int n) {
  y[threadIdx.x] = x[threadIdx.x * n];  // PG2060
  y[threadIdx.x] = x[n * 4 + threadIdx.x];
}
//// case banks hints=1
constexpr int T = 32;
template <class F> __global__ void k(const float* x, float* y) {
  __shared__ float a[T][T];  // PG2061
  __shared__ float b[T][T + 1];
  const int t = threadIdx.x;
  a[threadIdx.y][t] = x[t];
  b[threadIdx.y][t] = x[t];
  __syncthreads();
  y[t] = a[t][threadIdx.y] + b[t][threadIdx.y];
}
