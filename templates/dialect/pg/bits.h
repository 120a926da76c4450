// Reading a value as other bits, and as 32-bit words.
#ifndef PG_BITS_H
#define PG_BITS_H

#include <cstring>

#include "base.h"

namespace pg {

// The value whose object representation is that of `from`. Sizes must agree.
template <class To, class From>
PG_HDFN To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "pg::bit_cast: the sizes differ");
  To to;
  PG_COPY_BYTES_(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

// High half of the full product.
PG_HDFN uint32_t mulhi(uint32_t a, uint32_t b) { return static_cast<uint32_t>((uint64_t(a) * b) >> 32); }

// (high:low) shifted left / right by n modulo 32; the high / low word of the result.
PG_HDFN uint32_t funnel_shift_left(uint32_t low, uint32_t high, uint32_t n) {
  return static_cast<uint32_t>(((uint64_t(high) << 32 | low) << (n & 31)) >> 32);
}
PG_HDFN uint32_t funnel_shift_right(uint32_t low, uint32_t high, uint32_t n) {
  return static_cast<uint32_t>((uint64_t(high) << 32 | low) >> (n & 31));
}

namespace detail {
template <int Bytes>
struct uint_of_size;
template <>
struct uint_of_size<1> { using type = uint8_t; };
template <>
struct uint_of_size<2> { using type = uint16_t; };
template <>
struct uint_of_size<4> { using type = uint32_t; };
template <>
struct uint_of_size<8> { using type = uint64_t; };

// Applies `f` (uint32_t -> uint32_t) to every 32-bit word of `value`; a partial last word is padded.
// Not by bit_cast: a result by value promises Clang that it is set.
template <class T, class F>
PG_FN T map_words(const T& value, F f) {
  static_assert(__is_trivially_copyable(T), "warp functions move bits: the type must be trivially copyable");
  if constexpr (sizeof(T) == 4) {
    uint32_t word;
    PG_COPY_BYTES_(&word, &value, 4);
    return bit_cast<T>(f(word));
  } else if constexpr (sizeof(T) < 4 && sizeof(T) != 3) {
    using U = typename uint_of_size<sizeof(T)>::type;
    U word;
    PG_COPY_BYTES_(&word, &value, sizeof(T));
    return bit_cast<T>(static_cast<U>(f(static_cast<uint32_t>(word))));
  } else {
    constexpr int words = (sizeof(T) + 3) / 4;
    uint32_t in[words];
    in[words - 1] = 0;
    PG_COPY_BYTES_(in, &value, sizeof(T));
    PG_UNROLL
    for (int i = 0; i < words; ++i) in[i] = f(in[i]);
    T out;
    PG_COPY_BYTES_(static_cast<void*>(&out), in, sizeof(T));
    return out;
  }
}
}  // namespace detail
}  // namespace pg

#endif
