//// rules: PG2016 PG2030 PG2031 PG2032 PG2033 PG2040 PG2041 PG2042 PG2043 PG2044 PG2045 PG2046
//// case own-builtin-under-guard
#ifdef __HIP_PLATFORM_AMD__
__device__ inline void __syncwarp() {}
#endif
//// case own-builtin
__device__ inline void __syncwarp(unsigned m = ~0u) {}  // PG2016
//// case version-by-macro
#include <cuda_runtime.h>
#define HAVE_NEW (CUDART_VERSION >= 11000)
#if HAVE_NEW  // PG2030
void f();
#endif
//// case version-with-both-vendors
#include <cuda_runtime.h>
#if defined(__HIP__) || CUDART_VERSION >= 11000
void f();
#endif
#if CUDART_VERSION < 9000  // PG2030
#error "too old"
#endif
//// case arch-by-macro
#define SM80 (__CUDA_ARCH__ >= 800)
__device__ int f() {
#if SM80  // PG2031
  return 1;
#else
  return 0;
#endif
}
//// case arch-in-nvidia-branch
__device__ int f() {
#ifndef USE_ROCM
#if __CUDA_ARCH__ >= 800
  return 1;
#endif
#endif
  return 0;
}
//// case pass-dependent-kernel
#ifdef __CUDA_ARCH__  // PG2031
__global__ void k(int* x) { x[0] = 0; }  // PG2032
#endif
//// case pass-dependent-body
__host__ __device__ int f() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return 1;
#else
  return 0;
