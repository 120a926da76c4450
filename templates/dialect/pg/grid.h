// Barrier over a whole grid. Included by files that need it: the vendors' headers behind it are large.
#ifndef PG_GRID_H
#define PG_GRID_H

#include "base.h"
#include "detail/grid.h"

namespace pg {

// All threads of a grid that was launched with PG_LAUNCH_COOPERATIVE meet here.
PG_FN void grid_sync(PG_ONLY_SITE) { detail::grid_sync(PG_ONLY_AT); }

}  // namespace pg

#endif
