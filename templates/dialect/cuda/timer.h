// Target CUDA: clocks.
#ifndef PG_DETAIL_TIMER_H
#define PG_DETAIL_TIMER_H

#include "../base.h"

namespace pg {
namespace detail {
PG_FN unsigned long long clock_cycles() { return static_cast<unsigned long long>(clock64()); }
PG_FN unsigned long long clock_ticks() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
}  // namespace detail
}  // namespace pg

#endif
