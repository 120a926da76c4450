// HIP's names on CUDA: half precision. The type and its functions have CUDA's names already.
#ifndef HIP_ON_CUDA_FP16_H
#define HIP_ON_CUDA_FP16_H
#include <cuda_fp16.h>
#endif
