#pragma once
#include "../cuda_runtime.h"
#define PGCPU_CUB cub
#define PGCPU_CUB_WARP 32
#define PGCPU_CUB_STATUS cudaError_t
#define CUB_RUNTIME_FUNCTION
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (CubDebug(e)) exit(1)
#include "../../pgcpu/cub.h"
