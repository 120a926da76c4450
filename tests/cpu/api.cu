// The runtime API and the ways to launch: one line of output a mistake.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

static int mistakes = 0;
#define EXPECT(x)                                          \
  do {                                                     \
    if (!(x)) {                                            \
      printf("line %d: %s\n", __LINE__, #x);               \
      ++mistakes;                                          \
    }                                                      \
  } while (0)
#define OK(x) EXPECT((x) == cudaSuccess)

__constant__ float table[4];
__device__ int counter = 5;

struct Pair {
  int a, b;
};
enum class Color : int { red = 3 };

__global__ void set(int* p, int v) { p[threadIdx.x + blockIdx.x * blockDim.x] = v; }
__global__ void with_default(int* p, int a, int b = 7) { *p = a * 10 + b; }
template <class T>
__global__ void deduced(T* p, T v) { *p = v; }
template <int N, int M>
__global__ void two(int* p) { *p = N * 100 + M; }
__global__ void null_ok(int* p, const int* maybe, Pair q, Color c) {
  *p = (maybe == nullptr) * 100 + q.a * 10 + q.b + int(c);
}
__global__ void overloaded(int* p, int) { *p = 1; }
__global__ void overloaded(int* p, float) { *p = 2; }
__global__ void use_symbols(float* out) {
  out[threadIdx.x] = table[threadIdx.x & 3];
  atomicAdd(&counter, 1);
}
__global__ void shape(int* ok) {
  if (gridDim.x != 2 || gridDim.y != 3 || gridDim.z != 4) atomicAdd(ok, 1);
  if (blockDim.x != 4 || blockDim.y != 2 || blockDim.z != 3) atomicAdd(ok, 1);
  const unsigned rank = threadIdx.x + 4 * (threadIdx.y + 2 * threadIdx.z);
  if (cg::this_thread_block().thread_rank() != rank) atomicAdd(ok, 1);
}
struct Functor {
  int k;
  __device__ int operator()(int x) const { return k * x; }
};
template <class F>
__global__ void apply(F f, int* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = f(i);
}
#define LAUNCH(k, g, ...) k<<<g, 32>>>(__VA_ARGS__)

void launches() {
  int* p;
  OK(cudaMallocManaged(&p, 4096 * sizeof(int)));
  set<<<2, 64>>>(p, 9);
  EXPECT(p[0] == 9 && p[127] == 9);
  with_default<<<1, 1>>>(p, 4);
  EXPECT(*p == 47);
  with_default<<<1, 1, 0, 0>>>(p, 4, 1);
  EXPECT(*p == 41);
  deduced<<<1, 1>>>(p, 12);
  EXPECT(*p == 12);
  two<3, 4><<<dim3(1), dim3{1, 1, 1}, 0>>>(p);
  EXPECT(*p == 304);
  null_ok<<<1, 1>>>(p, NULL, {1, 2}, Color::red);
  EXPECT(*p == 115);
  null_ok<<<1, 1>>>(p, 0, Pair{1, 2}, Color::red);
  EXPECT(*p == 115);
  overloaded<<<1, 1>>>(p, 1.0f);
  EXPECT(*p == 2);
  void (*pointer)(int*, int) = set;
  pointer<<<1, 1>>>(p, 77);
  EXPECT(*p == 77);
  LAUNCH(set, 1, p, 78);
  EXPECT(*p == 78);
  *p = 0;
  shape<<<dim3(2, 3, 4), dim3(4, 2, 3)>>>(p);
  EXPECT(*p == 0);
  apply<<<4, 64>>>(Functor{3}, p, 1000);
  EXPECT(p[999] == 2997);
  const int k = 5;
  apply<<<4, 64>>>([=] __device__(int x) { return x + k; }, p, 1000);
  EXPECT(p[999] == 1004);
  int v = 31;
  void* args[] = {&p, &v};
  OK(cudaLaunchKernel((void*)set, dim3(1), dim3(1), args, 0, nullptr));
  EXPECT(*p == 31);
  OK(cudaFree(p));
}

void memory() {
  float *a, *b;
  OK(cudaMalloc(&a, 400));
  OK(cudaMalloc((void**)&b, 400));
  EXPECT(reinterpret_cast<size_t>(a) % 256 == 0);
  std::vector<float> h(100, 2.5f), r(100);
  OK(cudaMemcpy(a, h.data(), 400, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, 400, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpyAsync(r.data(), b, 400, cudaMemcpyDefault));
  EXPECT(r == h);
  EXPECT(cudaMemcpy(r.data(), h.data(), 400, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(a, h.data(), 404, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  OK(cudaMemset(a, 0, 400));
  size_t pitch;
  char* rows;
  OK(cudaMallocPitch(&rows, &pitch, 10, 3));
  const char text[] = "0123456789abcdefghijABCDEFGHIJ";
  OK(cudaMemcpy2D(rows, pitch, text, 10, 10, 3, cudaMemcpyHostToDevice));
  EXPECT(rows[pitch] == 'a' && rows[2 * pitch + 9] == 'J' && pitch >= 10);
  EXPECT(cudaFree(rows + 1) == cudaErrorInvalidDevicePointer);
  OK(cudaFree(rows));
  EXPECT(cudaFree(rows) == cudaErrorInvalidDevicePointer);
  OK(cudaFree(nullptr));
  void* huge = &huge;
  EXPECT(cudaMalloc(&huge, size_t(1) << 60) == cudaErrorMemoryAllocation && huge == nullptr);
  const float values[4] = {1, 2, 3, 4};
  OK(cudaMemcpyToSymbol(table, values, sizeof values));
  OK(cudaMemcpyToSymbol(table, values, 4, 12));
  use_symbols<<<1, 8>>>(a);
  float out[8];
  int count;
  OK(cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(out[1] == 2 && out[7] == 1 && count == 13);
  void* address;
  OK(cudaGetSymbolAddress(&address, counter));
  EXPECT(address == &counter);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, a));
  EXPECT(at.devicePointer == a);
  size_t free_bytes, total;
  OK(cudaMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes < total);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

void streams() {
  cudaStream_t s;
  cudaEvent_t e, f;
  int* p;
  OK(cudaMallocManaged(&p, 256));
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  OK(cudaEventCreate(&e));
  OK(cudaEventCreate(&f));
  OK(cudaEventRecord(e, s));
  set<<<1, 64, 0, s>>>(p, 3);
  OK(cudaEventRecord(f, s));
  OK(cudaStreamWaitEvent(s, f, 0));
  OK(cudaStreamSynchronize(s));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, e, f));
  EXPECT(ms >= 0 && ms < 10000);
  static int called = 0;
  OK(cudaLaunchHostFunc(s, [](void* d) { called += *static_cast<int*>(d); }, p));
  EXPECT(called == 3);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  int v = 40;
  set<<<1, 64, 0, s>>>(p, v);
  v = 50;  // the captured launch keeps its own copy of the arguments
  OK(cudaMemcpyAsync(p + 1, p, 4, cudaMemcpyDeviceToDevice, s));
  OK(cudaMemsetAsync(p + 2, 0, 4, s));
  OK(cudaStreamEndCapture(s, &graph));
  EXPECT(p[0] == 3);
  size_t nodes;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) {
    p[0] = p[2] = 1;
    OK(cudaGraphLaunch(exec, s));
    EXPECT(p[0] == 40 && p[1] == 40 && p[2] == 0);
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaEventDestroy(e));
  OK(cudaEventDestroy(f));
  OK(cudaStreamDestroy(s));
  OK(cudaFree(p));
}

void device() {
  int n = 0, warp = 0, blocks = 0;
  OK(cudaGetDeviceCount(&n));
  EXPECT(n == 1);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.multiProcessorCount > 0);
  OK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  EXPECT(warp == 32);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set, 256, 0));
  EXPECT(blocks >= 1);
  EXPECT(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  EXPECT(std::string(cudaGetErrorString(cudaErrorInvalidValue)) == "invalid argument");
  (void)cudaGetLastError();
}

