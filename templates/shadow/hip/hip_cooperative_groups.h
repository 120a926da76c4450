// Sources with an AMD branch of their own include HIP's header; groups keep CUDA's meaning there too.
#ifndef PORTGPU_SHADOW_HIP_COOPERATIVE_GROUPS_H
#define PORTGPU_SHADOW_HIP_COOPERATIVE_GROUPS_H

#if defined(__HIP__)
#include <cooperative_groups.h>
#else
#include_next <hip/hip_cooperative_groups.h>
#endif

#endif
