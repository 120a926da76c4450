// The runtime of the CPU target, one translation unit.
#include "../pgcpu.h"

#include <dlfcn.h>

#include <functional>

#include "settings.inc"
#include "report.inc"
#include "switch.inc"
#include "scheduler.inc"
#include "pool.inc"
#include "memory.inc"
#include "stream.inc"
#include "signals.inc"
#include "bounds.inc"
#if PGCPU_WITH_CHECKER
#include "checker.inc"
#endif
