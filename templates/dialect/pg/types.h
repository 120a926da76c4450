// Element types: half and bfloat16 (the vendor's own where there is one), and explicit conversions.
// Operators on 16-bit floats differ between vendors: convert with to_float and from_float.
#ifndef PG_TYPES_H
#define PG_TYPES_H

#include "bits.h"
#include "detail/types.h"

namespace pg {

namespace detail {
template <class T>
struct is_float16 {
  static constexpr bool value = is_same<T, half>::value || is_same<T, bfloat16>::value;
};
template <class T>
struct is_floating {
  static constexpr bool value = is_same<T, float>::value || is_same<T, double>::value || is_float16<T>::value;
};

PG_HDFN float bits_to_float(uint32_t bits) { return bit_cast<float>(bits); }

template <class T>
PG_HDFN bool is_nan_value(T x) {
  if constexpr (is_same<T, half>::value) return (bit_cast<uint16_t>(x) & 0x7fff) > 0x7c00;
  else if constexpr (is_same<T, bfloat16>::value) return (bit_cast<uint16_t>(x) & 0x7fff) > 0x7f80;
  else if constexpr (is_floating<T>::value) return x != x;
  else return false;
}

// Rounds to the nearest integer, ties to even, and saturates; NaN gives 0.
template <class T, class F>
PG_HDFN T saturate_to_integer(F f) {
  constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  constexpr T highest = static_cast<T>(is_signed ? (~uint64_t(0) >> (64 - digits)) : ~uint64_t(0));
  constexpr T lowest = is_signed ? static_cast<T>(-highest - 1) : static_cast<T>(0);
  constexpr F limit = static_cast<F>(uint64_t(1) << (digits - 1)) * static_cast<F>(2);
  const F r = round_even(f);
  if (!(r == r)) return static_cast<T>(0);
  if (r >= limit) return highest;
  if (r < (is_signed ? -limit : static_cast<F>(0))) return lowest;
  return static_cast<T>(r);
}
}  // namespace detail

// Any arithmetic value as float. 64-bit values round to the nearest float.
template <class T>
PG_HDFN float to_float(T x) {
  if constexpr (detail::is_same<T, half>::value) return detail::half_to_float(x);
  else if constexpr (detail::is_same<T, bfloat16>::value) return detail::bfloat16_to_float(x);
  else return static_cast<float>(x);
}

// A float as T: nearest, ties to even. Integers saturate and take NaN as 0; bool is `f != 0`.
template <class T>
PG_HDFN T from_float(float f) {
  if constexpr (detail::is_same<T, half>::value) return detail::float_to_half(f);
  else if constexpr (detail::is_same<T, bfloat16>::value) return detail::float_to_bfloat16(f);
  else if constexpr (detail::is_same<T, float>::value) return f;
  else if constexpr (detail::is_same<T, double>::value) return static_cast<double>(f);
  else if constexpr (detail::is_same<T, bool>::value) return f != 0.0f;
  else return detail::saturate_to_integer<T>(f);
}

// Conversion between any two arithmetic types: through float for 16-bit floats, and with
// from_float's rule for floating point to integer. float and double keep what they can.
template <class To, class From>
PG_HDFN To convert(From x) {
  if constexpr (detail::is_same<To, From>::value) return x;
  else if constexpr (detail::is_same<To, bool>::value) {
    if constexpr (detail::is_float16<From>::value) return to_float(x) != 0.0f;
    else return x != static_cast<From>(0);
  } else if constexpr (detail::is_float16<From>::value) return from_float<To>(to_float(x));
  else if constexpr (detail::is_float16<To>::value && detail::is_same<From, double>::value)
    return from_float<To>(detail::round_to_odd(x));
  else if constexpr (detail::is_float16<To>::value) return from_float<To>(static_cast<float>(x));
  else if constexpr (detail::is_floating<From>::value && !detail::is_floating<To>::value)
    return detail::saturate_to_integer<To>(x);
  else return static_cast<To>(x);
}

// The bits of a 16-bit float, and back.
PG_HDFN uint16_t half_bits(half h) { return bit_cast<uint16_t>(h); }
PG_HDFN half half_from_bits(uint16_t b) { return bit_cast<half>(b); }
PG_HDFN uint16_t bfloat16_bits(bfloat16 b) { return bit_cast<uint16_t>(b); }
PG_HDFN bfloat16 bfloat16_from_bits(uint16_t b) { return bit_cast<bfloat16>(b); }

// Arithmetic type in which values of T should be accumulated: float for 16-bit floats, 32 bits for
// short integers and bool, else T.
template <class T>
struct accumulator { using type = T; };
template <>
struct accumulator<half> { using type = float; };
template <>
struct accumulator<bfloat16> { using type = float; };
template <>
struct accumulator<bool> { using type = int32_t; };
template <>
struct accumulator<int8_t> { using type = int32_t; };
template <>
struct accumulator<int16_t> { using type = int32_t; };
template <>
struct accumulator<uint8_t> { using type = uint32_t; };
template <>
struct accumulator<uint16_t> { using type = uint32_t; };
template <class T>
using accumulator_t = typename accumulator<T>::type;

// Limits that device code can call. lowest() is -infinity's finite neighbour for floating point.
template <class T>
struct numeric_limits {
  static constexpr bool is_integer = true;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr bool has_infinity = false;
  static constexpr int digits =
      detail::is_same<T, bool>::value ? 1 : static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  PG_HDFN static constexpr T max() {
    if constexpr (detail::is_same<T, bool>::value) return true;
    else return static_cast<T>(~uint64_t(0) >> (64 - digits));
  }
  PG_HDFN static constexpr T lowest() { return is_signed ? static_cast<T>(-max() - 1) : static_cast<T>(0); }
  PG_HDFN static constexpr T min() { return lowest(); }
  PG_HDFN static constexpr T epsilon() { return static_cast<T>(0); }
};

template <>
struct numeric_limits<float> {
  static constexpr bool is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = 24;
  PG_HDFN static constexpr float max() { return 3.40282346638528859811704183484516925e+38f; }
  PG_HDFN static constexpr float lowest() { return -max(); }
  PG_HDFN static constexpr float min() { return 1.17549435082228750796873653722224568e-38f; }
  PG_HDFN static constexpr float epsilon() { return 1.1920928955078125e-07f; }
  PG_HDFN static float infinity() { return detail::bits_to_float(0x7f800000u); }
  PG_HDFN static float quiet_NaN() { return detail::bits_to_float(0x7fc00000u); }
};

template <>
struct numeric_limits<double> {
  static constexpr bool is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = 53;
  PG_HDFN static constexpr double max() { return 1.79769313486231570814527423731704357e+308; }
  PG_HDFN static constexpr double lowest() { return -max(); }
  PG_HDFN static constexpr double min() { return 2.22507385850720138309023271733240406e-308; }
  PG_HDFN static constexpr double epsilon() { return 2.220446049250313080847263336181640625e-16; }
  PG_HDFN static double infinity() { return bit_cast<double>(uint64_t(0x7ff0000000000000)); }
  PG_HDFN static double quiet_NaN() { return bit_cast<double>(uint64_t(0x7ff8000000000000)); }
};

namespace detail {
template <class T, int Digits, int Max, int Min, int Epsilon, int Infinity, int NaN>
struct limits16 {
  static constexpr bool is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = Digits;
  PG_HDFN static T max() { return bit_cast<T>(static_cast<uint16_t>(Max)); }
  PG_HDFN static T lowest() { return bit_cast<T>(static_cast<uint16_t>(Max | 0x8000)); }
  PG_HDFN static T min() { return bit_cast<T>(static_cast<uint16_t>(Min)); }
  PG_HDFN static T epsilon() { return bit_cast<T>(static_cast<uint16_t>(Epsilon)); }
  PG_HDFN static T infinity() { return bit_cast<T>(static_cast<uint16_t>(Infinity)); }
  PG_HDFN static T quiet_NaN() { return bit_cast<T>(static_cast<uint16_t>(NaN)); }
};
}  // namespace detail
template <>
struct numeric_limits<half> : detail::limits16<half, 11, 0x7bff, 0x0400, 0x1400, 0x7c00, 0x7e00> {};
template <>
struct numeric_limits<bfloat16> : detail::limits16<bfloat16, 8, 0x7f7f, 0x0080, 0x3c00, 0x7f80, 0x7fc0> {};

}  // namespace pg

#endif
