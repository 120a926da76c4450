// Warp functions as HIP means them: the native width, 64-bit masks, and no need for a mask, since the
// lanes of a wave run in lockstep: those that are active at the call take part.
#pragma once
#include "atomic.h"
#include "math.h"
#include "thread.h"

#include <type_traits>

inline const int warpSize = int(::pgcpu::warp_size());

namespace pgcpu::hip {

PGCPU_INLINE int idx(int source, int width) {
  return int((lane_id() & ~unsigned(width - 1)) + (unsigned(source) & unsigned(width - 1)));
}
PGCPU_INLINE int up(unsigned delta, int width) {
  const unsigned in = lane_id() & unsigned(width - 1);
  return int(delta > in ? lane_id() : lane_id() - delta);
}
PGCPU_INLINE int down(unsigned delta, int width) {
  const unsigned in = lane_id() & unsigned(width - 1);
  return int(delta >= unsigned(width) - in ? lane_id() : lane_id() + delta);
}
PGCPU_INLINE int bfly(int mask, int width) {
  const unsigned j = lane_id() ^ unsigned(mask);
  return int(j > (lane_id() | unsigned(width - 1)) || j >= warp_size() ? lane_id() : j);
}
void check_width(int width, site at);

template <class T>
PGCPU_INLINE T shuffle(mask_t mask, T v, int lane, int width, site at) {
  static_assert(!std::is_arithmetic_v<T> || sizeof(T) <= 8, "HIP has no shuffle for this type");
  if (width <= 0 || unsigned(width) > warp_size() || (width & (width - 1))) check_width(width, at);
  return group_shuffle(mask, v, lane, at);
}
template <class M>
PGCPU_INLINE mask_t wide(M mask) {
  static_assert(sizeof(M) == 8, "The mask must be a 64-bit integer.");  // HIP says so too
  const unsigned w = warp_size();
  return mask_t(mask) & (w == 64 ? ~mask_t(0) : (mask_t(1) << w) - 1);
}

}  // namespace pgcpu::hip

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

PGCPU_INLINE unsigned __lane_id() { return ::pgcpu::lane_id(); }

template <class T>
PGCPU_INLINE T __shfl(T v, int source, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::active, v, ::pgcpu::hip::idx(source, width), width, at);
}
template <class T>
PGCPU_INLINE T __shfl_up(T v, unsigned delta, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::active, v, ::pgcpu::hip::up(delta, width), width, at);
}
template <class T>
PGCPU_INLINE T __shfl_down(T v, unsigned delta, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::active, v, ::pgcpu::hip::down(delta, width), width, at);
}
template <class T>
PGCPU_INLINE T __shfl_xor(T v, int lane_mask, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::active, v, ::pgcpu::hip::bfly(lane_mask, width), width, at);
}
template <class M, class T>
PGCPU_INLINE T __shfl_sync(M mask, T v, int source, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::hip::wide(mask), v, ::pgcpu::hip::idx(source, width), width, at);
}
template <class M, class T>
PGCPU_INLINE T __shfl_up_sync(M mask, T v, unsigned delta, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::hip::wide(mask), v, ::pgcpu::hip::up(delta, width), width, at);
}
template <class M, class T>
PGCPU_INLINE T __shfl_down_sync(M mask, T v, unsigned delta, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::hip::wide(mask), v, ::pgcpu::hip::down(delta, width), width, at);
}
template <class M, class T>
PGCPU_INLINE T __shfl_xor_sync(M mask, T v, int lane_mask, int width = warpSize, PGCPU_AT) {
  return ::pgcpu::hip::shuffle(::pgcpu::hip::wide(mask), v, ::pgcpu::hip::bfly(lane_mask, width), width, at);
}

