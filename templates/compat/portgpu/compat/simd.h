// CUDA's SIMD-in-word intrinsics: four bytes or two shorts in 32 bits.
#ifndef PORTGPU_COMPAT_SIMD_H
#define PORTGPU_COMPAT_SIMD_H

namespace pg_compat {
namespace detail {

// Applies `op` to every lane of Bits bits. Lanes arrive sign- or zero-extended, results are cut.
template <int Bits, bool Signed, class Op>
PG_COMPAT_BOTH unsigned lanes(unsigned a, unsigned b, Op op) {
  constexpr unsigned mask = (1u << Bits) - 1u;
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < 32; i += Bits) {
    int x = static_cast<int>((a >> i) & mask), y = static_cast<int>((b >> i) & mask);
    if (Signed) {
      x = static_cast<int>(static_cast<unsigned>(x) << (32 - Bits)) >> (32 - Bits);
      y = static_cast<int>(static_cast<unsigned>(y) << (32 - Bits)) >> (32 - Bits);
    }
    result |= (static_cast<unsigned>(op(x, y)) & mask) << i;
  }
  return result;
}
template <int Bits>
PG_COMPAT_BOTH int saturate_signed(int v) {
  constexpr int top = (1 << (Bits - 1)) - 1;
  return v > top ? top : v < -top - 1 ? -top - 1 : v;
}
template <int Bits>
PG_COMPAT_BOTH int saturate_unsigned(int v) {
  constexpr int top = (1 << Bits) - 1;
  return v > top ? top : v < 0 ? 0 : v;
}
template <int Bits, bool Signed, class Op>
PG_COMPAT_BOTH unsigned sum_lanes(unsigned a, unsigned b, Op op) {
  constexpr unsigned mask = (1u << Bits) - 1u;
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < 32; i += Bits) {
    int x = static_cast<int>((a >> i) & mask), y = static_cast<int>((b >> i) & mask);
    if (Signed) {
      x = static_cast<int>(static_cast<unsigned>(x) << (32 - Bits)) >> (32 - Bits);
      y = static_cast<int>(static_cast<unsigned>(y) << (32 - Bits)) >> (32 - Bits);
    }
    result += static_cast<unsigned>(op(x, y));
  }
  return result;
}

}  // namespace detail

#define PG_COMPAT_SIMD(NAME, BITS, SIGNED, EXPRESSION)                                    \
  PG_COMPAT_BOTH unsigned NAME(unsigned a, unsigned b) {                                  \
    return detail::lanes<BITS, SIGNED>(                                                   \
        a, b, [] PG_COMPAT_LAMBDA_BOTH(int x, int y) { return EXPRESSION; });     \
  }
#define PG_COMPAT_SIMD1(NAME, BITS, SIGNED, EXPRESSION)                                   \
  PG_COMPAT_BOTH unsigned NAME(unsigned a) {                                              \
    return detail::lanes<BITS, SIGNED>(                                                   \
        a, 0u, [] PG_COMPAT_LAMBDA_BOTH(int x, int) { return EXPRESSION; });      \
  }
#define PG_COMPAT_SAD(NAME, BITS, SIGNED)                                                 \
  PG_COMPAT_BOTH unsigned NAME(unsigned a, unsigned b) {                                  \
    return detail::sum_lanes<BITS, SIGNED>(a, b, [] PG_COMPAT_LAMBDA_BOTH(int x, int y) { \
      return x > y ? x - y : y - x;                                                       \
    });                                                                                   \
  }

