// Integer intrinsics: bit counts, byte permutation, dot products, SIMD within a 32-bit word.
#ifndef PG_INTEGER_H
#define PG_INTEGER_H

#include "bits.h"
#include "detail/integer.h"

namespace pg {

// Set bits; leading zeros (all bits for 0); 1-based index of the lowest set bit (0 for 0); reversal.
PG_FN int popc(uint32_t x) { return detail::popcount32(x); }
PG_FN int popc(int32_t x) { return detail::popcount32(static_cast<uint32_t>(x)); }
PG_FN int popc(uint64_t x) { return detail::popcount64(x); }
PG_FN int popc(int64_t x) { return detail::popcount64(static_cast<uint64_t>(x)); }
PG_FN int clz(uint32_t x) { return detail::clz32(x); }
PG_FN int clz(int32_t x) { return detail::clz32(static_cast<uint32_t>(x)); }
PG_FN int clz(uint64_t x) { return detail::clz64(x); }
PG_FN int clz(int64_t x) { return detail::clz64(static_cast<uint64_t>(x)); }
PG_FN int ffs(uint32_t x) { return detail::ffs32(x); }
PG_FN int ffs(int32_t x) { return detail::ffs32(static_cast<uint32_t>(x)); }
PG_FN int ffs(uint64_t x) { return detail::ffs64(x); }
PG_FN int ffs(int64_t x) { return detail::ffs64(static_cast<uint64_t>(x)); }
PG_FN uint32_t brev(uint32_t x) { return detail::brev32(x); }
PG_FN uint64_t brev(uint64_t x) { return detail::brev64(x); }

// Byte i of the result is byte (selector >> 4i) & 7 of the eight bytes b:a (a is bytes 0 to 3); bit 3
// of a selector nibble replicates that byte's sign.
PG_FN uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t selector) { return detail::byte_perm(a, b, selector); }

// c plus the dot product of four bytes of a and b, wrapping at 32 bits.
PG_FN int32_t dp4a(int32_t a, int32_t b, int32_t c) { return detail::dp4a(a, b, c); }
PG_FN uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) { return detail::dp4a(a, b, c); }

// Lanes of 8 (…4) or 16 (…2) bits in a word. Add and subtract wrap; s saturates; compares give all
// ones for true; u is unsigned, s signed.
PG_FN uint32_t vadd4(uint32_t a, uint32_t b) { return detail::vadd4(a, b); }
PG_FN uint32_t vsub4(uint32_t a, uint32_t b) { return detail::vsub4(a, b); }
PG_FN uint32_t vadd2(uint32_t a, uint32_t b) { return detail::vadd2(a, b); }
PG_FN uint32_t vsub2(uint32_t a, uint32_t b) { return detail::vsub2(a, b); }
PG_FN uint32_t vaddss4(uint32_t a, uint32_t b) { return detail::vaddss4(a, b); }
PG_FN uint32_t vsubss4(uint32_t a, uint32_t b) { return detail::vsubss4(a, b); }
PG_FN uint32_t vmins4(uint32_t a, uint32_t b) { return detail::vmins4(a, b); }
PG_FN uint32_t vmaxs4(uint32_t a, uint32_t b) { return detail::vmaxs4(a, b); }
PG_FN uint32_t vminu4(uint32_t a, uint32_t b) { return detail::vminu4(a, b); }
PG_FN uint32_t vmaxu4(uint32_t a, uint32_t b) { return detail::vmaxu4(a, b); }
PG_FN uint32_t vabsdiffu4(uint32_t a, uint32_t b) { return detail::vabsdiffu4(a, b); }
PG_FN uint32_t vcmpeq4(uint32_t a, uint32_t b) { return detail::vcmpeq4(a, b); }
PG_FN uint32_t vcmpne4(uint32_t a, uint32_t b) { return ~detail::vcmpeq4(a, b); }
PG_FN uint32_t vcmpgts4(uint32_t a, uint32_t b) { return detail::vcmpgts4(a, b); }
PG_FN uint32_t vcmpgtu4(uint32_t a, uint32_t b) { return detail::vcmpgtu4(a, b); }
PG_FN uint32_t vcmpeq2(uint32_t a, uint32_t b) { return detail::vcmpeq2(a, b); }

}  // namespace pg

#endif
