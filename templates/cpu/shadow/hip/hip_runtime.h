// Stands in for HIP's header: HIP sources (with launches rewritten) compile against it.
#pragma once
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#ifndef __HIP__
#define __HIP__ 1
#endif
#if !defined(__HIP_DEVICE_COMPILE__) && !defined(PGCPU_NO_DEVICE_COMPILE)
#define __HIP_DEVICE_COMPILE__ 1
#endif
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H
#include "hip_runtime_api.h"
#include "../../pgcpu/hip_warp.h"
