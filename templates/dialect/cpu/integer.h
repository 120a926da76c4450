// Target CPU: integer functions.
#ifndef PG_DETAIL_INTEGER_H
#define PG_DETAIL_INTEGER_H

#include "../simd_word.h"

namespace pg {
namespace detail {
inline int popcount32(uint32_t x) { return __builtin_popcount(x); }
inline int popcount64(uint64_t x) { return __builtin_popcountll(x); }
inline int clz32(uint32_t x) { return x ? __builtin_clz(x) : 32; }
inline int clz64(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
inline int ffs32(uint32_t x) { return x ? __builtin_ctz(x) + 1 : 0; }
inline int ffs64(uint64_t x) { return x ? __builtin_ctzll(x) + 1 : 0; }
inline uint32_t brev32(uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
inline uint64_t brev64(uint64_t x) {
  return static_cast<uint64_t>(brev32(static_cast<uint32_t>(x))) << 32 | brev32(static_cast<uint32_t>(x >> 32));
}
inline uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t s) { return byte_perm_generic(a, b, s); }
inline int32_t dp4a(int32_t a, int32_t b, int32_t c) { return dp4a_generic(a, b, c); }
inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) { return dp4a_generic(a, b, c); }
}  // namespace detail
}  // namespace pg

#endif
