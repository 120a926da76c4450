// 16-bit floats in plain integer arithmetic: bit-exact, nearest-even, subnormals and NaN kept.
#ifndef PG_FLOAT16_H
#define PG_FLOAT16_H

#include "bits.h"

namespace pg {
namespace detail {

PG_HDFN float half_bits_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u)  // infinity and NaN; a NaN becomes quiet
    return bit_cast<float>(sign | 0x7f800000u | (magnitude > 0x7c00u ? 0x400000u : 0u) | ((magnitude & 0x3ffu) << 13));
  if (magnitude >= 0x0400u) return bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float value = static_cast<float>(magnitude) * 5.9604644775390625e-08f;  // 2^-24
  return bit_cast<float>(sign | bit_cast<uint32_t>(value));
}

PG_HDFN uint16_t float_to_half_bits(float f) {
  const uint32_t bits = bit_cast<uint32_t>(f);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 65536
  if (magnitude >= 0x38800000u) {  // normal in half
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  if (magnitude < 0x33000000u) return sign;  // at most 2^-25: rounds to zero, or ties to it
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  const uint32_t shift = 126u - (magnitude >> 23);
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
  return static_cast<uint16_t>(sign | (kept + (rest > tie || (rest == tie && (kept & 1u)))));
}

PG_HDFN float bfloat16_bits_to_float(uint16_t b) { return bit_cast<float>(static_cast<uint32_t>(b) << 16); }

PG_HDFN uint16_t float_to_bfloat16_bits(float f) {
  const uint32_t bits = bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// double to float, rounding to odd: a second rounding to 16 bits is then exact.
PG_HDFN float round_to_odd(double x) {
  float f = static_cast<float>(x);
  uint32_t bits = bit_cast<uint32_t>(f);
  const bool inexact = static_cast<double>(f) != x && x == x;
  if (!inexact) return f;
  const double magnitude = x < 0 ? -x : x, nearest = f < 0 ? -static_cast<double>(f) : static_cast<double>(f);
  if (nearest > magnitude) bits -= 1;  // truncate toward zero (infinity becomes the largest float)
  return bit_cast<float>(bits | 1u);
}

}  // namespace detail
}  // namespace pg

#endif
