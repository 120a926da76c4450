// Clocks of the device. Time kernels with events; these compare stretches within one kernel.
#ifndef PG_TIMER_H
#define PG_TIMER_H

#include "detail/timer.h"

namespace pg {

// Counter of the multiprocessor's cycles; not dependable where PG_HAS_CYCLE_COUNTER is 0.
PG_FN unsigned long long clock_cycles() { return detail::clock_cycles(); }
// Counter at a fixed rate, the same for the whole device; its rate is the device's own
// (nanoseconds on CUDA and the CPU target, ticks of the reference clock on AMD).
PG_FN unsigned long long clock_ticks() { return detail::clock_ticks(); }

}  // namespace pg

#endif
