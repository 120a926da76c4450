//// rules: PG2001 PG2002 PG2007 PG2009 PG2010
//// case constexpr-warp-size
constexpr int kWarp = 32;
__global__ void k(float* y, float v) {
  constexpr unsigned mask = kWarp - 1;
  int lane = threadIdx.x & mask;
  if (lane == 0) y[threadIdx.x / kWarp] = v;
}
//// case named-constants-of-native-code warp=native
constexpr int kWarp = 32;  // PG2009
__global__ void k(float* y, float v) {
  int lane = threadIdx.x % kWarp;
  y[lane] = v;
}
//// case template-width
template <int W> __global__ void k(float* y, float v) {
  int lane = threadIdx.x % W;
  for (int d = W / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, W);
  if (lane == 0) y[threadIdx.x / W] = v;
}
//// case helper-returns-lane
__device__ inline int lane_of(int t) { return t & 31; }
__global__ void k(float* y, float v) {
  const int lane = lane_of(threadIdx.x);
  if (lane == 0) y[0] = v;
}
//// case helper-with-thread-index
__device__ __forceinline__ int laneId() { return threadIdx.x & 0x1f; }  // PG2001
__device__ __forceinline__ int warpId() { return threadIdx.x >> 5; }  // PG2001
__global__ void k(float* y, float v) { if (laneId() == 0) y[warpId()] = v; }
//// case macro-lane
#define LANE_ID (threadIdx.x & 31)
__global__ void k(float* y, float v) { if (LANE_ID == 0) y[0] = __shfl_sync(~0u, v, 0, 32); }  // PG2001
//// case index-by-two-steps
__global__ void k(float* y, float v) {
  unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned t = tid;
  unsigned laneIdx = t % 32u;  // PG2001
  auto warpIdx = static_cast<int>(t / 32u);  // PG2001
  if (laneIdx == 0) y[warpIdx] = v;
}
//// case modulo-of-data-word
__device__ bool bit(const unsigned* w, int i) { return (w[i / 32] >> (i % 32)) & 1; }
__global__ void k(const unsigned* w, bool* o) { o[threadIdx.x] = bit(w, threadIdx.x); }
//// case bitmap-beside-a-vote
__global__ void pack(const float* x, unsigned* bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned b = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
  if ((threadIdx.x & 31) == 0) bits[i / 32] = b;  // PG2001
}
//// case tile-of-32-columns
__global__ void t(const float* x, float* y, int n) {
  __shared__ float tile[32][33];
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = x[(threadIdx.y + j) * n];
  __syncthreads();
  y[threadIdx.x / 32] = tile[threadIdx.x % 32][threadIdx.y];
}
//// case reduction-loop-in-while
__device__ float sum(float v) {
  int d = 16;  // PG2002
  while (d > 0) { v += __shfl_down_sync(0xffffffffu, v, d); d >>= 1; }
  return v;
}
//// case reduction-by-constant
constexpr int WARP_SIZE = 32;  // PG2009
__device__ float sum(float v) {
  for (int d = WARP_SIZE / 2; d > 0; d >>= 1)  // PG2002
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}
void launch(float* p, float* q) { q[0] = p[0] / WARP_SIZE; }
//// case reduction-with-width
__device__ float sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d, 32);
  return v;
}
//// case reduction-rising
__device__ float sum(float v) {
  for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(0xffffffffu, v, d);  // PG2002
  return v;
}
//// case reduction-rising-to-16
__device__ float sum(float v) {
#pragma unroll
  for (int d = 1; d <= 16; d <<= 1)  // PG2002
    v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
//// case groups-of-16
__device__ float sum(float v) {
  for (int d = 8; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
//// case reduction-in-lambda
__global__ void k(float* x) {
  auto sum = [](float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);  // PG2002
    return v;
  };
  x[0] = sum(x[threadIdx.x]);
}
//// case reduction-by-template-recursion
template <int D> __device__ float sum(float v) {
  if constexpr (D > 0) return sum<D / 2>(v + __shfl_xor_sync(0xffffffff, v, D));
  return v;
}
__global__ void k(float* x) { x[0] = sum<16>(x[threadIdx.x]); }  // PG2002
//// case reduction-by-template-argument-with-default
template <int N = 32> __device__ float sum(float v) {
  for (int d = N / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d, N);
  return v;
}
//// case native-loops mode=hip
#include <hip/hip_runtime.h>
__device__ float sum(float v) {
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor(v, d);
  return v;
}
//// case native-wrong mode=hip
#include <hip/hip_runtime.h>
#define WARP 32  // PG2009
__device__ float sum(float v) {
  for (int d = WARP / 2; d > 0; d /= 2) v += __shfl_down(v, d);  // PG2002
  return v;
}
//// case slots-by-warp
__global__ void k(float* y, float v) {
  __shared__ float part[32];  // PG2007
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) y[0] = part[lane];
}
//// case slots-guarded
__global__ void k(float* y, float v) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  const int warps = blockDim.x / warpSize;
  float s = lane < warps ? part[lane] : 0.f;
  y[lane] = s;
}
//// case slots-guarded-by-early-value
__global__ void k(float* y, float v) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  const bool has = threadIdx.x < blockDim.x / warpSize;
  v = has ? part[lane] : 0;
  y[0] = v;
}
//// case slots-of-a-constant mode=hip
#include <hip/hip_runtime.h>
constexpr int kMaxThreads = 1024, kLanes = 32;
__device__ float block(float v) {
  static __shared__ float part[kMaxThreads / kLanes];  // PG2007
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  if (lane == 0) part[wid] = v;
  __syncthreads();
  return part[lane];
}
//// case slots-for-64 mode=hip
#include <hip/hip_runtime.h>
__device__ float block(float v) {
  __shared__ float part[64];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  if (lane == 0) part[wid] = v;
  __syncthreads();
  return part[lane];
}
//// case shared-constant-in-header
#include "defs.h"
__global__ void k(float* y) { int lane = threadIdx.x % WARP_SIZE; y[lane] = 1; }
void f(float* y) { k<<<1, 4 * WARP_SIZE>>>(y); }  // PG2009
//// file defs.h
#pragma once
#define WARP_SIZE 32
//// case constant-by-enum
enum { WARP_SIZE = 32 };  // PG2009
__global__ void k(float* y) { y[threadIdx.x / WARP_SIZE] = 1; }
void f(float* y) { k<<<1, 4 * WARP_SIZE>>>(y); }
//// case constant-in-a-struct
struct Traits { static constexpr int kWarpSize = 32; };  // PG2009
__global__ void k(float* y) { int lane = threadIdx.x % Traits::kWarpSize; y[lane] = 1; }
void f(float* y) { k<<<1, 4 * Traits::kWarpSize>>>(y); }
//// case constant-asked-of-device
void f(float* y) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0));
  const int warp_size = p.warpSize;
  k<<<1, 4 * warp_size>>>(y);
}
//// case width-missing-in-scan mode=hip
#include <hip/hip_runtime.h>
__device__ int scan(int v) {
  const int lane = threadIdx.x & 31;  // PG2001
  for (int d = 1; d < 32; d *= 2) {  // PG2002
    int t = __shfl_up(v, d);  // PG2010
    if (lane >= d) v += t;
  }
  return v;
}
//// case width-given-in-scan mode=hip
#include <hip/hip_runtime.h>
__device__ int scan(int v) {
  for (int d = 1; d < 32; d *= 2) {
    int t = __shfl_up(v, d, 32);
    if (threadIdx.x % warpSize >= d) v += t;
  }
  return v;
}
//// case broadcast-of-group mode=hip
#include <hip/hip_runtime.h>
constexpr int GROUP = 32;
__global__ void k(float* x) {
  int lane = threadIdx.x & (GROUP - 1);
  float v = __shfl(x[lane], 0);  // PG2010
  float w = __shfl(x[lane], 0, GROUP);
  x[threadIdx.x] = v + w;
}
//// case stride-by-warp
__global__ void k(const float* x, float* y, int n) {
  const int lane = threadIdx.x % warpSize;
  float v = 0;
  for (int i = lane; i < n; i += 32) v += x[i];  // PG2001
  y[0] = __shfl_sync(~0u, v, 0);
}
//// case stride-by-warp-size
__global__ void k(const float* x, float* y, int n) {
  const int lane = threadIdx.x % warpSize;
  float v = 0;
  for (int i = lane; i < n; i += warpSize) v += x[i];
  y[0] = __shfl_sync(~0u, v, 0);
}
//// case stride-not-of-lanes
__global__ void k(const float* x, float* y, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += 32) v += x[i];
  y[threadIdx.x] = v;
}
//// case cooperative-groups-tile-of-32
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float v = x[tile.thread_rank()];
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_xor(v, d);
  if (tile.thread_rank() == 0) x[0] = v;
}
//// case own-function-named-like-a-lane
struct Grid { int lane; };
__global__ void k(Grid g, float* x) { x[g.lane % 32] = x[g.lane / 32]; }
//// case code-for-waves-of-32-alone mode=hip
#include <hip/hip_runtime.h>
#if defined(__gfx1100__)
__global__ void k(float* y) { int lane = threadIdx.x & 31; y[lane] = __shfl(y[0], 0); }
#endif
//// case code-for-both-waves mode=hip
#include <hip/hip_runtime.h>
#if defined(__gfx1100__) || defined(__gfx90a__)
__global__ void k(float* y) { int lane = threadIdx.x & 31; y[lane] = __shfl(y[0], 0); }  // PG2001 PG2010
#endif