PG_COMPAT_SIMD(vadd2, 16, false, x + y)
PG_COMPAT_SIMD(vsub2, 16, false, x - y)
PG_COMPAT_SIMD(vaddss2, 16, true, detail::saturate_signed<16>(x + y))
PG_COMPAT_SIMD(vaddus2, 16, false, detail::saturate_unsigned<16>(x + y))
PG_COMPAT_SIMD(vsubss2, 16, true, detail::saturate_signed<16>(x - y))
PG_COMPAT_SIMD(vsubus2, 16, false, detail::saturate_unsigned<16>(x - y))
PG_COMPAT_SIMD(vavgs2, 16, true, (x + y + (x + y >= 0)) >> 1)
PG_COMPAT_SIMD(vavgu2, 16, false, (x + y + 1) >> 1)
PG_COMPAT_SIMD(vhaddu2, 16, false, (x + y) >> 1)
PG_COMPAT_SIMD(vabsdiffs2, 16, true, x > y ? x - y : y - x)
PG_COMPAT_SIMD(vabsdiffu2, 16, false, x > y ? x - y : y - x)
PG_COMPAT_SIMD(vmins2, 16, true, x < y ? x : y)
PG_COMPAT_SIMD(vminu2, 16, false, x < y ? x : y)
PG_COMPAT_SIMD(vmaxs2, 16, true, x > y ? x : y)
PG_COMPAT_SIMD(vmaxu2, 16, false, x > y ? x : y)
PG_COMPAT_SIMD(vcmpeq2, 16, false, x == y ? -1 : 0)
PG_COMPAT_SIMD(vseteq2, 16, false, x == y ? 1 : 0)
PG_COMPAT_SIMD(vcmpne2, 16, false, x != y ? -1 : 0)
PG_COMPAT_SIMD(vsetne2, 16, false, x != y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgts2, 16, true, x > y ? -1 : 0)
PG_COMPAT_SIMD(vsetgts2, 16, true, x > y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgtu2, 16, false, x > y ? -1 : 0)
PG_COMPAT_SIMD(vsetgtu2, 16, false, x > y ? 1 : 0)
PG_COMPAT_SIMD(vcmpges2, 16, true, x >= y ? -1 : 0)
PG_COMPAT_SIMD(vsetges2, 16, true, x >= y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgeu2, 16, false, x >= y ? -1 : 0)
PG_COMPAT_SIMD(vsetgeu2, 16, false, x >= y ? 1 : 0)
PG_COMPAT_SIMD(vcmplts2, 16, true, x < y ? -1 : 0)
PG_COMPAT_SIMD(vsetlts2, 16, true, x < y ? 1 : 0)
PG_COMPAT_SIMD(vcmpltu2, 16, false, x < y ? -1 : 0)
PG_COMPAT_SIMD(vsetltu2, 16, false, x < y ? 1 : 0)
PG_COMPAT_SIMD(vcmples2, 16, true, x <= y ? -1 : 0)
PG_COMPAT_SIMD(vsetles2, 16, true, x <= y ? 1 : 0)
PG_COMPAT_SIMD(vcmpleu2, 16, false, x <= y ? -1 : 0)
PG_COMPAT_SIMD(vsetleu2, 16, false, x <= y ? 1 : 0)
PG_COMPAT_SIMD1(vneg2, 16, false, -x)
PG_COMPAT_SIMD1(vnegss2, 16, true, detail::saturate_signed<16>(-x))
PG_COMPAT_SIMD1(vabs2, 16, true, x < 0 ? -x : x)
PG_COMPAT_SIMD1(vabsss2, 16, true, detail::saturate_signed<16>(x < 0 ? -x : x))
PG_COMPAT_SAD(vsads2, 16, true)
PG_COMPAT_SAD(vsadu2, 16, false)
PG_COMPAT_SIMD(vadd4, 8, false, x + y)
PG_COMPAT_SIMD(vsub4, 8, false, x - y)
PG_COMPAT_SIMD(vaddss4, 8, true, detail::saturate_signed<8>(x + y))
PG_COMPAT_SIMD(vaddus4, 8, false, detail::saturate_unsigned<8>(x + y))
PG_COMPAT_SIMD(vsubss4, 8, true, detail::saturate_signed<8>(x - y))
PG_COMPAT_SIMD(vsubus4, 8, false, detail::saturate_unsigned<8>(x - y))
PG_COMPAT_SIMD(vavgs4, 8, true, (x + y + (x + y >= 0)) >> 1)
PG_COMPAT_SIMD(vavgu4, 8, false, (x + y + 1) >> 1)
PG_COMPAT_SIMD(vhaddu4, 8, false, (x + y) >> 1)
PG_COMPAT_SIMD(vabsdiffs4, 8, true, x > y ? x - y : y - x)
PG_COMPAT_SIMD(vabsdiffu4, 8, false, x > y ? x - y : y - x)
PG_COMPAT_SIMD(vmins4, 8, true, x < y ? x : y)
PG_COMPAT_SIMD(vminu4, 8, false, x < y ? x : y)
PG_COMPAT_SIMD(vmaxs4, 8, true, x > y ? x : y)
PG_COMPAT_SIMD(vmaxu4, 8, false, x > y ? x : y)
PG_COMPAT_SIMD(vcmpeq4, 8, false, x == y ? -1 : 0)
PG_COMPAT_SIMD(vseteq4, 8, false, x == y ? 1 : 0)
PG_COMPAT_SIMD(vcmpne4, 8, false, x != y ? -1 : 0)
PG_COMPAT_SIMD(vsetne4, 8, false, x != y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgts4, 8, true, x > y ? -1 : 0)
PG_COMPAT_SIMD(vsetgts4, 8, true, x > y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgtu4, 8, false, x > y ? -1 : 0)
PG_COMPAT_SIMD(vsetgtu4, 8, false, x > y ? 1 : 0)
PG_COMPAT_SIMD(vcmpges4, 8, true, x >= y ? -1 : 0)
PG_COMPAT_SIMD(vsetges4, 8, true, x >= y ? 1 : 0)
PG_COMPAT_SIMD(vcmpgeu4, 8, false, x >= y ? -1 : 0)
PG_COMPAT_SIMD(vsetgeu4, 8, false, x >= y ? 1 : 0)
PG_COMPAT_SIMD(vcmplts4, 8, true, x < y ? -1 : 0)
PG_COMPAT_SIMD(vsetlts4, 8, true, x < y ? 1 : 0)
PG_COMPAT_SIMD(vcmpltu4, 8, false, x < y ? -1 : 0)
PG_COMPAT_SIMD(vsetltu4, 8, false, x < y ? 1 : 0)
PG_COMPAT_SIMD(vcmples4, 8, true, x <= y ? -1 : 0)
PG_COMPAT_SIMD(vsetles4, 8, true, x <= y ? 1 : 0)
PG_COMPAT_SIMD(vcmpleu4, 8, false, x <= y ? -1 : 0)
PG_COMPAT_SIMD(vsetleu4, 8, false, x <= y ? 1 : 0)
PG_COMPAT_SIMD1(vneg4, 8, false, -x)
PG_COMPAT_SIMD1(vnegss4, 8, true, detail::saturate_signed<8>(-x))
PG_COMPAT_SIMD1(vabs4, 8, true, x < 0 ? -x : x)
PG_COMPAT_SIMD1(vabsss4, 8, true, detail::saturate_signed<8>(x < 0 ? -x : x))
PG_COMPAT_SAD(vsads4, 8, true)
PG_COMPAT_SAD(vsadu4, 8, false)
#undef PG_COMPAT_SIMD
#undef PG_COMPAT_SIMD1
#undef PG_COMPAT_SAD

