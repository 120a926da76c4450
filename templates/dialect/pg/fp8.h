// 8-bit floats as storage, converted in software: the same bits on all targets. The format is in the
// type's name, since AMD's FNUZ formats read the same bits as other numbers than the OCP formats.
#ifndef PG_FP8_H
#define PG_FP8_H

#include "types.h"

namespace pg {

struct fp8_e4m3 { uint8_t bits; };       // OCP: no infinity, NaN is s.1111.111, largest 448
struct fp8_e5m2 { uint8_t bits; };       // OCP: infinity and NaN as in IEEE, largest 57344
struct fp8_e4m3_fnuz { uint8_t bits; };  // bias 8, one NaN (0x80), largest 240
struct fp8_e5m2_fnuz { uint8_t bits; };  // bias 16, one NaN (0x80), largest 57344

namespace detail {
template <class T>
struct fp8_format;
template <>
struct fp8_format<fp8_e4m3> {
  static constexpr int mantissa = 3, bias = 7;
  static constexpr uint8_t largest = 0x7e, overflow = 0x7e, nan = 0x7f;
  static constexpr bool fnuz = false, ieee = false;
};
template <>
struct fp8_format<fp8_e5m2> {
  static constexpr int mantissa = 2, bias = 15;
  static constexpr uint8_t largest = 0x7b, overflow = 0x7c, nan = 0x7e;
  static constexpr bool fnuz = false, ieee = true;
};
template <>
struct fp8_format<fp8_e4m3_fnuz> {
  static constexpr int mantissa = 3, bias = 8;
  static constexpr uint8_t largest = 0x7f, overflow = 0x7f, nan = 0x80;
  static constexpr bool fnuz = true, ieee = false;
};
template <>
struct fp8_format<fp8_e5m2_fnuz> {
  static constexpr int mantissa = 2, bias = 16;
  static constexpr uint8_t largest = 0x7f, overflow = 0x7f, nan = 0x80;
  static constexpr bool fnuz = true, ieee = false;
};
}  // namespace detail

// The exact value as float.
template <class T>
PG_HDFN float fp8_to_float(T x) {
  using F = detail::fp8_format<T>;
  const uint32_t magnitude = x.bits & 0x7fu, sign = static_cast<uint32_t>(x.bits & 0x80u) << 24;
  if (F::fnuz ? x.bits == 0x80u : magnitude > static_cast<uint32_t>(F::ieee ? 0x7c : F::largest))
    return bit_cast<float>(sign | 0x7fc00000u);
  if (F::ieee && magnitude == 0x7cu) return bit_cast<float>(sign | 0x7f800000u);
  const uint32_t exponent = magnitude >> F::mantissa;
  if (exponent != 0)
    return bit_cast<float>(sign | ((magnitude << (23 - F::mantissa)) + (static_cast<uint32_t>(127 - F::bias) << 23)));
  // Subnormal: mantissa * 2^(1 - bias - mantissa bits); the factor is a power of two, so it is exact.
  const float unit = bit_cast<float>(static_cast<uint32_t>(127 + 1 - F::bias - F::mantissa) << 23);
  return bit_cast<float>(sign | bit_cast<uint32_t>(static_cast<float>(magnitude) * unit));
}

// The nearest value, ties to even. Beyond the largest: e5m2 gives infinity, the others (which have
// none) the largest; an infinite argument too. NaN stays NaN; FNUZ has no negative zero.
template <class T>
PG_HDFN T fp8_from_float(float f) {
  using F = detail::fp8_format<T>;
  const uint32_t bits = bit_cast<uint32_t>(f), magnitude = bits & 0x7fffffffu;
  const uint32_t sign = (bits >> 24) & 0x80u;
  if (magnitude > 0x7f800000u) return T{static_cast<uint8_t>(F::fnuz ? F::nan : (sign | F::nan))};
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + F::bias;
  uint32_t result;
  if (exponent >= 1) {
    const uint32_t cut = 23 - F::mantissa;
    const uint32_t rounded = magnitude + ((1u << (cut - 1)) - 1u) + ((magnitude >> cut) & 1u);
    const uint32_t shifted = (rounded >> cut) - (static_cast<uint32_t>(127 - F::bias) << F::mantissa);
    result = shifted > F::largest ? F::overflow : shifted;
  } else {
    const int shift = 23 - F::mantissa + 1 - exponent;
    const uint32_t m = (magnitude & 0x7fffffu) | 0x800000u;
    if (shift > 24) {
      result = 0;
    } else {
      const uint32_t kept = m >> shift, rest = m & ((1u << shift) - 1u), tie = 1u << (shift - 1);
      result = kept + ((rest > tie || (rest == tie && (kept & 1u))) ? 1u : 0u);
    }
  }
  if (F::fnuz && result == 0) return T{0};
  return T{static_cast<uint8_t>(sign | result)};
}

}  // namespace pg

#endif
