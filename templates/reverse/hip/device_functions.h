// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_DEVICE_FUNCTIONS_H
#define HIP_ON_CUDA_DEVICE_FUNCTIONS_H
#include <cuda_runtime.h>
#include "hip_runtime.h"
#endif
