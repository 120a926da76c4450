// The warp functions of the compat header, with the caller's line for messages.
#pragma once
#include "hip_warp.h"

#define PGCPU_AT ::pgcpu::site at = ::pgcpu::site::current()

namespace pg_compat {

constexpr int warp_size = 32;

PG_COMPAT_DEVICE unsigned half_shift() { return ::pgcpu::lane_id() & 32u; }
PG_COMPAT_DEVICE unsigned lane_id() { return ::pgcpu::lane_id() & 31u; }
PG_COMPAT_DEVICE unsigned lanemask_eq() { return 1u << lane_id(); }
PG_COMPAT_DEVICE unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
PG_COMPAT_DEVICE unsigned lanemask_le() { return (2u << lane_id()) - 1u; }
PG_COMPAT_DEVICE unsigned lanemask_gt() { return ~lanemask_le(); }
PG_COMPAT_DEVICE unsigned lanemask_ge() { return ~lanemask_lt(); }

PG_COMPAT_DEVICE unsigned ballot(int predicate, PGCPU_AT) {
  return unsigned(__ballot(predicate, at) >> half_shift());
}
PG_COMPAT_DEVICE unsigned activemask(PGCPU_AT) { return ballot(1, at); }
PG_COMPAT_DEVICE int any(int predicate, PGCPU_AT) { return ballot(predicate, at) != 0; }
PG_COMPAT_DEVICE int all(int predicate, PGCPU_AT) { return ballot(!predicate, at) == 0; }
PG_COMPAT_DEVICE unsigned ballot_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot(predicate, at) & mask;
}
PG_COMPAT_DEVICE int any_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot_sync(mask, predicate, at) != 0;
}
PG_COMPAT_DEVICE int all_sync(unsigned mask, int predicate, PGCPU_AT) {
  return ballot_sync(mask, !predicate, at) == 0;
}
PG_COMPAT_DEVICE int uni_sync(unsigned mask, int predicate, PGCPU_AT) {
  const unsigned yes = ballot_sync(mask, predicate, at);
  return yes == 0 || yes == ballot_sync(mask, 1, at);
}
PG_COMPAT_DEVICE void syncwarp(unsigned = 0xffffffffu, PGCPU_AT) {
  ::pgcpu::group_sync(::pgcpu::active, at);
}

#define PGCPU_COMPAT_SHUFFLE(NAME, ARG)                                                   \
  template <class T>                                                                      \
  PG_COMPAT_DEVICE T NAME(T v, ARG x, int width = 32, PGCPU_AT) {                         \
    return __##NAME(v, x, width, at);                                                     \
  }                                                                                       \
  template <class T>                                                                      \
  PG_COMPAT_DEVICE T NAME##_sync(unsigned, T v, ARG x, int width = 32, PGCPU_AT) {        \
    return __##NAME(v, x, width, at);                                                     \
  }
PGCPU_COMPAT_SHUFFLE(shfl, int)
PGCPU_COMPAT_SHUFFLE(shfl_up, unsigned)
PGCPU_COMPAT_SHUFFLE(shfl_down, unsigned)
PGCPU_COMPAT_SHUFFLE(shfl_xor, int)
#undef PGCPU_COMPAT_SHUFFLE

template <class T>
PG_COMPAT_DEVICE unsigned match_any_sync(unsigned mask, T v, PGCPU_AT) {
  return unsigned(__match_any(v, at) >> half_shift()) & mask;
}
template <class T>
PG_COMPAT_DEVICE unsigned match_all_sync(unsigned mask, T v, int* pred, PGCPU_AT) {
  T all[64];
  const auto there = unsigned(::pgcpu::group_gather(::pgcpu::active, v, all, at) >> half_shift()) & mask;
  *pred = 1;
  for (unsigned m = there; m; m &= m - 1)
    if (memcmp(&all[half_shift() + unsigned(__builtin_ctz(m))], &v, sizeof v)) *pred = 0;
  return *pred ? there : 0u;
}
#define PGCPU_COMPAT_REDUCE(NAME, T, EXPR)                                                    \
  PG_COMPAT_DEVICE T NAME(unsigned mask, T v, PGCPU_AT) {                                     \
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

PG_COMPAT_DEVICE unsigned thread_rank() { return ::pgcpu::thread_rank(); }
PG_COMPAT_DEVICE unsigned block_threads() { return ::pgcpu::block_threads(); }
PG_COMPAT_DEVICE unsigned warp_id() { return thread_rank() / 32u; }

}  // namespace pg_compat
#undef PGCPU_AT
