// The kernels of plain.cu in the dialect.
#include "portgpu.h"

extern "C" __global__ void PG_LAUNCH_BOUNDS(256) row_sum(const float* x, float* y, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[size_t(blockIdx.x) * n + i];
  v = pg::block_sum<256>(v);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

extern "C" __global__ void PG_LAUNCH_BOUNDS(256, 4) layer_norm(const float* x, float* y, int n, float eps) {
  const float* row = x + size_t(blockIdx.x) * n;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += row[i];
  const float mean = pg::block_sum<256>(s) / n;
  float q = 0;
  for (int i = threadIdx.x; i < n; i += 256) q += (row[i] - mean) * (row[i] - mean);
  const float scale = pg::rsqrt(pg::block_sum<256>(q) / n + eps);
  for (int i = threadIdx.x; i < n; i += 256) y[size_t(blockIdx.x) * n + i] = (row[i] - mean) * scale;
}

extern "C" __global__ void warp_rows(const float* x, float* y, int n) {
  const int row = blockIdx.x * (blockDim.x / pg::warp_size()) + threadIdx.x / pg::warp_size();
  const int lane = pg::lane_id();
  float v = 0;
  for (int i = lane; i < n; i += pg::warp_size()) v += x[size_t(row) * n + i];
  v = pg::warp_sum(v);
  if (lane == 0) y[row] = v;
}

extern "C" __global__ void warp_scan(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = pg::warp_inclusive_scan(x[i], pg::plus());
}

extern "C" __global__ void warp_sum_int(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = pg::warp_sum(x[i]);
}

extern "C" __global__ void compact(const float* x, float* y, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = pg::lane_id();
  const float v = x[i];
  const pg::lane_mask keep = pg::ballot(v > 0);
  int base = 0;
  if (lane == 0) base = pg::atomic_add(count, pg::popcount(keep));
  base = pg::shfl(base, 0);
  if (v > 0) y[base + pg::popcount(pg::lanes_below(keep, lane))] = v;
}

extern "C" __global__ void copy16(const float* x, float* y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) pg::store_vec(y + i, pg::load_vec<4>(x + i));
}

extern "C" __global__ void saxpy4(const float* x, float* y, float a, int n) {
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i + 4 <= n; i += gridDim.x * blockDim.x * 4) {
    const pg::vec<float, 4> p = pg::load_vec<4>(x + i);
    pg::vec<float, 4> q = pg::load_vec<4>(y + i);
    for (int k = 0; k < 4; ++k) q[k] = a * p[k] + q[k];
    pg::store_vec(y + i, q);
  }
}

extern "C" __global__ void half_scale(const pg::half* x, pg::half* y, float a) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  pg::vec<pg::half, 8> h = pg::load_vec<8>(x + i);
  PG_UNROLL
  for (int k = 0; k < 8; ++k) h[k] = pg::from_float<pg::half>(a * pg::to_float(h[k]));
  pg::store_vec(y + i, h);
}

extern "C" __global__ void bf16_to_float(const pg::bfloat16* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = pg::to_float(x[i]);
}

extern "C" __global__ void dot8(const int* x, const int* y, int* out, int n) {
  int v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v = pg::dp4a(x[i], y[i], v);
  pg::atomic_add(out, v);
}

extern "C" __global__ void histogram(const unsigned* x, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  pg::syncblock();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) pg::atomic_add_block(&bins[x[i] & 255u], 1u);
  pg::syncblock();
  pg::atomic_add(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = pg::ldg(x + size_t(r + k) * n + c);
  pg::syncblock();
  const int d = blockIdx.y * 32 + threadIdx.x, s = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) pg::store_streaming(y + size_t(s + k) * n + d, tile[threadIdx.x][threadIdx.y + k]);
}

extern "C" __global__ void async_tile(const float* x, float* y) {
  __shared__ __align__(16) float tile[1024];
  const int t = threadIdx.x * 4;
  pg::async_copy<16>(tile + t, x + blockIdx.x * 1024 + t);
  pg::async_commit();
  pg::async_wait();
  pg::syncblock();
  y[blockIdx.x * 1024 + threadIdx.x] = tile[1023 - threadIdx.x];
}

extern "C" __global__ void fast_sigmoid(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = pg::fast::div(1.0f, 1.0f + pg::fast::exp(-x[i]));
}

extern "C" __global__ void gelu(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0.5f * x[i] * (1.0f + pg::erf(x[i] * 0.70710678f));
}

extern "C" __global__ void atomic_max_int(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  pg::atomic_max(y, x[i]);
}

extern "C" __global__ void warp_sum_8(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = pg::warp_sum<8>(x[i]);
}
