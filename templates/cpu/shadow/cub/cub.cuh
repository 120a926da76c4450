#pragma once
#include "../cuda_runtime.h"
#define PGCPU_CUB cub
#define PGCPU_CUB_WARP 32
#include "../../pgcpu/cub.h"
