// Target CUDA: grid barrier.
#ifndef PG_DETAIL_GRID_H
#define PG_DETAIL_GRID_H

#include <cooperative_groups.h>

namespace pg {
namespace detail {
PG_FN void grid_sync() { cooperative_groups::this_grid().sync(); }
}  // namespace detail
}  // namespace pg

#endif
