// The warp functions of the compat header, with the caller's line for messages.
#pragma once
#include "hip_warp.h"

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()
#define PGCPU_COMPAT static inline __attribute__((always_inline, unused))

namespace pg_compat {

constexpr int warp_size = 32;

PGCPU_COMPAT unsigned half_shift() { return ::pgcpu::lane_id() & 32u; }
PGCPU_COMPAT unsigned lane_id() { return ::pgcpu::lane_id() & 31u; }
PGCPU_COMPAT unsigned lanemask_eq() { return 1u << lane_id(); }
PGCPU_COMPAT unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
PGCPU_COMPAT unsigned lanemask_le() { return (2u << lane_id()) - 1u; }
PGCPU_COMPAT unsigned lanemask_gt() { return ~lanemask_le(); }
PGCPU_COMPAT unsigned lanemask_ge() { return ~lanemask_lt(); }

PGCPU_COMPAT unsigned ballot(int predicate, PGCPU_AT) {
  return unsigned(__ballot(predicate, at) >> half_shift());
}
PGCPU_COMPAT unsigned activemask(PGCPU_AT) { return ballot(1, at); }
PGCPU_COMPAT int any(int predicate, PGCPU_AT) { return ballot(predicate, at) != 0; }
PGCPU_COMPAT int all(int predicate, PGCPU_AT) { return ballot(!predicate, at) == 0; }
PGCPU_COMPAT unsigned ballot_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot(predicate, at) & mask;
}
PGCPU_COMPAT int any_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot_sync(mask, predicate, at) != 0;
}
PGCPU_COMPAT int all_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot_sync(mask, !predicate, at) == 0;
}
PGCPU_COMPAT int uni_sync(unsigned mask, int predicate, PGCPU_AT) {
  const unsigned yes = ballot_sync(mask, predicate, at);
  return yes == 0 || yes == ballot_sync(mask, 1, at);
}
PGCPU_COMPAT void syncwarp(unsigned mask = 0xffffffffu, PGCPU_AT) {
  ::pgcpu::group_sync(::pgcpu::mask_t(mask) << half_shift(), at);
}

namespace detail {
template <class T>
using value_t = T;
template <class T>
PGCPU_COMPAT bool same_bits(const T& a, const T& b) {
  return memcmp(&a, &b, sizeof(T)) == 0;
}
}  // namespace detail

#define PGCPU_COMPAT_SHUFFLE(NAME, ARG, WITHIN)                                           \
  template <class T>                                                                      \
  PGCPU_COMPAT T NAME(T v, ARG x, int width = 32, PGCPU_AT) {                             \
    return __##NAME(v, static_cast<ARG>(x & WITHIN), width, at);                          \
  }                                                                                       \
  template <class T>                                                                      \
  PGCPU_COMPAT T NAME##_sync(unsigned, T v, ARG x, int width = 32, PGCPU_AT) {            \
    return __##NAME(v, static_cast<ARG>(x & WITHIN), width, at);                          \
  }
PGCPU_COMPAT_SHUFFLE(shfl, int, (width - 1))
PGCPU_COMPAT_SHUFFLE(shfl_up, unsigned, 31u)
PGCPU_COMPAT_SHUFFLE(shfl_down, unsigned, 31u)
PGCPU_COMPAT_SHUFFLE(shfl_xor, int, 31)
#undef PGCPU_COMPAT_SHUFFLE

template <class T>
PGCPU_COMPAT unsigned match_any_sync(unsigned mask, T v, PGCPU_AT) {
  return unsigned(__match_any(v, at) >> half_shift()) & mask;
}
template <class T>
PGCPU_COMPAT unsigned match_all_sync(unsigned mask, T v, int* pred, PGCPU_AT) {
  T all[64];
  const auto there = unsigned(::pgcpu::group_gather(::pgcpu::active, v, all, at) >> half_shift()) & mask;
  *pred = 1;
  for (unsigned m = there; m; m &= m - 1)
    if (memcmp(&all[half_shift() + unsigned(__builtin_ctz(m))], &v, sizeof v)) *pred = 0;
  return *pred ? there : 0u;
}
#define PGCPU_COMPAT_REDUCE(NAME, T, EXPR)                                                    \
  PGCPU_COMPAT T NAME(unsigned mask, T v, PGCPU_AT) {                                     \
    T all[64];                                                                                \
    unsigned m = unsigned(::pgcpu::group_gather(::pgcpu::active, v, all, at) >> half_shift()) & mask; \
    T a = all[half_shift() + unsigned(__builtin_ctz(m))];                                     \
    for (m &= m - 1; m; m &= m - 1) {                                                         \
      const T b = all[half_shift() + unsigned(__builtin_ctz(m))];                             \
      a = EXPR;                                                                               \
    }                                                                                         \
    return a;                                                                                 \
  }
