// Stands in for CUDA's header: unmodified CUDA sources (with launches rewritten) compile against it.
#pragma once
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
// Kernels see an architecture that has everything; -DPGCPU_NO_CUDA_ARCH takes it away.
#if !defined(__CUDA_ARCH__) && !defined(PGCPU_NO_CUDA_ARCH)
#define __CUDA_ARCH__ 900
#endif
#define __CUDA_RUNTIME_H__
#include "cuda_runtime_api.h"
#include "../pgcpu/cuda_warp.h"
#include "../pgcpu/ptx.h"
#include "../pgcpu/simd.h"