template <class T>
__global__ void add_all(T* sum, T* low, T* high, T* swapped, T* claimed) {
  const T v = T(float((blockIdx.x * blockDim.x + threadIdx.x) % 97));
  atomicAdd(sum, T(1.0f));
  atomicMin(low, v);
  atomicMax(high, v);
  atomicExch(swapped, v);
  atomicCAS(claimed, T(0.0f), T(1.0f));
}
template <class T>
void atomics(float most) {
  T* p;
  OK(cudaMallocManaged(&p, 5 * sizeof(T)));
  p[0] = T(0.0f), p[1] = T(500.0f), p[2] = T(0.0f), p[3] = T(0.0f), p[4] = T(0.0f);
  add_all<<<32, 64>>>(p, p + 1, p + 2, p + 3, p + 4);
  OK(cudaDeviceSynchronize());
  EXPECT(float(p[0]) == most && float(p[1]) == 0 && float(p[2]) == 96 && float(p[4]) == 1);
  OK(cudaFree(p));
}
__global__ void wrap(unsigned* p, unsigned long long* q) {
  atomicInc(p, 9);
  atomicDec(p + 1, 9);
  atomicOr(p + 2, 1u << (threadIdx.x % 32));
  atomicAnd(p + 3, ~(1u << (threadIdx.x % 32)));
  atomicXor(q, 1ull << (threadIdx.x % 64));
  atomicSub(p + 4, 2);
}
void integer_atomics() {
  unsigned* p;
  OK(cudaMallocManaged(&p, 64));
  auto* q = reinterpret_cast<unsigned long long*>(p + 8);
  p[0] = 0, p[1] = 5, p[2] = 0, p[3] = ~0u, p[4] = 1000, *q = 0;
  wrap<<<1, 64>>>(p, q);
  EXPECT(p[0] == 64 % 10 && p[1] == 1 && p[2] == ~0u && p[3] == 0 && p[4] == 872 && *q == ~0ull);
  OK(cudaFree(p));
}

