// HIP's names on CUDA: the older bfloat16 type.
#ifndef HIP_ON_CUDA_BFLOAT16_H
#define HIP_ON_CUDA_BFLOAT16_H
#include "hip_bf16.h"
#define hip_bfloat16 __nv_bfloat16
#endif
