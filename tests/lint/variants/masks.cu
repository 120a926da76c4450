//// rules: PG2003 PG2004 PG2005 PG2006 PG2008 PG2015
//// case mask-by-constexpr-chain
constexpr unsigned kAll = 0xffffffffu;
constexpr unsigned kMask = kAll;
__device__ int f(int v) { return __shfl_sync(kMask, v, 0); }  // PG2003
//// case mask-by-local
__device__ int f(int v) {
  unsigned mask = 0xffffffff;
  for (int d = 1; d < 4; d *= 2) v += __shfl_up_sync(mask, v, d);  // PG2003
  return v;
}
//// case mask-by-changed-local
__device__ int f(int v, unsigned m) {
  unsigned mask = 0xffffffff;
  mask &= m;
  return __shfl_sync(mask, v, 0);
}
//// case mask-by-expression
__device__ int f(int v) { return __any_sync((1ull << 32) - 1, v); }  // PG2003
//// case mask-by-macro-chain
#define A 0xffffffff
#define FULL_MASK A
__device__ int f(int v) { return __all_sync(FULL_MASK, v); }  // PG2003
//// case mask-by-default-argument
__device__ int f(int v, unsigned mask = 0xffffffffu) { return __shfl_sync(mask, v, 0); }
//// case mask-by-template
template <unsigned Mask = 0xffffffffu> __device__ int f(int v) { return __shfl_sync(Mask, v, 0); }
//// case mask-to-helper
__device__ int g(unsigned mask, int v) { return __shfl_xor_sync(mask, v, 1); }
__device__ int f(int v) { return g(0xffffffff, v); }
//// case mask-parameter-of-32-bits mode=hip
#include <hip/hip_runtime.h>
__device__ int g(unsigned mask, int v) { return __shfl_xor_sync(mask, v, 1); }  // PG2003
//// case mask-parameter-of-alias mode=hip
#include <hip/hip_runtime.h>
using mask_t = uint32_t;
typedef mask_t lanes;
__device__ int g(lanes mask, int v) { return __shfl_xor_sync(mask, v, 1); }  // PG2003
//// case mask-parameter-of-64-bits mode=hip
#include <hip/hip_runtime.h>
using mask_t = unsigned long long;
__device__ int g(mask_t mask, int v) { return __shfl_xor_sync(mask, v, 1); }
//// case mask-of-template-type mode=hip
#include <hip/hip_runtime.h>
template <class M> __device__ int g(M mask, int v) { return __shfl_xor_sync(mask, v, 1); }
//// case mask-of-syncwarp
__device__ void f() { __syncwarp(); __syncwarp(0xffffffff); }  // PG2003
//// case mask-of-some-lanes
__device__ int f(int v) { return __shfl_xor_sync(0xffu, v, 1); }
//// case ballot-to-auto mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) { auto m = __ballot(p); return __popcll(m); }
//// case ballot-by-wrapper mode=hip
#include <hip/hip_runtime.h>
__device__ inline unsigned long long votes(bool p) { return __ballot(p); }
__device__ int f(bool p) {
  unsigned m = votes(p);  // PG2004
  return m & 1;
}
//// case ballot-returned-narrow mode=hip
#include <hip/hip_runtime.h>
__device__ inline unsigned votes(bool p) { return __ballot(p); }  // PG2004
//// case ballot-to-alias mode=hip
#include <hip/hip_runtime.h>
using mask32 = std::uint32_t;
__device__ int f(bool p) { const mask32 m = __ballot(p); return m & 1; }  // PG2004
//// case ballot-cast mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) {
  auto m = static_cast<unsigned>(__ballot(p));  // PG2004
  return m & 1;
}
//// case ballot-lower-half-on-purpose mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) {
  unsigned low = __ballot(p) & 0xffffffffull;
  unsigned high = __ballot(p) >> 32;
  return low | high;
}
//// case ballot-member mode=hip
#include <hip/hip_runtime.h>
struct Votes { unsigned bits; };
__device__ void f(Votes& v, bool p) { v.bits = __ballot(p); }  // PG2004
//// case ballot-into-array mode=hip
#include <hip/hip_runtime.h>
__global__ void f(unsigned* bits, const int* x) { bits[blockIdx.x] = __ballot(x[threadIdx.x]); }  // PG2004
//// case ballot-argument-narrow mode=hip
#include <hip/hip_runtime.h>
__device__ int count(unsigned bits) { return bits & 1; }
__device__ int f(bool p) { return count(__ballot(p)); }  // PG2004
//// case ballot-compared mode=hip
#include <hip/hip_runtime.h>
__device__ bool f(bool p) { return __ballot(p) == 0; }
//// case ballot-counted mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) { int n = __popcll(__ballot(p)); return n; }
//// case popc-through-variable mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p, unsigned long long below) {
  const auto m = __ballot(p);
  const auto before = m & below;
  return __popc(before);  // PG2005
}
//// case popc-through-macro mode=hip
#include <hip/hip_runtime.h>
#define COUNT(m) __popc(m)
__device__ int f(bool p) { return COUNT(__ballot(p)); }  // PG2005
//// case popc-of-data mode=hip
#include <hip/hip_runtime.h>
__device__ int f(const unsigned* w, bool p) { return __ballot(p) ? __popc(w[0]) : __clz(w[1]); }
//// case ffs-of-active mode=hip
#include <hip/hip_runtime.h>
__device__ int f() { return __ffs(__activemask()) - 1; }  // PG2005
//// case clz-by-helper mode=hip
#include <hip/hip_runtime.h>
__device__ unsigned long long votes(bool p) { return __ballot(p); }
__device__ int f(bool p) { return 31 - __clz(votes(p)); }  // PG2005
//// case builtin-popcount mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) { return __builtin_popcount(__ballot(p)) + __builtin_popcountll(__ballot(p)); }  // PG2005
//// case shift-below-me mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) {
  int lane = __lane_id();
  unsigned long long below = (1u << lane) - 1;  // PG2006
  return __popcll(__ballot(p) & below);
}
//// case shift-wide mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) {
  int lane = __lane_id();
  unsigned long long below = (1ull << lane) - 1;
  unsigned long long also = (static_cast<unsigned long long>(1) << lane) - 1;
  return __popcll(__ballot(p) & below & also);
}
//// case shift-signed-one mode=hip
#include <hip/hip_runtime.h>
__device__ bool f(bool p) { return __ballot(p) & (1 << (threadIdx.x % warpSize)); }  // PG2006
//// case shift-right-of-mask mode=hip
#include <hip/hip_runtime.h>
__device__ bool f(bool p, int lane_id) { return (__ballot(p) >> lane_id) & 1; }
//// case shift-all-ones mode=hip
#include <hip/hip_runtime.h>
__device__ int f(bool p) {
  const int lane = __lane_id();
  return __popcll(__ballot(p) & ~(0xffffffffu << lane));  // PG2006
}
//// case shift-of-data mode=hip
#include <hip/hip_runtime.h>
__device__ unsigned f(unsigned w, int bit, bool p) { return __any(p) ? w & (1u << bit) : 0; }
//// case warp-size-by-chain mode=hip
#include <hip/hip_runtime.h>
constexpr int kWarp = warpSize;  // PG2008
template <int N> struct Buffer { float at[N]; };
__global__ void k(float* y) { Buffer<kWarp> b; y[0] = b.at[0]; }
//// case warp-size-in-template-default mode=hip
#include <hip/hip_runtime.h>
template <int W = warpSize> __device__ float f(float v) { return __shfl_xor(v, W / 2, W); }  // PG2008
//// case warp-size-in-switch mode=hip
#include <hip/hip_runtime.h>
__device__ int f(int w) {
  switch (w) {
    case warpSize: return 1;  // PG2008
    case 32: return 2;
  }
  switch (warpSize) { case 64: return 3; default: return 4; }
}
//// case warp-size-in-static-assert mode=hip
#include <hip/hip_runtime.h>
static_assert(warpSize == 64, "CDNA only");  // PG2008
__device__ int f() { static_assert(warpSize > 0); return 1; }  // PG2008
//// case warp-size-in-if-constexpr mode=hip
#include <hip/hip_runtime.h>
__device__ int f() {
  if constexpr (warpSize == 64) return 1;  // PG2008
  return 2;
}
//// case warp-size-in-plain-if mode=hip
#include <hip/hip_runtime.h>
__device__ int f() {
  if (warpSize == 64) return 1;
  const int half = warpSize / 2;
  return half;
}
//// case warp-size-member mode=hip
#include <hip/hip_runtime.h>
struct P { int warpSize; };
void f(P p) { int n = p.warpSize; float* a = new float[n]; delete[] a; }
//// case active-by-variable
__device__ int f(int v) {
  const unsigned m = __activemask();  // PG2004
  const auto n = m;
  return __shfl_sync(n, v, 0);  // PG2015
}
//// case active-in-condition
__device__ bool f() { return __activemask() == 0xffffffffu; }
//// case active-by-macro
#define HERE __activemask()
__device__ int f(int v) { return __any_sync(HERE, v); }  // PG2015
//// case active-by-helper
__device__ unsigned here() { return __activemask(); }  // PG2004
__device__ int f(int v) { return __shfl_sync(here(), v, 0); }  // PG2015
//// case ballot-before-branch
__device__ int f(int v, bool p) {
  unsigned m = __ballot_sync(0xffffffffu, p);  // PG2003 PG2004
  return p ? __shfl_sync(m, v, 0) : 0;
}
//// case hip-by-its-header
#include "gpu.h"
__device__ int g(unsigned mask, int v) { return __shfl_xor_sync(mask, v, 1); }  // PG2003
//// file gpu.h
#pragma once
#include "deeper.h"
//// file deeper.h
#include <hip/hip_runtime.h>
//// case cuda-by-its-header
#include "gpu.h"
__device__ int g(unsigned mask, int v) { return __shfl_xor_sync(mask, v, 1); }
//// file gpu.h
#pragma once
#include <cuda_runtime.h>
