// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_HIP_VECTOR_TYPES_H
#define HIP_ON_CUDA_HIP_VECTOR_TYPES_H
#include <vector_types.h>
#include "hip_runtime_api.h"
#endif
