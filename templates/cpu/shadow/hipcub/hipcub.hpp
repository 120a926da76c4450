#pragma once
#include "../hip/hip_runtime.h"
#define PGCPU_CUB hipcub
#define PGCPU_CUB_STATUS hipError_t
#define HIPCUB_RUNTIME_FUNCTION
#define HIPCUB_HOST
#define HIPCUB_DEVICE
#define HIPCUB_HOST_DEVICE
#define HipcubDebug(e) hipcub::Debug((hipError_t)(e), __FILE__, __LINE__)
#define PGCPU_CUB_WARP 0  // the device's
#include "../../pgcpu/cub.h"