#endif
}
//// case unchecked-in-all-shapes
#define CHECK(x) do { if ((x) != cudaSuccess) abort(); } while (0)
template <class F> void wrap(F f);
void f(void* p, bool c) {
  cudaFree(p);  // PG2033
  if (c) cudaFree(p);  // PG2033
  for (;;) { ::cudaFree(p); break; }  // PG2033
  CHECK(cudaFree(p));
  cudaError_t e = cudaFree(p);
  auto g = [p] { return cudaFree(p); };
  wrap([p] { cudaFree(p); });  // PG2033
  (void)cudaFree(p);
  static_cast<void>(cudaFree(p));
  c ? (void)cudaFree(p) : (void)0;
  if (cudaFree(p) != cudaSuccess) return;
  cudaFree(p), e = cudaGetLastError();  // PG2033
  g();
}
//// case unchecked-in-macro
#define RELEASE(p) cudaFree(p)
void f(void* p) { RELEASE(p); }
//// case unchecked-in-destructor
struct Buffer { void* p; ~Buffer() { cudaFree(p); } };  // PG2033
//// case own-function-of-that-name
static int cudaFreeAll(void* p) { return 0; }
void f(void* p) { cudaFreeAll(p); }
//// case unchecked-after-comma-and-ternary
void f(void* p, bool c) { c ? cudaFree(p) : cudaFreeHost(p); }  // PG2033
//// case ptx-in-template
template <class T> __device__ T load(const T* p) {
  T v;
  asm("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p));  // PG2040
  return v;
}
//// case ptx-by-string-macro
#define PTX "mov.u32 %0, %%smid;"
__device__ int sm() { int r; asm volatile(PTX : "=r"(r)); return r; }  // PG2040
//// case ptx-in-lambda
__global__ void k(int* x) { auto f = [] { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }; x[0] = f(); }  // PG2040
//// case asm-for-host
void pause_cpu() { asm volatile("pause"); }
__global__ void k(int* x) { asm volatile("" ::: "memory"); x[0] = 1; }
//// case ptx-both-vendors
__device__ int lane() {
  int r = 0;
#if defined(__CUDA_ARCH__) && !defined(__HIP__)
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
#endif
  return r;
}
//// case intrinsics
__device__ int f(int a, int b, float x) {
  __nanosleep(100);  // PG2041
  int v = __vadd4(a, b);  // PG2041
  v += __dp4a(a, b, v);  // PG2041
  return v + __float2int_rn(__fadd_rd(x, 1.f));  // PG2041
}
//// case intrinsics-by-macro
#define DOT(a, b, c) __dp4a(a, b, c)
__device__ int f(int a, int b) { return DOT(a, b, 0); }  // PG2041
//// case intrinsics-provided
#ifdef USE_ROCM
__device__ inline int __dp4a(int a, int b, int c) { return c; }
#endif
__device__ int f(int a, int b) { return __popc(a) + __clz(b) + __mul24(a, b); }
//// case own-intrinsic-of-that-name
namespace mine { __device__ int __dp4a_like(int a) { return a; } }
__device__ int f(int a) { return mine::__dp4a_like(a); }
//// case texture-references
texture<float, cudaTextureType1D, cudaReadModeElementType> tex;  // PG2042
static texture<int, 2> tex2;  // PG2042
surface<void, 2> surf;  // PG2042
struct Holder { cudaTextureObject_t t; };
__global__ void k(float* x) { x[0] = tex1Dfetch(tex, 0); }
void f(void* p) { check(cudaBindTexture(nullptr, tex, p, 4)); }  // PG2042
//// case device-launch
__global__ void child(int* x) { x[0] = 1; }
template <class T> __global__ void parent(T* x) { if (threadIdx.x == 0) child<<<1, 1>>>(x); }  // PG2043
//// case device-launch-in-helper
__global__ void child(int* x) { x[0] = 1; }
__device__ void start(int* x) { child<<<1, 1>>>(x); }  // PG2043
void host(int* x) { child<<<1, 1>>>(x); }
//// case launch-from-both-sides
__global__ void child(int* x) { x[0] = 1; }
__host__ __device__ void both(int* x) {
#ifndef __CUDA_ARCH__  // PG2031
  child<<<1, 1>>>(x);
#endif
}
//// case fp8
#include <cuda_fp8.h>
__global__ void k(__nv_fp8_e4m3* x) { x[0] = __nv_fp8_e4m3(1.f); }  // PG2044
using quant = __nv_fp8_e5m2;  // PG2044
//// case half-ambiguity
#include <cuda_fp16.h>
using real = __half;
__device__ float f(real h, float x) {
  float a = h * x;  // PG2045
  a += h > 0 ? 1.f : 2.f;  // PG2045
  return a + max(h, 0.f);  // PG2045
}
//// case half-array-and-literal
#include <cuda_fp16.h>
__global__ void k(__half* y, const half* x, float s) {
  y[0] = x[threadIdx.x] * s;  // PG2045
  y[1] = x[1] * x[2];
  y[2] = __hmul(x[1], x[2]);
  y[3] = __float2half(__half2float(x[1]) * s);
}
//// case half-of-template
template <class T> __global__ void k(T* y, float s) { y[0] = y[1] * T(s); }
//// case half-own-class
struct half { float v; half operator*(float) const; };
__device__ half f(half h, float x) { return h * x; }
//// case bf16-ternary
#include <cuda_bf16.h>
__device__ __nv_bfloat16 f(bool c, __nv_bfloat16 a) { return c ? a : 0.f; }  // PG2045
//// case half-atomics
#include <cuda_fp16.h>
template <class T> __device__ void add(T* p, T v) { atomicAdd(p, v); }
__global__ void k(__half* h, __half2* h2, double* d, float* f, int* i) {
  atomicAdd(h, __half(1));  // PG2046
  atomicAdd(&h2[threadIdx.x], h2[0]);  // PG2046
  atomicAdd(d + threadIdx.x, 1.0);  // PG2046
  atomicAdd(f, 1.f);
  atomicAdd(i, 1);
  atomicAdd(reinterpret_cast<__half2*>(f), h2[0]);  // PG2046
}
//// case half-atomics-by-struct
#include <cuda_fp16.h>
struct View { half* data; };
__global__ void k(View v) { atomicAdd(&v.data[threadIdx.x], half(1)); }  // PG2046
//// case half-atomics-shared
#include <cuda_bf16.h>
__global__ void k(float* y) {
  __shared__ __nv_bfloat16 s[32];
  atomicAdd(&s[threadIdx.x], __nv_bfloat16(1));  // PG2046
  y[0] = s[0];
}
//// case half-atomics-provided
#include <cuda_fp16.h>
#ifdef USE_ROCM
__device__ inline void atomicAdd(__half* p, __half v) {}
#endif
__global__ void k(__half* h) { atomicAdd(h, __half(1)); }