PGCPU_INLINE unsigned long long __ballot(int pred, PGCPU_AT) {
  return ::pgcpu::group_ballot(::pgcpu::active, pred != 0, at);
}
PGCPU_INLINE unsigned long long __ballot64(int pred, PGCPU_AT) { return __ballot(pred, at); }
PGCPU_INLINE int __any(int pred, PGCPU_AT) { return __ballot(pred, at) != 0; }
PGCPU_INLINE int __all(int pred, PGCPU_AT) { return __ballot(!pred, at) == 0; }
PGCPU_INLINE unsigned long long __activemask(PGCPU_AT) { return ::pgcpu::group_active(at); }
template <class M>
PGCPU_INLINE unsigned long long __ballot_sync(M mask, int pred, PGCPU_AT) {
  return ::pgcpu::group_ballot(::pgcpu::hip::wide(mask), pred != 0, at);
}
template <class M>
PGCPU_INLINE int __any_sync(M mask, int pred, PGCPU_AT) { return __ballot_sync(mask, pred, at) != 0; }
template <class M>
PGCPU_INLINE int __all_sync(M mask, int pred, PGCPU_AT) { return __ballot_sync(mask, !pred, at) == 0; }
PGCPU_INLINE void __syncwarp(PGCPU_AT) { ::pgcpu::group_sync(::pgcpu::active, at); }
template <class M, class = std::enable_if_t<std::is_integral_v<M>>>
PGCPU_INLINE void __syncwarp(M mask, PGCPU_AT) { ::pgcpu::group_sync(::pgcpu::hip::wide(mask), at); }
template <class T>
PGCPU_INLINE unsigned long long __match_any(T v, PGCPU_AT) {
  return ::pgcpu::group_match(::pgcpu::active, v, at);
}
template <class M, class T>
PGCPU_INLINE unsigned long long __match_any_sync(M mask, T v, PGCPU_AT) {
  return ::pgcpu::group_match(::pgcpu::hip::wide(mask), v, at);
}
template <class M, class T>
PGCPU_INLINE unsigned long long __match_all_sync(M mask, T v, int* pred, PGCPU_AT) {
  const ::pgcpu::mask_t w = ::pgcpu::hip::wide(mask);
  T all[64];
  const ::pgcpu::mask_t there = ::pgcpu::group_gather(w, v, all, at);
  bool same = true;
  for (::pgcpu::mask_t m = there; m; m &= m - 1)
    same = same && !memcmp(&all[__builtin_ctzll(m)], &v, sizeof v);
  *pred = same;
  return same ? there : 0;
}
#define PGCPU_REDUCE(NAME, EXPR)                                                            \
  template <class M, class T>                                                               \
  PGCPU_INLINE T NAME(M mask, T v, PGCPU_AT) {                                                    \
    T all[64];                                                                              \
    ::pgcpu::mask_t m = ::pgcpu::group_gather(::pgcpu::hip::wide(mask), v, all, at);        \
    T a = all[__builtin_ctzll(m)];                                                          \
    for (m &= m - 1; m; m &= m - 1) {                                                       \
      const T b = all[__builtin_ctzll(m)];                                                  \
      a = EXPR;                                                                             \
    }                                                                                       \
    return a;                                                                               \
  }
PGCPU_REDUCE(__reduce_add_sync, T(a + b))
PGCPU_REDUCE(__reduce_min_sync, b < a ? b : a)
PGCPU_REDUCE(__reduce_max_sync, a < b ? b : a)
PGCPU_REDUCE(__reduce_and_sync, T(a & b))
PGCPU_REDUCE(__reduce_or_sync, T(a | b))
PGCPU_REDUCE(__reduce_xor_sync, T(a ^ b))
#undef PGCPU_REDUCE

// HIP's own overloads and extras.
inline int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
inline int __ffsll(unsigned long x) { return __builtin_ffsll((long long)x); }
inline int __ffsll(long x) { return __builtin_ffsll((long long)x); }
inline int __ffs(unsigned x) { return __builtin_ffs(int(x)); }
inline unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  offset &= 31, width &= 31;
  return width ? (x << (32 - offset - width > 31 ? 0 : 32 - offset - width)) >> (32 - width) : 0;
}
inline unsigned __lastbit_u32_u32(unsigned x) { return x ? unsigned(__builtin_ctz(x)) : ~0u; }
template <class T>
inline T unsafeAtomicAdd(T* p, std::common_type_t<T> v) { return atomicAdd(p, v); }
template <class T>
inline T safeAtomicAdd(T* p, std::common_type_t<T> v) { return atomicAdd(p, v); }
template <class T>
inline T unsafeAtomicMin(T* p, std::common_type_t<T> v) { return atomicMin(p, v); }
template <class T>
inline T unsafeAtomicMax(T* p, std::common_type_t<T> v) { return atomicMax(p, v); }
#undef PGCPU_AT

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

// Compiler builtins of AMD's backend that sources use directly.
#define __builtin_amdgcn_wave_barrier() ::pgcpu::group_sync(::pgcpu::active)
#define __builtin_amdgcn_fence(order, scope) __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __builtin_amdgcn_s_barrier() ::pgcpu::block_barrier()
#define __builtin_amdgcn_s_sleep(n) ::pgcpu::yield()
#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
#define __builtin_amdgcn_rsqf(x) rsqrtf(x)
#define __builtin_amdgcn_sqrtf(x) sqrtf(x)
#ifndef __clang__
#define __builtin_readcyclecounter() (::pgcpu::clock_ns())
#endif
#define __builtin_amdgcn_wavefrontsize() (::pgcpu::warp_size())
#define __builtin_amdgcn_mbcnt_lo(mask, base) \
  ((base) + unsigned(__builtin_popcount((mask) & unsigned((1ull << (::pgcpu::lane_id() & 63)) - 1))))
#define __builtin_amdgcn_mbcnt_hi(mask, base)                                                  \
  ((base) + (::pgcpu::lane_id() > 32                                                          \
                 ? unsigned(__builtin_popcount((mask) & ((1u << (::pgcpu::lane_id() - 32)) - 1))) \
                 : 0u))
#define __builtin_amdgcn_readfirstlane(v) ::pgcpu::hip::first_lane(v)
namespace pgcpu::hip {
template <class T>
PGCPU_INLINE T first_lane(T v, site at = site::current()) {
  T all[64];
  return all[__builtin_ctzll(group_gather(active, v, all, at))];
}
}  // namespace pgcpu::hip
