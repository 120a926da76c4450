// Target CPU: grid barrier.
#ifndef PG_DETAIL_GRID_H
#define PG_DETAIL_GRID_H

#include "../base.h"

namespace pg {
namespace detail {
inline void grid_sync(::pgcpu::site at) { ::pgcpu::grid_barrier(at); }
}  // namespace detail
}  // namespace pg

#endif
