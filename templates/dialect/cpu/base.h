// Target CPU: macros, over the SIMT emulator.
#ifndef PG_DETAIL_BASE_H
#define PG_DETAIL_BASE_H

#include "pgcpu.h"

#define PG_TARGET_CUDA 0
#define PG_TARGET_ROCM 0
#define PG_TARGET_CPU 1
#define PG_DEVICE_COMPILER 1
#define PG_DEVICE_PASS 1

// The width of a warp is chosen when the program starts (PORTGPU_WARP_SIZE).
#define PG_WARP_CONSTEXPR
#define PG_COPY_BYTES_ ::memcpy

#define PG_SITE , ::pgcpu::site at = ::pgcpu::site::current()
#define PG_AT , at
#define PG_ONLY_SITE ::pgcpu::site at = ::pgcpu::site::current()
#define PG_ONLY_AT at

#define PG_LAUNCH_BOUNDS(...)
#define PG_GRID_CONSTANT
// No thread_local as for translated sources: a library has room for few of these (static TLS).
#define PG_DYN_SHARED(T, name) T* const name = static_cast<T*>(::pgcpu::detail::dyn_base())

// Feature tests: 0 or 1.
#define PG_HAS_ASYNC_COPY 0
#define PG_HAS_MMA 0
#define PG_HAS_DP4A 0
#define PG_HAS_NATIVE_MATCH 0
#define PG_HAS_NATIVE_WARP_REDUCE 0
#define PG_HAS_NATIVE_BFLOAT16 0
#define PG_HAS_CYCLE_COUNTER 1
#define PG_HAS_WARP_SIZE_CONSTANT 0
#define PG_HAS_GRID_CONSTANT 0
#define PG_HAS_PRINTF 1
#define PG_HAS_GRAPHS 1
#define PG_HAS_POOLS 1
#define PG_HAS_PEER 0
#define PG_HAS_MANAGED 1
#define PG_HAS_COOPERATIVE_LAUNCH 1

namespace pg {
namespace detail {
inline void trap(::pgcpu::site at = ::pgcpu::site::current()) {
  if (::pgcpu::in_kernel()) ::pgcpu::trap(at);
  abort();
}
}  // namespace detail
}  // namespace pg

#endif
