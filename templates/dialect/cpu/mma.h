// Target CPU: matrix fragments are loops.
#ifndef PG_DETAIL_MMA_H
#define PG_DETAIL_MMA_H

#include "../mma_loops.h"

namespace pg {
namespace detail {
inline bool mma_supported() { return true; }
}  // namespace detail
}  // namespace pg

#endif
