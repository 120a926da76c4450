// Target ROCm: clocks.
#ifndef PG_DETAIL_TIMER_H
#define PG_DETAIL_TIMER_H

#include "../base.h"

namespace pg {
namespace detail {
PG_FN unsigned long long clock_cycles() { return static_cast<unsigned long long>(clock64()); }
PG_FN unsigned long long clock_ticks() {
#if defined(__AMDGCN__) && defined(__has_builtin)
#if __has_builtin(__builtin_readsteadycounter)
  return __builtin_readsteadycounter();
#else
  return __builtin_amdgcn_s_memrealtime();
#endif
#else
  return static_cast<unsigned long long>(clock64());
#endif
}
}  // namespace detail
}  // namespace pg

#endif