// DPX: minimum and maximum of sums and of three values.
#define PG_COMPAT_DPX(SUFFIX, T)                                                                  \
  PG_COMPAT_BOTH T vimax##SUFFIX(T a, T b) { return a > b ? a : b; }                               \
  PG_COMPAT_BOTH T vimin##SUFFIX(T a, T b) { return a < b ? a : b; }                               \
  PG_COMPAT_BOTH T vimax3_##SUFFIX(T a, T b, T c) { return vimax##SUFFIX(vimax##SUFFIX(a, b), c); } \
  PG_COMPAT_BOTH T vimin3_##SUFFIX(T a, T b, T c) { return vimin##SUFFIX(vimin##SUFFIX(a, b), c); }
PG_COMPAT_DPX(s32, int)
PG_COMPAT_DPX(u32, unsigned)
#undef PG_COMPAT_DPX
PG_COMPAT_BOTH int viaddmax_s32(int a, int b, int c) { return vimaxs32(a + b, c); }
PG_COMPAT_BOTH int viaddmin_s32(int a, int b, int c) { return vimins32(a + b, c); }
PG_COMPAT_BOTH unsigned viaddmax_u32(unsigned a, unsigned b, unsigned c) { return vimaxu32(a + b, c); }
PG_COMPAT_BOTH unsigned viaddmin_u32(unsigned a, unsigned b, unsigned c) { return viminu32(a + b, c); }

}  // namespace pg_compat
#endif
