// HIP's names on CUDA: compiles HIP sources with nvcc for NVIDIA GPUs. What runs so has run on
// NVIDIA, not on AMD. Rendered by portgpu.
#ifndef HIP_ON_CUDA_RUNTIME_H
#define HIP_ON_CUDA_RUNTIME_H

#include "hip_runtime_api.h"
#include "detail/hip_on_cuda_device.h"

#endif
