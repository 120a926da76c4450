// The calling thread: who it is, how it meets others.
#pragma once
#include "types.h"

#include <type_traits>

namespace pgcpu {

using mask_t = unsigned long long;
constexpr mask_t active = 0;  // as a mask: the lanes that are active here

enum class op : unsigned char {
  none,
  barrier,
  barrier_count,
  barrier_and,
  barrier_or,
  grid_barrier,
  sync,
  ballot,
  active_lanes,
  shuffle,
  match,
  gather,
};

namespace detail {
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL unsigned rank;   // linear index in the block
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL unsigned lane;   // rank modulo the warp width
PGCPU_CONSTINIT extern thread_local PGCPU_TLS_MODEL bool in_kernel;
extern unsigned physical_warp;                       // 0 until the runtime has read the environment

unsigned init_warp_size();
int barrier(op kind, int pred, site at);
void checker_fence();
void misaligned(const void* p, size_t alignment, const char* what, site at);
void bad_leading(const char* what, unsigned leading, unsigned least, unsigned unit, site at);
// One rendezvous of the lanes in `mask`. `out` gets what the operation gives to this lane.
mask_t group(op kind, mask_t mask, const void* in, void* out, unsigned size, int source, site at);
}  // namespace detail

inline bool in_kernel() { return detail::in_kernel; }
inline unsigned warp_size() {
  return detail::physical_warp ? detail::physical_warp : detail::init_warp_size();
}
inline unsigned lane_id() { return detail::lane; }
inline unsigned thread_rank() { return detail::rank; }
inline unsigned warp_id() { return detail::rank / warp_size(); }
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

inline void block_barrier(site at = site::current()) { detail::barrier(op::barrier, 0, at); }
inline int block_count(int pred, site at = site::current()) {
  return detail::barrier(op::barrier_count, pred, at);
}
inline int block_and(int pred, site at = site::current()) {
  return detail::barrier(op::barrier_and, pred, at);
}
inline int block_or(int pred, site at = site::current()) {
  return detail::barrier(op::barrier_or, pred, at);
}
inline void grid_barrier(site at = site::current()) { detail::barrier(op::grid_barrier, 0, at); }

PGCPU_INLINE void group_sync(mask_t mask, site at = site::current()) {
  detail::group(op::sync, mask, nullptr, nullptr, 0, 0, at);
}
PGCPU_INLINE mask_t group_ballot(mask_t mask, bool pred, site at = site::current()) {
  return detail::group(op::ballot, mask, nullptr, nullptr, 0, pred, at);
}
PGCPU_INLINE mask_t group_active(site at = site::current()) {
  return detail::group(op::active_lanes, active, nullptr, nullptr, 0, 0, at);
}
template <class T>
PGCPU_INLINE T group_shuffle(mask_t mask, T v, int physical_lane, site at = site::current()) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain data can be shuffled");
  T out = v;
  detail::group(op::shuffle, mask, &v, &out, sizeof(T), physical_lane, at);
  return out;
}
template <class T>
PGCPU_INLINE mask_t group_match(mask_t mask, T v, site at = site::current()) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain data can be compared");
  return detail::group(op::match, mask, &v, nullptr, sizeof(T), 0, at);
}
// out[lane] = v of every lane in the group; `out` has 64 items. Returns the lanes that took part.
template <class T>
PGCPU_INLINE mask_t group_gather(mask_t mask, T v, T* out, site at = site::current()) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain data can be gathered");
  return detail::group(op::gather, mask, &v, out, sizeof(T), 0, at);
}

// Reports (PG4033) an address that is no multiple of `alignment`; `what` names the access.
inline void require_aligned(const void* p, size_t alignment, const char* what, site at = site::current()) {
  if (reinterpret_cast<uintptr_t>(p) % alignment) detail::misaligned(p, alignment, what, at);
}

void yield();                  // lets other threads of the block run
unsigned long long clock_ns();  // monotonic
void sleep_ns(unsigned ns);
[[noreturn]] void trap(site at = site::current());

}  // namespace pgcpu

// The barrier and fence names that CUDA and HIP share.
inline void __syncthreads(pgcpu::site at = pgcpu::site::current()) { pgcpu::block_barrier(at); }
inline int __syncthreads_count(int p, pgcpu::site at = pgcpu::site::current()) {
  return pgcpu::block_count(p, at);
}
inline int __syncthreads_and(int p, pgcpu::site at = pgcpu::site::current()) {
  return pgcpu::block_and(p, at);
}
inline int __syncthreads_or(int p, pgcpu::site at = pgcpu::site::current()) {
  return pgcpu::block_or(p, at);
}
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if PGCPU_CHECKED
  pgcpu::detail::checker_fence();
#endif
}
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __threadfence(); }
inline long long clock64() { return static_cast<long long>(pgcpu::clock_ns()); }
inline long long wall_clock64() { return static_cast<long long>(pgcpu::clock_ns()); }
inline void __nanosleep(unsigned ns) { pgcpu::sleep_ns(ns); }
