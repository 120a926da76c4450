// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_HIP_MATH_CONSTANTS_H
#define HIP_ON_CUDA_HIP_MATH_CONSTANTS_H
#include <math_constants.h>
#include "hip_runtime_api.h"
#endif
