// SIMD within a 32-bit word, in plain C++: for targets without such instructions.
#ifndef PG_SIMD_WORD_H
#define PG_SIMD_WORD_H

#include "bits.h"

namespace pg {
namespace detail {

#if !defined(PG_NATIVE_SIMD_WORD)
PG_FN uint32_t vadd4(uint32_t a, uint32_t b) {
  return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}
PG_FN uint32_t vsub4(uint32_t a, uint32_t b) {
  return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
}
PG_FN uint32_t vadd2(uint32_t a, uint32_t b) {
  return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
}
PG_FN uint32_t vsub2(uint32_t a, uint32_t b) {
  return ((a | 0x80008000u) - (b & 0x7fff7fffu)) ^ ((a ^ ~b) & 0x80008000u);
}

// Applies f to each pair of bytes, taken as B.
template <class B, class F>
PG_FN uint32_t each_byte(uint32_t a, uint32_t b, F f) {
  uint32_t r = 0;
  PG_UNROLL_N(4)
  for (int i = 0; i < 32; i += 8) {
    const int v = f(static_cast<int>(static_cast<B>(a >> i)), static_cast<int>(static_cast<B>(b >> i)));
    r |= (static_cast<uint32_t>(v) & 0xffu) << i;
  }
  return r;
}
struct byte_saturate {
  PG_FN static int clamp(int v) { return v < -128 ? -128 : v > 127 ? 127 : v; }
};
struct byte_addss { PG_FN int operator()(int a, int b) const { return byte_saturate::clamp(a + b); } };
struct byte_subss { PG_FN int operator()(int a, int b) const { return byte_saturate::clamp(a - b); } };
struct byte_min { PG_FN int operator()(int a, int b) const { return a < b ? a : b; } };
struct byte_max { PG_FN int operator()(int a, int b) const { return a < b ? b : a; } };
struct byte_absdiff { PG_FN int operator()(int a, int b) const { return a < b ? b - a : a - b; } };
struct byte_equal { PG_FN int operator()(int a, int b) const { return a == b ? 0xff : 0; } };
struct byte_greater { PG_FN int operator()(int a, int b) const { return a > b ? 0xff : 0; } };

PG_FN uint32_t vaddss4(uint32_t a, uint32_t b) { return each_byte<int8_t>(a, b, byte_addss()); }
PG_FN uint32_t vsubss4(uint32_t a, uint32_t b) { return each_byte<int8_t>(a, b, byte_subss()); }
PG_FN uint32_t vmins4(uint32_t a, uint32_t b) { return each_byte<int8_t>(a, b, byte_min()); }
PG_FN uint32_t vmaxs4(uint32_t a, uint32_t b) { return each_byte<int8_t>(a, b, byte_max()); }
PG_FN uint32_t vminu4(uint32_t a, uint32_t b) { return each_byte<uint8_t>(a, b, byte_min()); }
PG_FN uint32_t vmaxu4(uint32_t a, uint32_t b) { return each_byte<uint8_t>(a, b, byte_max()); }
PG_FN uint32_t vabsdiffu4(uint32_t a, uint32_t b) { return each_byte<uint8_t>(a, b, byte_absdiff()); }
PG_FN uint32_t vcmpeq4(uint32_t a, uint32_t b) { return each_byte<uint8_t>(a, b, byte_equal()); }
PG_FN uint32_t vcmpgts4(uint32_t a, uint32_t b) { return each_byte<int8_t>(a, b, byte_greater()); }
PG_FN uint32_t vcmpgtu4(uint32_t a, uint32_t b) { return each_byte<uint8_t>(a, b, byte_greater()); }
PG_FN uint32_t vcmpeq2(uint32_t a, uint32_t b) {
  const uint32_t d = a ^ b;
  return ((d & 0xffffu) ? 0u : 0xffffu) | ((d & 0xffff0000u) ? 0u : 0xffff0000u);
}

#endif  // PG_NATIVE_SIMD_WORD

// Byte permutation and dot products, likewise.
PG_FN uint32_t byte_perm_generic(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  PG_UNROLL_N(4)
  for (int i = 0; i < 4; ++i) {
    const uint32_t s = selector >> (4 * i);
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (s & 7))) & 0xffu;
    if (s & 8) byte = (byte & 0x80u) ? 0xffu : 0u;
    r |= byte << (8 * i);
  }
  return r;
}
PG_FN int32_t dp4a_generic(int32_t a, int32_t b, int32_t c) {
  uint32_t sum = static_cast<uint32_t>(c);
  PG_UNROLL_N(4)
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<uint32_t>(static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i));
  return static_cast<int32_t>(sum);
}
PG_FN uint32_t dp4a_generic(uint32_t a, uint32_t b, uint32_t c) {
  PG_UNROLL_N(4)
  for (int i = 0; i < 32; i += 8) c += ((a >> i) & 0xffu) * ((b >> i) & 0xffu);
  return c;
}

}  // namespace detail
}  // namespace pg

#endif
