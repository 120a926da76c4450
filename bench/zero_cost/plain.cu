// Kernels as one writes them for NVIDIA alone. dialect.cu has the same kernels in the dialect.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

static __device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  return v;
}
static __device__ __forceinline__ float block_sum_256(float v, float* partial) {
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = v;
  __syncthreads();
  v = partial[threadIdx.x & 7];
#pragma unroll
  for (int m = 4; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  __syncthreads();
  return v;
}

extern "C" __global__ void __launch_bounds__(256) row_sum(const float* x, float* y, int n) {
  __shared__ float partial[8];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[size_t(blockIdx.x) * n + i];
  v = block_sum_256(v, partial);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

extern "C" __global__ void __launch_bounds__(256, 4) layer_norm(const float* x, float* y, int n, float eps) {
  __shared__ float partial[8];
  const float* row = x + size_t(blockIdx.x) * n;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += row[i];
  const float mean = block_sum_256(s, partial) / n;
  float q = 0;
  for (int i = threadIdx.x; i < n; i += 256) q += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(block_sum_256(q, partial) / n + eps);
  for (int i = threadIdx.x; i < n; i += 256) y[size_t(blockIdx.x) * n + i] = (row[i] - mean) * scale;
}

extern "C" __global__ void warp_rows(const float* x, float* y, int n) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  float v = 0;
  for (int i = lane; i < n; i += 32) v += x[size_t(row) * n + i];
  v = warp_sum(v);
  if (lane == 0) y[row] = v;
}

extern "C" __global__ void warp_scan(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  int v = x[i];
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int other = __shfl_up_sync(0xffffffffu, v, d);
    if (int(lane) >= d) v = other + v;
  }
  y[i] = v;
}

extern "C" __global__ void warp_sum_int(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __reduce_add_sync(0xffffffffu, x[i]);
}

extern "C" __global__ void compact(const float* x, float* y, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  const float v = x[i];
  const unsigned keep = __ballot_sync(0xffffffffu, v > 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(keep));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (v > 0) y[base + __popc(keep & ((1u << lane) - 1))] = v;
}

extern "C" __global__ void copy16(const float* x, float* y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) *reinterpret_cast<float4*>(y + i) = *reinterpret_cast<const float4*>(x + i);
}

extern "C" __global__ void saxpy4(const float* x, float* y, float a, int n) {
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i + 4 <= n; i += gridDim.x * blockDim.x * 4) {
    const float4 p = *reinterpret_cast<const float4*>(x + i);
    float4 q = *reinterpret_cast<float4*>(y + i);
    q.x = a * p.x + q.x;
    q.y = a * p.y + q.y;
    q.z = a * p.z + q.z;
    q.w = a * p.w + q.w;
    *reinterpret_cast<float4*>(y + i) = q;
  }
}

extern "C" __global__ void half_scale(const __half* x, __half* y, float a) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  uint4 raw = *reinterpret_cast<const uint4*>(x + i);
  __half* h = reinterpret_cast<__half*>(&raw);
#pragma unroll
  for (int k = 0; k < 8; ++k) h[k] = __float2half_rn(a * __half2float(h[k]));
  *reinterpret_cast<uint4*>(y + i) = raw;
}

extern "C" __global__ void bf16_to_float(const __nv_bfloat16* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __bfloat162float(x[i]);
}

extern "C" __global__ void dot8(const int* x, const int* y, int* out, int n) {
  int v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v = __dp4a(x[i], y[i], v);
  atomicAdd(out, v);
}

extern "C" __global__ void histogram(const unsigned* x, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd_block(&bins[x[i] & 255u], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = __ldg(x + size_t(r + k) * n + c);
  __syncthreads();
  const int d = blockIdx.y * 32 + threadIdx.x, s = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) __stcs(y + size_t(s + k) * n + d, tile[threadIdx.x][threadIdx.y + k]);
}

extern "C" __global__ void async_tile(const float* x, float* y) {
  __shared__ __align__(16) float tile[1024];
  const int t = threadIdx.x * 4;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + t));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + blockIdx.x * 1024 + t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  y[blockIdx.x * 1024 + threadIdx.x] = tile[1023 - threadIdx.x];
}

extern "C" __global__ void fast_sigmoid(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __fdividef(1.0f, 1.0f + __expf(-x[i]));
}

extern "C" __global__ void gelu(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}

extern "C" __global__ void atomic_max_int(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMax(y, x[i]);
}

extern "C" __global__ void warp_sum_8(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int m = 4; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m, 8);
  y[i] = v;
}
