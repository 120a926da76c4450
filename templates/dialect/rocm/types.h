// Target ROCm: 16-bit floats. HIP's own types where the installation has them.
#ifndef PG_DETAIL_TYPES_H
#define PG_DETAIL_TYPES_H

#include <cmath>

#include "../float16.h"

#if PG_RTC
#define PG_HIP_FP16 1  // built in; bfloat16's headers do not compile there
#elif defined(__has_include)
#if __has_include(<hip/hip_fp16.h>)
#define PG_HIP_FP16 1
#include <hip/hip_fp16.h>
#endif
#if __has_include(<hip/hip_bf16.h>)
#define PG_HIP_BF16 1
#include <hip/hip_bf16.h>
#elif __has_include(<hip/hip_bfloat16.h>)
#define PG_HIP_BFLOAT16 1
#include <hip/hip_bfloat16.h>
#endif
#endif

namespace pg {
#if defined(PG_HIP_FP16)
using half = __half;
#else
struct half { _Float16 data; };
#endif
#if defined(PG_HIP_BF16)
using bfloat16 = __hip_bfloat16;
#elif defined(PG_HIP_BFLOAT16)
using bfloat16 = ::hip_bfloat16;
#else
struct bfloat16 { uint16_t data; };
#endif

namespace detail {
#if PG_AMD
PG_HDFN float half_to_float(half h) { return static_cast<float>(bit_cast<_Float16>(h)); }
PG_HDFN half float_to_half(float f) { return bit_cast<half>(static_cast<_Float16>(f)); }
#else
PG_HDFN float half_to_float(half h) { return __half2float(h); }
PG_HDFN half float_to_half(float f) { return __float2half_rn(f); }
#endif
PG_HDFN float bfloat16_to_float(bfloat16 b) { return bfloat16_bits_to_float(bit_cast<uint16_t>(b)); }
PG_HDFN bfloat16 float_to_bfloat16(float f) { return bit_cast<bfloat16>(float_to_bfloat16_bits(f)); }
PG_HDFN float round_even(float f) { return rintf(f); }
PG_HDFN double round_even(double f) { return rint(f); }

PG_HDFN half add16(half a, half b) { return float_to_half(half_to_float(a) + half_to_float(b)); }
PG_HDFN bfloat16 add16(bfloat16 a, bfloat16 b) { return float_to_bfloat16(bfloat16_to_float(a) + bfloat16_to_float(b)); }
PG_HDFN half mul16(half a, half b) { return float_to_half(half_to_float(a) * half_to_float(b)); }
PG_HDFN bfloat16 mul16(bfloat16 a, bfloat16 b) { return float_to_bfloat16(bfloat16_to_float(a) * bfloat16_to_float(b)); }
}  // namespace detail
}  // namespace pg

#endif
