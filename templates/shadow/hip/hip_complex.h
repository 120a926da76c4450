// HIP's complex numbers without operators: CUDA's have none, and sources bring their own for float2.
// HIP dropped them in version 6; before, they stand within `#if __cplusplus`.
#ifndef PORTGPU_SHADOW_HIP_COMPLEX_H
#define PORTGPU_SHADOW_HIP_COMPLEX_H

#include <hip/hip_version.h>
#if defined(__cplusplus) && defined(__clang__) && HIP_VERSION < 60000000
#include <cmath>
#include <hip/hip_vector_types.h>
#include <math.h>
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"
#pragma push_macro("__cplusplus")
#undef __cplusplus
#include_next <hip/hip_complex.h>
#pragma pop_macro("__cplusplus")
#pragma clang diagnostic pop
#else
#include_next <hip/hip_complex.h>
#endif

#endif
