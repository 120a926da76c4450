// The compat header of translated sources, on the CPU target: its own text, but for the warp functions,
// which hand the caller's line to the runtime. They mean what they mean on AMD: the lanes of the
// physical wave that are active at the call take part, and a CUDA warp is one half of a wave of 64.
#pragma once
#include <hip/hip_runtime.h>

#include "../../pgcpu/compat_warp.h"
#define PORTGPU_COMPAT_WARP_H
#if defined(PGCPU_COMPAT_HEADER)
#include PGCPU_COMPAT_HEADER
#else
#include_next <portgpu/hip_compat.h>
#endif
