// Target CUDA: what block functions need.
#ifndef PG_DETAIL_BLOCK_H
#define PG_DETAIL_BLOCK_H

#include "../base.h"

// The width of a warp is a constant here, so the choice is made at compile time.
#define PG_IF_WARP_64 if constexpr (::pg::detail::warp_size() == 64)

// Raw bytes, so that element types may have constructors.
#define PG_SHARED_ARRAY(T, name, count)                             \
  __shared__ __attribute__((aligned(16))) unsigned char name##_bytes[sizeof(T) * (count)]; \
  T* const name = reinterpret_cast<T*>(name##_bytes)

namespace pg {
namespace detail {
PG_FN void barrier() { __syncthreads(); }
}  // namespace detail
}  // namespace pg

#endif
