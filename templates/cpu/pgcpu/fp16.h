// __half, for both vendors.
#pragma once
#include "atomic.h"
#include "float16_api.h"

using __half = ::pgcpu::number16<::pgcpu::half_format>;
using __half2 = ::pgcpu::pair16<::pgcpu::half_format>;
using __half_raw = ::pgcpu::raw16<::pgcpu::half_format>;
#ifndef CUDA_NO_HALF
using half = __half;
using half2 = __half2;
#endif

PGCPU_F16_COMMON(__half, __half2)
PGCPU_F16_CONVERT(__half, __half2, half, half2, ::pgcpu::half_format)
PGCPU_FN __half2 make_half2(__half a, __half b) { return {a, b}; }
PGCPU_FN float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0)
