// portgpu.h - the portgpu dialect: one include for kernels and their host code.
// Rendered by portgpu; the target is fixed by the files beside this one (pg/detail/).
#ifndef PORTGPU_H
#define PORTGPU_H

#include "pg/base.h"
#include "pg/bits.h"
#include "pg/types.h"
#include "pg/ops.h"
#include "pg/vec.h"
#include "pg/random.h"
#include "pg/fp8.h"
#if !PG_RTC
#include "pg/host.h"
#include "pg/launch.h"
#endif
#if PG_DEVICE_COMPILER
#include "pg/integer.h"
#include "pg/math.h"
#include "pg/warp.h"
#include "pg/block.h"
#include "pg/memory.h"
#include "pg/atomic.h"
#include "pg/timer.h"
#endif

#endif
