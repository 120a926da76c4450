// The compat header of translated sources, on the CPU target. Warp functions mean what they mean on
// AMD: the lanes of the physical wave that are active at the call take part, and a CUDA warp is one
// half of a wave of 64. What does not touch the hardware is the real header's own text.
#ifndef PORTGPU_HIP_COMPAT_H
#define PORTGPU_HIP_COMPAT_H

#include <hip/hip_runtime.h>

#ifndef PG_COMPAT_CUDA_ARCH_LEVEL
#define PG_COMPAT_CUDA_ARCH_LEVEL 700
#endif
#define PG_COMPAT_CUDA_ARCH PG_COMPAT_CUDA_ARCH_LEVEL
#ifndef PG_COMPAT_CUDA_VERSION
#define PG_COMPAT_CUDA_VERSION 11070
#endif
#define PG_COMPAT_DEVICE static inline __attribute__((always_inline, unused))
#define PG_COMPAT_HOST static inline __attribute__((unused))
#define PG_COMPAT_BOTH static inline __attribute__((always_inline, unused))

#include "../../pgcpu/compat_warp.h"
#include "../../pgcpu/compat_memory.h"
#include <portgpu/compat/math.h>
#include <portgpu/compat/simd.h>
#include <portgpu/compat/host.h>

#endif
