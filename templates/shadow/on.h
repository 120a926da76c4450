// What device code of CUDA tests and reads. HIP's own headers must not see it: see off.h.
#ifndef PORTGPU_SHADOW_ON_H
#define PORTGPU_SHADOW_ON_H

#define __CUDACC__ 1
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define __CUDA_ARCH__ PG_COMPAT_CUDA_ARCH_LEVEL
#endif
#define warpSize pg_warpSize

#endif
