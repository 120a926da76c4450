// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_LIBRARY_TYPES_H
#define HIP_ON_CUDA_LIBRARY_TYPES_H
#include <library_types.h>
#include "hip_runtime_api.h"
#endif
