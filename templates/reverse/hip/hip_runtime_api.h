// HIP's names on CUDA: the host runtime.
#ifndef HIP_ON_CUDA_RUNTIME_API_H
#define HIP_ON_CUDA_RUNTIME_API_H

#if defined(__HIP_PLATFORM_AMD__) && !defined(__CUDACC__)
#error "these headers are for nvcc; for AMD use the headers of ROCm"
#endif

#include <cuda_runtime.h>
#include <cuda_runtime_api.h>

#include "hip_version.h"

// Tells these headers from those of ROCm.
#define HIP_ON_CUDA 1
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#if defined(__CUDACC__) && !defined(__HIPCC__)
#define __HIPCC__ 1
#endif
#if defined(__CUDA_ARCH__)
#define __HIP_DEVICE_COMPILE__ 1
#endif

#include "detail/hip_on_cuda_host.h"
#include "detail/hip_on_cuda_names.h"

#endif
