// HIP's names on CUDA.
#ifndef HIP_ON_CUDA_CHANNEL_DESCRIPTOR_H
#define HIP_ON_CUDA_CHANNEL_DESCRIPTOR_H
#include <channel_descriptor.h>
#include "hip_runtime_api.h"
#endif
