// Target CPU: what block functions need.
#ifndef PG_DETAIL_BLOCK_H
#define PG_DETAIL_BLOCK_H

#include "../base.h"

// The width of a warp is known at run time only: both forms are compiled.
#define PG_IF_WARP_64 if (::pg::detail::warp_size() == 64)

// Guarded by the emulator. Raw bytes, so that element types may have constructors.
#define PG_SHARED_ARRAY(T, name, count)                                          \
  struct alignas(alignof(T)) name##_bytes_type { unsigned char bytes[sizeof(T) * (count)]; }; \
  PGCPU_SHARED((name##_bytes_type), name##_bytes);                                \
  T* const name = reinterpret_cast<T*>(name##_bytes.bytes)

namespace pg {
namespace detail {
inline void barrier(::pgcpu::site at) { ::pgcpu::block_barrier(at); }
}  // namespace detail
}  // namespace pg

#endif
