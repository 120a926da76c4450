#pragma once
#include "cuda_runtime.h"
#include "../pgcpu/single.h"

#include <cmath>
#define PGCPU_RNG(name) curand##name
#define PGCPU_RNG_C(name) CURAND_##name
#define PGCPU_RNG_STREAM cudaStream_t
#include "../pgcpu/rand_host.inc"
#undef PGCPU_RNG
#undef PGCPU_RNG_C
#undef PGCPU_RNG_STREAM
