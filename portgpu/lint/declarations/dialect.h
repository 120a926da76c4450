// The dialect as the linter sees it: names and types only; templates/dialect/ is the real one.
#pragma once
#include "common.h"

typedef struct PgStream* hipStream_t;
extern "C" int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, hipStream_t = 0);
#define PG_TARGET_CUDA 1
#define PG_TARGET_ROCM 0
#define PG_TARGET_CPU 0
#define PG_DEVICE_PASS 1
#define PG_LAUNCH(k, g, b, sh, st, ...) pg::launch(st)
#define PG_LAUNCH_BOUNDS(...)
#define PG_DYN_SHARED(T, name) T* name = nullptr
#define PG_GRID_CONSTANT
#define PG_UNROLL
#define PG_ASSERT(x) ((void)(x))
#define PG_WARP_SIZE_MIN 32
#define PG_WARP_SIZE_MAX 64
namespace pg {
typedef unsigned long long lane_mask;
typedef ::half half;
typedef ::half bfloat16;
int launch(void*);
int host_warp_size(int = 0);
PG_ANY int warp_size();
PG_ANY int lane_id();
PG_ANY int warp_id();
PG_ANY void syncwarp();
PG_ANY int popcount(lane_mask);
PG_ANY int first_lane(lane_mask);
PG_ANY bool contains(lane_mask, int);
template <int W = 0> PG_ANY lane_mask ballot(bool);
template <int W = 0> PG_ANY bool any(bool);
template <int W = 0> PG_ANY bool all(bool);
template <int W = 0, class T> PG_ANY lane_mask match_any(T);
template <int W = 0, class T> PG_ANY T shfl(T, int);
template <int W = 0, class T> PG_ANY T shfl_up(T, int);
template <int W = 0, class T> PG_ANY T shfl_down(T, int);
template <int W = 0, class T> PG_ANY T shfl_xor(T, int);
template <int W = 0, class T, class O> PG_ANY T warp_reduce(T, O);
template <int W = 0, class T> PG_ANY T warp_sum(T);
template <int W = 0, class T> PG_ANY T warp_min(T);
template <int W = 0, class T> PG_ANY T warp_max(T);
template <int B, class T> PG_ANY T block_sum(T);
template <int B, class T> PG_ANY T block_min(T);
template <int B, class T> PG_ANY T block_max(T);
template <int B, class T, class O> PG_ANY T block_reduce(T, O, T);
template <class T> PG_ANY float to_float(T);
template <class T> PG_ANY T from_float(float);
template <class T, int N> struct vec { T v[N]; PG_ANY T& operator[](int); };
}
