// HIP's names on CUDA: hipCUB is CUB in another namespace.
#ifndef HIP_ON_CUDA_HIPCUB_HPP
#define HIP_ON_CUDA_HIPCUB_HPP
#include <cub/cub.cuh>
#include "../hip/hip_runtime.h"
namespace hipcub = cub;
#endif
