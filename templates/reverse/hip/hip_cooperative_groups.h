// HIP's names on CUDA: cooperative groups have the same names.
#ifndef HIP_ON_CUDA_COOPERATIVE_GROUPS_H
#define HIP_ON_CUDA_COOPERATIVE_GROUPS_H
#include <cooperative_groups.h>
#endif
