#pragma once
#include "cuda_runtime.h"
#define PGCPU_CG_WIDTH 32u
#define PGCPU_CG_MASK unsigned
#include "../pgcpu/coop.h"
