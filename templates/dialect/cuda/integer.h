// Target CUDA: integer intrinsics.
#ifndef PG_DETAIL_INTEGER_H
#define PG_DETAIL_INTEGER_H

#define PG_NATIVE_SIMD_WORD 1
#include "../simd_word.h"

namespace pg {
namespace detail {
#if PG_DEVICE_COMPILER
PG_FN uint32_t vadd4(uint32_t a, uint32_t b) { return __vadd4(a, b); }
PG_FN uint32_t vsub4(uint32_t a, uint32_t b) { return __vsub4(a, b); }
PG_FN uint32_t vadd2(uint32_t a, uint32_t b) { return __vadd2(a, b); }
PG_FN uint32_t vsub2(uint32_t a, uint32_t b) { return __vsub2(a, b); }
PG_FN uint32_t vaddss4(uint32_t a, uint32_t b) { return __vaddss4(a, b); }
PG_FN uint32_t vsubss4(uint32_t a, uint32_t b) { return __vsubss4(a, b); }
PG_FN uint32_t vmins4(uint32_t a, uint32_t b) { return __vmins4(a, b); }
PG_FN uint32_t vmaxs4(uint32_t a, uint32_t b) { return __vmaxs4(a, b); }
PG_FN uint32_t vminu4(uint32_t a, uint32_t b) { return __vminu4(a, b); }
PG_FN uint32_t vmaxu4(uint32_t a, uint32_t b) { return __vmaxu4(a, b); }
PG_FN uint32_t vabsdiffu4(uint32_t a, uint32_t b) { return __vabsdiffu4(a, b); }
PG_FN uint32_t vcmpeq4(uint32_t a, uint32_t b) { return __vcmpeq4(a, b); }
PG_FN uint32_t vcmpgts4(uint32_t a, uint32_t b) { return __vcmpgts4(a, b); }
PG_FN uint32_t vcmpgtu4(uint32_t a, uint32_t b) { return __vcmpgtu4(a, b); }
PG_FN uint32_t vcmpeq2(uint32_t a, uint32_t b) { return __vcmpeq2(a, b); }
PG_FN int popcount32(uint32_t x) { return __popc(x); }
PG_FN int popcount64(uint64_t x) { return __popcll(x); }
PG_FN int clz32(uint32_t x) { return __clz(static_cast<int>(x)); }
PG_FN int clz64(uint64_t x) { return __clzll(static_cast<long long>(x)); }
PG_FN int ffs32(uint32_t x) { return __ffs(static_cast<int>(x)); }
PG_FN int ffs64(uint64_t x) { return __ffsll(static_cast<long long>(x)); }
PG_FN uint32_t brev32(uint32_t x) { return __brev(x); }
PG_FN uint64_t brev64(uint64_t x) { return __brevll(x); }
PG_FN uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t s) {
  // prmt's own mode: the sign bit of a selector nibble works there, __byte_perm masks it out.
  uint32_t r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
  return r;
}
#if PG_HAS_DP4A
PG_FN int32_t dp4a(int32_t a, int32_t b, int32_t c) { return __dp4a(a, b, c); }
PG_FN uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) { return __dp4a(a, b, c); }
#else
PG_FN int32_t dp4a(int32_t a, int32_t b, int32_t c) { return dp4a_generic(a, b, c); }
PG_FN uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) { return dp4a_generic(a, b, c); }
#endif
#endif
}  // namespace detail
}  // namespace pg

#endif