PGCPU_COMPAT_REDUCE(reduce_add_sync, unsigned, a + b)
PGCPU_COMPAT_REDUCE(reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
PGCPU_COMPAT_REDUCE(reduce_min_sync, unsigned, b < a ? b : a)
PGCPU_COMPAT_REDUCE(reduce_min_sync, int, b < a ? b : a)
PGCPU_COMPAT_REDUCE(reduce_max_sync, unsigned, a < b ? b : a)
PGCPU_COMPAT_REDUCE(reduce_max_sync, int, a < b ? b : a)
PGCPU_COMPAT_REDUCE(reduce_and_sync, unsigned, a & b)
PGCPU_COMPAT_REDUCE(reduce_or_sync, unsigned, a | b)
PGCPU_COMPAT_REDUCE(reduce_xor_sync, unsigned, a ^ b)
#undef PGCPU_COMPAT_REDUCE

// The same with the width of the device.
namespace native {
using mask = unsigned long long;
PGCPU_COMPAT int width() { return warpSize; }
PGCPU_COMPAT mask ballot(int predicate, PGCPU_AT) { return __ballot(predicate, at); }
PGCPU_COMPAT mask activemask(PGCPU_AT) { return __ballot(1, at); }
PGCPU_COMPAT int any(int predicate, PGCPU_AT) { return __ballot(predicate, at) != 0; }
PGCPU_COMPAT int all(int predicate, PGCPU_AT) { return __ballot(!predicate, at) == 0; }
PGCPU_COMPAT mask ballot_sync(mask m, int predicate, PGCPU_AT) { return __ballot(predicate, at) & m; }
PGCPU_COMPAT int any_sync(mask m, int predicate, PGCPU_AT) { return ballot_sync(m, predicate, at) != 0; }
PGCPU_COMPAT int all_sync(mask m, int predicate, PGCPU_AT) { return ballot_sync(m, !predicate, at) == 0; }
PGCPU_COMPAT int uni_sync(mask m, int predicate, PGCPU_AT) {
  const mask yes = ballot_sync(m, predicate, at);
  return yes == 0 || yes == ballot_sync(m, 1, at);
}
#define PGCPU_COMPAT_SHUFFLE(NAME, ARG)                                                     \
  template <class T>                                                                        \
  PGCPU_COMPAT T NAME(T v, ARG x, int w = width(), PGCPU_AT) {                              \
    return __##NAME(v, x, w, at);                                                           \
  }                                                                                         \
  template <class T>                                                                        \
  PGCPU_COMPAT T NAME##_sync(mask, T v, ARG x, int w = width(), PGCPU_AT) {                 \
    return __##NAME(v, x, w, at);                                                           \
  }
PGCPU_COMPAT_SHUFFLE(shfl, int)
PGCPU_COMPAT_SHUFFLE(shfl_up, unsigned)
PGCPU_COMPAT_SHUFFLE(shfl_down, unsigned)
PGCPU_COMPAT_SHUFFLE(shfl_xor, int)
#undef PGCPU_COMPAT_SHUFFLE
template <class T>
PGCPU_COMPAT mask match_any_sync(mask m, T v, PGCPU_AT) { return __match_any(v, at) & m; }
template <class T>
PGCPU_COMPAT mask match_all_sync(mask m, T v, int* pred, PGCPU_AT) {
  T all[64];
  const mask there = ::pgcpu::group_gather(::pgcpu::active, v, all, at) & m;
  *pred = 1;
  for (mask left = there; left; left &= left - 1)
    if (!detail::same_bits(all[__builtin_ctzll(left)], v)) *pred = 0;
  return *pred ? there : 0;
}
}  // namespace native

PGCPU_COMPAT unsigned sm_id() { return 0; }
PGCPU_COMPAT void grid_dependency() {}
PGCPU_COMPAT unsigned thread_rank() { return ::pgcpu::thread_rank(); }
PGCPU_COMPAT unsigned block_threads() { return ::pgcpu::block_threads(); }
PGCPU_COMPAT unsigned warp_id() { return thread_rank() / 32u; }

}  // namespace pg_compat
#undef PGCPU_AT
#undef PGCPU_COMPAT
