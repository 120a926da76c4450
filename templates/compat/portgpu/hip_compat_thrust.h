// Names of Thrust that older rocThrust lacks.
#ifndef PORTGPU_HIP_COMPAT_THRUST_H
#define PORTGPU_HIP_COMPAT_THRUST_H

#include "hip_compat.h"
#include <thrust/execution_policy.h>
#include <thrust/system/hip/execution_policy.h>
#include <thrust/version.h>

namespace pg_compat {

#if THRUST_VERSION >= 101600
using thrust::hip::par_nosync;
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
// The policy that waits for the work to end.
static const __device__ thrust::hip_rocprim::par_t par_nosync;
#else
static const thrust::hip_rocprim::par_t par_nosync;
#endif

}  // namespace pg_compat
#endif
