// bfloat16; the including header has said what the vendor calls it.
#pragma once
#include "atomic.h"
#include "float16_api.h"

using __nv_bfloat16 = ::pgcpu::number16<::pgcpu::bfloat16_format>;
using __nv_bfloat162 = ::pgcpu::pair16<::pgcpu::bfloat16_format>;
using __nv_bfloat16_raw = ::pgcpu::raw16<::pgcpu::bfloat16_format>;
using __nv_bfloat162_raw = ::pgcpu::raw_pair16<::pgcpu::bfloat16_format>;

PGCPU_F16_COMMON(__nv_bfloat16, __nv_bfloat162)
PGCPU_F16_CONVERT(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, ::pgcpu::bfloat16_format)
PGCPU_FN float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
PGCPU_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
