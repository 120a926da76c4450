// Target ROCm: integer intrinsics.
#ifndef PG_DETAIL_INTEGER_H
#define PG_DETAIL_INTEGER_H

#include "../simd_word.h"

namespace pg {
namespace detail {
#if PG_DEVICE_COMPILER
#if PG_AMD
PG_FN int popcount32(uint32_t x) { return __builtin_popcount(x); }
PG_FN int popcount64(uint64_t x) { return __builtin_popcountll(x); }
PG_FN int clz32(uint32_t x) { return x ? __builtin_clz(x) : 32; }
PG_FN int clz64(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
PG_FN int ffs32(uint32_t x) { return x ? __builtin_ctz(x) + 1 : 0; }
PG_FN int ffs64(uint64_t x) { return x ? __builtin_ctzll(x) + 1 : 0; }
PG_FN uint32_t brev32(uint32_t x) { return __builtin_bitreverse32(x); }
PG_FN uint64_t brev64(uint64_t x) { return __builtin_bitreverse64(x); }
#else
PG_FN int popcount32(uint32_t x) { return __popc(x); }
PG_FN int popcount64(uint64_t x) { return __popcll(x); }
PG_FN int clz32(uint32_t x) { return __clz(static_cast<int>(x)); }
PG_FN int clz64(uint64_t x) { return __clzll(static_cast<long long>(x)); }
PG_FN int ffs32(uint32_t x) { return __ffs(static_cast<int>(x)); }
PG_FN int ffs64(uint64_t x) { return __ffsll(static_cast<long long>(x)); }
PG_FN uint32_t brev32(uint32_t x) { return __brev(x); }
PG_FN uint64_t brev64(uint64_t x) { return __brevll(x); }
#endif
// v_perm_b32 numbers its bytes the other way and needs another selector: constants fold either way.
PG_FN uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t s) { return byte_perm_generic(a, b, s); }

PG_FN int32_t dp4a(int32_t a, int32_t b, int32_t c) {
#if PG_AMD_SDOT4
  return __builtin_amdgcn_sdot4(a, b, c, false);
#elif PG_AMD_SUDOT4
  return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#else
  return dp4a_generic(a, b, c);
#endif
}
PG_FN uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
#if PG_HAS_DP4A
  return __builtin_amdgcn_udot4(a, b, c, false);
#else
  return dp4a_generic(a, b, c);
#endif
}
#endif
}  // namespace detail
}  // namespace pg

#endif
