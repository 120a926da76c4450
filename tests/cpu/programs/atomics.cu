#include <iostream>
#include <type_traits>
#include <limits>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double val) { unsigned long long int* a = (unsigned long long int*)address; unsigned long long int old = *a, assumed; do { assumed = old; old = atomicCAS(a, assumed, __double_as_longlong(val + __longlong_as_double(assumed))); } while (assumed != old); return __longlong_as_double(old); }
#endif
__device__ __forceinline__ float atomicMaxFloat(float* addr, float value) { float old; old = !signbit(value) ? __int_as_float(atomicMax((int*)addr, __float_as_int(value))) : __uint_as_float(atomicMin((unsigned int*)addr, __float_as_uint(value))); return old; }
__device__ double atomicMax(double* address, double val) { unsigned long long* a = reinterpret_cast<unsigned long long*>(address); unsigned long long old = *a, assumed; while (val > __longlong_as_double(old)) { assumed = old; old = atomicCAS(a, assumed, __double_as_longlong(val)); if (old == assumed) break; } return __longlong_as_double(old); }
template <typename T> __device__ T atomicMinT(T* a, T v) { return atomicMin(a, v); }
struct Lock { int* mutex; Lock() { int s = 0; cudaMalloc((void**)&mutex, sizeof(int)); cudaMemcpy(mutex, &s, sizeof(int), cudaMemcpyHostToDevice); } ~Lock() { cudaFree(mutex); }
 __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0); __threadfence(); } __device__ void unlock() { __threadfence(); atomicExch(mutex, 0); } };
__global__ void locked(Lock l, volatile int* c) { if (threadIdx.x == 0) { l.lock(); *c = *c + 1; l.unlock(); } }
__global__ void all(int* i, unsigned* u, unsigned long long* ull, long long* ll, float* f, double* d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&i[0], t); atomicSub(&i[1], t); atomicMax(&i[2], t); atomicMinT(&i[3], -t); atomicAnd(&i[4], ~(1 << (t & 31))); atomicOr(&i[5], 1 << (t & 31)); atomicXor(&i[6], t); atomicExch(&i[7], 5); atomicCAS(&i[8], 0, 3);
  atomicInc(&u[0], 99); atomicDec(&u[1], 1000); atomicAdd(&u[2], 1u); atomicMax(&u[3], (unsigned)t); atomicAdd(ull, 1ULL); atomicMax(&ull[1], (unsigned long long)t); atomicCAS(&ull[2], 0ull, 7ull); atomicAdd((unsigned long long*)ll, (unsigned long long)-1); atomicMin(&ll[1], (long long)-t);
  atomicAdd(f, 1.0f); atomicMaxFloat(&f[1], (float)t); atomicAdd(d, 0.5); atomicMax(&d[1], (double)t); atomicAdd_block(&i[9], 1); atomicAdd_system(&i[10], 1); atomicExch(&f[2], 2.5f);
}
__global__ __launch_bounds__(256) void agg(int* ctr, int* out, const int* in, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; bool p = i < n && in[i] % 3 == 0; unsigned m = __ballot_sync(0xffffffff, p); int lane = threadIdx.x & 31, leader = __ffs(m) - 1, base = 0; if (m && lane == leader) base = atomicAdd(ctr, __popc(m)); base = __shfl_sync(0xffffffff, base, leader < 0 ? 0 : leader); if (p) out[base + __popc(m & ((1u << lane) - 1))] = in[i]; }
int main() {
  int hi[11] = {0,0,0,0,-1,0,0,0,0,0,0}; unsigned hu[4] = {}; unsigned long long hull[3] = {}; long long hll[2] = {}; float hf[3] = {0, -1, 0}; double hd[2] = {};
#define UP(T, name, h) T* name; cudaMalloc(&name, sizeof h); cudaMemcpy(name, h, sizeof h, cudaMemcpyHostToDevice)
  UP(int, i, hi); UP(unsigned, u, hu); UP(unsigned long long, ull, hull); UP(long long, ll, hll); UP(float, f, hf); UP(double, d, hd); all<<<4, 64>>>(i, u, ull, ll, f, d);
#define DOWN(name, h) cudaMemcpy(h, name, sizeof h, cudaMemcpyDeviceToHost)
  DOWN(i, hi); DOWN(u, hu); DOWN(ull, hull); DOWN(ll, hll); DOWN(f, hf); DOWN(d, hd); int s = 255*128; bool ok = hi[0]==s && hi[1]==-s && hi[2]==255 && hi[3]==-255 && hi[4]==0 && hi[5]==-1 && hi[6]==0 && hi[7]==5 && hi[8]==3 && hi[9]==256 && hi[10]==256 && hu[0]==56 && hu[2]==256 && hu[3]==255 && hull[0]==256 && hull[1]==255 && hull[2]==7 && hll[0]==-256 && hll[1]==-255 && hf[0]==256 && hf[1]==255 && hf[2]==2.5f && hd[0]==128 && hd[1]==255;
  Lock l; int* c; cudaMallocManaged(&c, 4); *c = 0; locked<<<16, 32>>>(l, c); cudaDeviceSynchronize(); ok = ok && *c == 16;
  const int n = 1000; int *in, *out; cudaMallocManaged(&in, n*4); cudaMallocManaged(&out, n*4); for (int k = 0; k < n; ++k) in[k] = k; *c = 0; agg<<<4, 256>>>(c, out, in, n); cudaDeviceSynchronize(); ok = ok && *c == 334;
  std::cout << (ok ? "PASS" : "FAIL") << std::endl; return !ok; }
