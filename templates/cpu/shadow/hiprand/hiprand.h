#pragma once
#include "../hip/hip_runtime.h"
#include "../../pgcpu/single.h"

#include <cmath>
#define PGCPU_RNG(name) hiprand##name
#define PGCPU_RNG_C(name) HIPRAND_##name
#define PGCPU_RNG_STREAM hipStream_t
#include "../../pgcpu/rand_host.inc"
#undef PGCPU_RNG
#undef PGCPU_RNG_C
#undef PGCPU_RNG_STREAM
