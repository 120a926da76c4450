#include <cstdio>
#include <cuda_runtime.h>
#include <math_constants.h>
#include <cfloat>
#include <climits>
typedef void (*kern_t)(int*, int);
__global__ static void k1(int *p, int v) { p[threadIdx.x] += v; }
static __global__ void k2(int *p, int v) { p[threadIdx.x] *= v; }
template <typename T> __global__ void tk(T* p, T v);
template <> __global__ void tk<int>(int* p, int v) { p[threadIdx.x] -= v; }
template <typename T> __global__ void tk(T* p, T v) { p[threadIdx.x] += v; }
template <typename T, int N = 4, bool B = true> __global__ void defk(T* p) { if (B) p[threadIdx.x] += N; }
struct Host { template <int N> static __global__ void unused_helper(int*); int* p; void run(); };
namespace deep { namespace er { __global__ void nk(int* p, float f = 1.5f) { p[threadIdx.x] += (int)(f * 2); } } }
void Host::run() { deep::er::nk<<<1, 4>>>(p, 2.0f); ::deep::er::nk<<<1, 4>>>(this->p, 2.0f); }
#define KERNEL_CALL(name, ...) name<<<grid, block>>>(__VA_ARGS__)
#define RUN(T, N) defk<T, N><<<1, 4>>>(d)
#define CONFIG grid, block, 0, 0
__device__ const float PI_F = 3.14159f;
static __constant__ int carr[3] = {1, 2, 3};
__global__ void shapes(float* o) {
  __shared__ struct { float a[4]; int n; } s;
  __shared__ float2 v[2][3], w;
  __shared__ alignas(16) unsigned char bytes[64];
  __shared__ float *ptr;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) { s.n = 4; s.a[1] = PI_F; v[1][2] = make_float2(1, 2); w.x = 3; bytes[3] = 7; ptr = s.a; flag = 1; }
  __syncthreads();
  int c = __syncthreads_count(threadIdx.x & 1);
  if (threadIdx.x == 1) o[0] = s.n + ptr[1] + v[1][2].y + w.x + bytes[3] + flag + c + carr[2];
#pragma unroll(2)
  for (int i = 0; i < 2; ++i) { if (i == 1) goto done; }
done:
  asm volatile("" ::: "memory");
}
int main() {
  int *d, h[4] = {1, 2, 3, 4}; cudaMalloc((void **)&d, sizeof(h)); cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  dim3 grid, block(4); kern_t table[2] = { k1, k2 };
  table[0]<<<grid, block>>>(d, 1); kern_t f = k2; f<<<1, block>>>(d, 2); (*table[1])<<<1, 4>>>(d, 2);
  tk<int> <<< grid , /* block */ block >>> (d, 3);   // comment
  tk<<<1, 4>>>(d, 3);
  defk<int><<<1,
              4>>>
      (d);
  RUN(int, (2 > 1 ? 8 : 9)); KERNEL_CALL(k1, d, -1); k1<<<CONFIG>>>(d, 1); k1<<<dim3(1, 1), dim3(2 + 2, 1, 1), sizeof(int) * 4>>>(d, 0);
  if (true) k1<<<1, 4>>>(d, 0); else k2<<<1, 4>>>(d, 0);
  for (int i = 0; i < 2; i++) k1<<<i + 1, 4>>>(d, 0);
  Host hst; hst.p = d; hst.run(); auto lam = [&](int x) { k1<<<1, 4>>>(d, x); }; lam(5);
  void* args[] = { &d, &h[0] }; cudaLaunchKernel((const void*)k1, dim3(1), dim3(4), args, 0, 0); cudaLaunchKernel((void*)k1, grid, block, args, 0, nullptr);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost); float *o, ho; cudaMalloc(&o, 4); shapes<<<1, 4>>>(o); cudaMemcpy(&ho, o, 4, cudaMemcpyDeviceToHost);
  printf("%d %d %.3f %s\n", h[0], h[3], ho, cudaGetLastError() == cudaSuccess && isinf(CUDART_INF_F) ? "PASS" : "FAIL"); return 0; }
