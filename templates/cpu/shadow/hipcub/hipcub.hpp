#pragma once
#include "../hip/hip_runtime.h"
#define PGCPU_CUB hipcub
#define PGCPU_CUB_WARP 0  // the device's
#include "../../pgcpu/cub.h"
