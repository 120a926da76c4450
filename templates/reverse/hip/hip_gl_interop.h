// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_HIP_GL_INTEROP_H
#define HIP_ON_CUDA_HIP_GL_INTEROP_H
#include <cuda_gl_interop.h>
#include "hip_runtime_api.h"
#endif
