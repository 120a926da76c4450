// PG_LAUNCH: a kernel launch without vendor syntax.
#ifndef PG_LAUNCH_H
#define PG_LAUNCH_H

#include "host.h"
#include "detail/launch.h"

// PG_LAUNCH((kernel<T, 4>), grid, block, shared_bytes, stream, args...) -> status, 0 is success.
// The kernel's name goes in parentheses when it contains a comma. grid and block are an integer or a
// dim3. The launch's limits are checked first; an empty grid launches nothing and is success.
#define PG_LAUNCH(kernel, grid, block, shared_bytes, ...) \
  PG_LAUNCH_ON_(kernel, grid, block, shared_bytes, __VA_ARGS__)

// As PG_LAUNCH, with all blocks running at once, so that pg::grid_sync() (pg/grid.h) may be called.
#define PG_LAUNCH_COOPERATIVE(kernel, grid, block, shared_bytes, ...) \
  PG_LAUNCH_COOPERATIVE_ON_(kernel, grid, block, shared_bytes, __VA_ARGS__)

#endif
