// Target CPU: clocks, in nanoseconds.
#ifndef PG_DETAIL_TIMER_H
#define PG_DETAIL_TIMER_H

#include "../base.h"

namespace pg {
namespace detail {
inline unsigned long long clock_cycles() { return ::pgcpu::clock_ns(); }
inline unsigned long long clock_ticks() { return ::pgcpu::clock_ns(); }
}  // namespace detail
}  // namespace pg

#endif
