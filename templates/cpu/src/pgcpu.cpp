// The runtime of the CPU target, one translation unit.
#include "../pgcpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>

// All functions of the .inc files are static: statics of inline functions would be shared between
// libraries that carry a runtime each.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wattributes"
#endif

#include "settings.inc"
#include "report.inc"
#include "switch.inc"
#include "scheduler.inc"
#include "pool.inc"
#include "memory.inc"
#include "graph.inc"
#include "stream.inc"
#include "signals.inc"
#include "bounds.inc"
#if PGCPU_WITH_CHECKER
#include "checker.inc"
#include "block_races.inc"
#endif
