// Target CPU: 16-bit floats as bits, computed in float.
#ifndef PG_DETAIL_TYPES_H
#define PG_DETAIL_TYPES_H

#include <cmath>

#include "../float16.h"

namespace pg {
using half = ::pgcpu::half;
using bfloat16 = ::pgcpu::bfloat16;

namespace detail {
inline float half_to_float(half h) { return half_bits_to_float(bit_cast<uint16_t>(h)); }
inline half float_to_half(float f) { return bit_cast<half>(float_to_half_bits(f)); }
inline float bfloat16_to_float(bfloat16 b) { return bfloat16_bits_to_float(bit_cast<uint16_t>(b)); }
inline bfloat16 float_to_bfloat16(float f) { return bit_cast<bfloat16>(float_to_bfloat16_bits(f)); }
inline float round_even(float f) { return std::nearbyint(f); }
inline double round_even(double f) { return std::nearbyint(f); }

inline half add16(half a, half b) { return float_to_half(half_to_float(a) + half_to_float(b)); }
inline half mul16(half a, half b) { return float_to_half(half_to_float(a) * half_to_float(b)); }
inline bfloat16 add16(bfloat16 a, bfloat16 b) { return float_to_bfloat16(bfloat16_to_float(a) + bfloat16_to_float(b)); }
inline bfloat16 mul16(bfloat16 a, bfloat16 b) { return float_to_bfloat16(bfloat16_to_float(a) * bfloat16_to_float(b)); }
}  // namespace detail
}  // namespace pg

#endif
