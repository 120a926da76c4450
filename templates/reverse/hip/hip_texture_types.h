// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_HIP_TEXTURE_TYPES_H
#define HIP_ON_CUDA_HIP_TEXTURE_TYPES_H
#include <texture_types.h>
#include "hip_runtime_api.h"
#endif
