#pragma once
#include "hip_runtime.h"
#define PGCPU_CG_WIDTH 64u
#define PGCPU_CG_MASK unsigned long long
#include "../../pgcpu/coop.h"