__global__ void groups(int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  const int r = tile.thread_rank();
  int bad = cg::reduce(tile, r, cg::plus<int>()) != 28;
  bad += cg::reduce(tile, r, cg::greater<int>()) != 7;
  bad += cg::inclusive_scan(tile, 1) != r + 1;
  bad += cg::exclusive_scan(tile, r, cg::plus<int>()) != r * (r - 1) / 2;
  bad += tile.ballot(r == 2) != 4u;
  bad += tile.shfl_up(r, 1) != (r ? r - 1 : 0);
  bad += tile.meta_group_size() != block.size() / 8;
  if (r % 2) {
    auto odd = cg::coalesced_threads();
    bad += odd.size() != 16;
    bad += odd.shfl(r, 0) != 1;
    bad += odd.ballot(1) != 0xffffu;
    bad += odd.any(r == 9) != 0;
  }
  auto part = cg::binary_partition(tile, r < 3);
  bad += part.size() != (r < 3 ? 3u : 5u);
  __shared__ int copy[64];
  cg::memcpy_async(block, copy, out + 1, sizeof copy);
  cg::wait(block);
  bad += copy[threadIdx.x] != 6;
  if (bad) atomicAdd(out, bad);
}
void cooperative() {
  int* p;
  OK(cudaMallocManaged(&p, 65 * sizeof(int)));
  *p = 0;
  for (int i = 1; i < 65; ++i) p[i] = 6;
  groups<<<3, 64>>>(p);
  EXPECT(*p == 0);
  OK(cudaFree(p));
}

__global__ void counts(int* out) {
  out[threadIdx.x] = __syncthreads_count(threadIdx.x < 10);
  out[64 + threadIdx.x] = __syncthreads_and(threadIdx.x < 64) * 2 + __syncthreads_or(threadIdx.x == 70);
}
__global__ void spin(int* lock, int* total) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *total += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
void synchronisation() {
  int* p;
  OK(cudaMallocManaged(&p, 128 * sizeof(int)));
  counts<<<1, 64>>>(p);
  EXPECT(p[0] == 10 && p[63] == 10 && p[64] == 2 && p[127] == 2);
  p[0] = p[1] = 0;
  spin<<<8, 64>>>(p, p + 1);
  EXPECT(p[1] == 512);
  OK(cudaFree(p));
}

__global__ void functions(int* bad) {
  if (__popc(0xf0f0u) != 8 || __clz(1) != 31 || __clzll(1) != 63 || __ffs(8) != 4 || __ffs(0) != 0) ++*bad;
  if (__brev(1u) != 0x80000000u || __byte_perm(0x33221100u, 0x77665544u, 0x7531u) != 0x77553311u) ++*bad;
  if (__dp4a(0x01020304, 0x01010101, 5) != 15 || __dp4a(int(0xff000000u), 0x02000000, 0) != -2) ++*bad;
  if (__mulhi(0x40000000, 8) != 2 || __umulhi(0x80000000u, 4u) != 2 || __sad(3, -4, 1u) != 8) ++*bad;
  if (__funnelshift_l(0x80000000u, 1u, 1) != 3u || __funnelshift_r(1u, 3u, 1) != 0x80000000u) ++*bad;
  if (__float2int_rn(2.5f) != 2 || __float2int_rz(-2.7f) != -2 || __float2int_ru(2.1f) != 3) ++*bad;
  if (__float2int_rn(3e10f) != INT_MAX || __float2int_rz(NAN) != 0 || __float2uint_rz(-5.0f) != 0) ++*bad;
  if (__float_as_int(1.0f) != 0x3f800000 || __int_as_float(0x40000000) != 2.0f) ++*bad;
  if (rsqrtf(4.0f) != 0.5f || fabsf(__expf(1.0f) - 2.7182818f) > 1e-6f || __saturatef(-2.0f) != 0) ++*bad;
  if (fabs(erfinv(0.5) - 0.47693627620446987) > 1e-15 || fabsf(normcdff(0.0f) - 0.5f) > 1e-7f) ++*bad;
  if (min(3, 4u) != 3u || max(-1, 2) != 2 || min(1.0f, NAN) != 1.0f || sinpif(1.0f) != 0.0f) ++*bad;
  int4 v = make_int4(1, 2, 3, 4);
  if (v.w != 4 || sizeof(float3) != 12 || alignof(float4) != 16 || alignof(double2) != 16) ++*bad;
}

int main() {
  launches();
  memory();
  streams();
  device();
  atomics<int>(2048);
  atomics<unsigned long long>(2048);
  atomics<float>(2048);
  atomics<double>(2048);
  atomics<half>(2048);
  integer_atomics();
  cooperative();
  synchronisation();
  int* bad;
  OK(cudaMallocManaged(&bad, sizeof(int)));
  *bad = 0;
  functions<<<1, 1>>>(bad);
  EXPECT(*bad == 0);
  printf("%d mistakes\n", mistakes);
  return mistakes != 0;
}
