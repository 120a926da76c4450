// Warp functions as CUDA means them: a logical warp of 32 lanes, also on a physical warp of 64.
#pragma once
#include "half.h"
#include "thread.h"

#include <type_traits>

constexpr int warpSize = 32;

namespace pgcpu::cuda {

inline unsigned lane32() { return lane_id() & 31; }
inline unsigned base32() { return lane_id() & ~31u; }
inline mask_t wide(unsigned mask) { return mask_t(mask) << base32(); }

// Source lanes by CUDA's rules; `width` divides the warp into segments, and the instruction reads five
// bits of a distance.
inline int idx(int source, int width) {
  return int((lane32() & ~unsigned(width - 1)) + (unsigned(source) & unsigned(width - 1)));
}
inline int up(unsigned delta, int width) {
  const unsigned in = lane32() & unsigned(width - 1);
  delta &= 31u;
  return int(delta > in ? lane32() : lane32() - delta);
}
inline int down(unsigned delta, int width) {
  const unsigned in = lane32() & unsigned(width - 1);
  delta &= 31u;
  return int(delta >= unsigned(width) - in ? lane32() : lane32() + delta);
}
inline int bfly(int mask, int width) {
  const unsigned j = lane32() ^ (unsigned(mask) & 31u);
  return int(j > (lane32() | unsigned(width - 1)) ? lane32() : j);
}

template <class T>
struct can_shuffle
    : std::bool_constant<(std::is_arithmetic_v<T> && sizeof(T) <= 8) || !std::is_arithmetic_v<T>> {};

void check_width(int width, site at);

template <class T>
inline T shuffle(mask_t mask, T v, int lane, int width, site at) {
  static_assert(can_shuffle<T>::value, "CUDA has no shuffle for this type");
  if (width <= 0 || width > 32 || (width & (width - 1))) check_width(width, at);
  return group_shuffle(mask, v, int(base32()) + lane, at);
}

}  // namespace pgcpu::cuda

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

// The n-th set bit at or above (offset > 0) or below `base`; all ones: there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset * step;
  for (int i = int(base); i >= 0 && i < 32; i += step) {
    if (mask >> i & 1 && --left == 0) return unsigned(i);
    if (offset == 0) break;
  }
  return ~0u;
}

template <class T>
inline T __shfl_sync(unsigned mask, T v, int source, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::cuda::wide(mask), v, ::pgcpu::cuda::idx(source, width), width, at);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::cuda::wide(mask), v, ::pgcpu::cuda::up(delta, width), width, at);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::cuda::wide(mask), v, ::pgcpu::cuda::down(delta, width), width, at);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T v, int lane_mask, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::cuda::wide(mask), v, ::pgcpu::cuda::bfly(lane_mask, width), width, at);
}
// The forms without a mask, which CUDA had until Volta.
template <class T>
inline T __shfl(T v, int source, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::active, v, ::pgcpu::cuda::idx(source, width), width, at);
}
template <class T>
inline T __shfl_up(T v, unsigned delta, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::active, v, ::pgcpu::cuda::up(delta, width), width, at);
}
template <class T>
inline T __shfl_down(T v, unsigned delta, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::active, v, ::pgcpu::cuda::down(delta, width), width, at);
}
template <class T>
inline T __shfl_xor(T v, int lane_mask, int width = 32, PGCPU_AT) {
  return ::pgcpu::cuda::shuffle(::pgcpu::active, v, ::pgcpu::cuda::bfly(lane_mask, width), width, at);
}

inline unsigned __ballot_sync(unsigned mask, int pred, PGCPU_AT) {
  return unsigned(::pgcpu::group_ballot(::pgcpu::cuda::wide(mask), pred != 0, at) >> ::pgcpu::cuda::base32());
}
inline int __any_sync(unsigned mask, int pred, PGCPU_AT) { return __ballot_sync(mask, pred, at) != 0; }
inline int __all_sync(unsigned mask, int pred, PGCPU_AT) { return __ballot_sync(mask, !pred, at) == 0; }
inline int __uni_sync(unsigned mask, int pred, PGCPU_AT) {
  const ::pgcpu::mask_t w = ::pgcpu::cuda::wide(mask);
  const ::pgcpu::mask_t b = ::pgcpu::group_ballot(w, pred != 0, at);
  return b == 0 || ::pgcpu::group_ballot(w, pred == 0, at) == 0;
}
inline unsigned __ballot(int pred, PGCPU_AT) {
  return unsigned(::pgcpu::group_ballot(::pgcpu::active, pred != 0, at) >> ::pgcpu::cuda::base32());
}
inline int __any(int pred, PGCPU_AT) { return __ballot(pred, at) != 0; }
inline int __all(int pred, PGCPU_AT) { return __ballot(!pred, at) == 0; }
inline unsigned __activemask(PGCPU_AT) {
  return unsigned(::pgcpu::group_active(at) >> ::pgcpu::cuda::base32());
}
inline void __syncwarp(unsigned mask = 0xffffffffu, PGCPU_AT) {
  ::pgcpu::group_sync(::pgcpu::cuda::wide(mask), at);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T v, PGCPU_AT) {
  return unsigned(::pgcpu::group_match(::pgcpu::cuda::wide(mask), v, at) >> ::pgcpu::cuda::base32());
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T v, int* pred, PGCPU_AT) {
  T all[64];
  const ::pgcpu::mask_t there = ::pgcpu::group_gather(::pgcpu::cuda::wide(mask), v, all, at);
  bool same = true;
  for (::pgcpu::mask_t m = there; m; m &= m - 1)
    same = same && !memcmp(&all[__builtin_ctzll(m)], &v, sizeof v);
  *pred = same;
  return same ? mask : 0;
}

#define PGCPU_REDUCE(NAME, T, EXPR)                                                           \
  inline T NAME(unsigned mask, T v, PGCPU_AT) {                                               \
    T all[64];                                                                                \
    ::pgcpu::mask_t m = ::pgcpu::group_gather(::pgcpu::cuda::wide(mask), v, all, at);         \
    T a = all[__builtin_ctzll(m)];                                                            \
    for (m &= m - 1; m; m &= m - 1) {                                                         \
      const T b = all[__builtin_ctzll(m)];                                                    \
      a = EXPR;                                                                               \
    }                                                                                         \
    return a;                                                                                 \
  }
PGCPU_REDUCE(__reduce_add_sync, unsigned, a + b)
PGCPU_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
PGCPU_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
PGCPU_REDUCE(__reduce_and_sync, unsigned, a & b)
PGCPU_REDUCE(__reduce_or_sync, unsigned, a | b)
PGCPU_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
PGCPU_REDUCE(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
PGCPU_REDUCE(__reduce_min_sync, int, b < a ? b : a)
PGCPU_REDUCE(__reduce_max_sync, int, a < b ? b : a)
#undef PGCPU_REDUCE
#undef PGCPU_AT

// A shared address is the distance from the block's shared memory.
inline size_t __cvta_generic_to_shared(const void* p) {
  return size_t(static_cast<const char*>(p) - ::pgcpu::detail::arena_base);
}
inline void* __cvta_shared_to_generic(size_t address) {
  return ::pgcpu::detail::arena_base + address;
}
