// Integer helpers in plain C++, for every compiler.
#ifndef PORTGPU_COMPAT_BITS_H
#define PORTGPU_COMPAT_BITS_H

namespace pg_compat {

// Dot products of bytes and shorts.
PG_COMPAT_BOTH int dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<int>(static_cast<signed char>(a >> i)) * static_cast<signed char>(b >> i);
  return c;
}
PG_COMPAT_BOTH unsigned dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += ((a >> i) & 255u) * ((b >> i) & 255u);
  return c;
}
PG_COMPAT_BOTH int dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
PG_COMPAT_BOTH int dp2a_hi(int a, int b, int c) { return dp2a_lo(a, b >> 16, c); }
PG_COMPAT_BOTH unsigned dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffffu) * (b & 255u) + (a >> 16) * ((b >> 8) & 255u);
}
PG_COMPAT_BOTH unsigned dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return dp2a_lo(a, b >> 16, c);
}

// Averages: in HIP before 6 these are 0 or 1, and drop the carry. __hadd adds halves too.
PG_COMPAT_BOTH unsigned uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
PG_COMPAT_BOTH unsigned urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
PG_COMPAT_BOTH int rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
// HIP's is signed.
PG_COMPAT_BOTH unsigned umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
// HIP's subtracts signed numbers, which may not overflow.
PG_COMPAT_BOTH unsigned sad(int a, int b, unsigned c) {
  const unsigned x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);
  return c + (a > b ? x - y : y - x);
}
namespace detail {
template <class A, class B>
struct are_numbers {
  static constexpr bool both = !__is_class(A) && !__is_class(B);
};
template <class A, class B, bool = are_numbers<A, B>::both>
struct average {};
template <class A, class B>
struct average<A, B, true> {
  using type = int;
};
}  // namespace detail
template <class A, class B>
PG_COMPAT_BOTH typename detail::average<A, B>::type hadd(A a, B b) {
  const int x = static_cast<int>(a), y = static_cast<int>(b);
  return (x & y) + ((x ^ y) >> 1);
}

// What PTX says in one instruction.
PG_COMPAT_BOTH unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 32; i += 8, selector >>= 4) {
    const unsigned byte = static_cast<unsigned>(bytes >> ((selector & 7u) * 8)) & 255u;
    r |= ((selector & 8u) ? (byte & 128u ? 255u : 0u) : byte) << i;  // bit 3: its sign, repeated
  }
  return r;
}
PG_COMPAT_BOTH unsigned bfe(unsigned v, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return 0u;
  v >>= position;
  return length >= 32u ? v : v & ((1u << length) - 1u);
}
PG_COMPAT_BOTH int bfe_signed(int v, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (length == 0u) return 0;
  const unsigned last = position + length - 1u < 31u ? position + length - 1u : 31u;
  const unsigned sign = (static_cast<unsigned>(v) >> last) & 1u;
  unsigned bits = position < 32u ? static_cast<unsigned>(v) >> position : 0u;
  const unsigned got = position < 32u ? 32u - position : 0u;
  const unsigned keep = length < got ? length : got;
  if (keep < 32u) {
    bits &= (1u << keep) - 1u;
    if (sign) bits |= ~((1u << keep) - 1u);
  }
  return static_cast<int>(bits);
}
PG_COMPAT_BOTH unsigned bfi(unsigned insert, unsigned base, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return base;
  const unsigned ones = length >= 32u ? ~0u : (1u << length) - 1u;
  const unsigned mask = ones << position;
  return (base & ~mask) | ((insert << position) & mask);
}
PG_COMPAT_BOTH int bfind(unsigned v) { return v ? 31 - __builtin_clz(v) : -1; }
PG_COMPAT_BOTH int bfind_shift(unsigned v) { return v ? __builtin_clz(v) : -1; }
PG_COMPAT_BOTH unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned r = 0;
  if (table & 0x01) r |= ~a & ~b & ~c;
  if (table & 0x02) r |= ~a & ~b & c;
  if (table & 0x04) r |= ~a & b & ~c;
  if (table & 0x08) r |= ~a & b & c;
  if (table & 0x10) r |= a & ~b & ~c;
  if (table & 0x20) r |= a & ~b & c;
  if (table & 0x40) r |= a & b & ~c;
  if (table & 0x80) r |= a & b & c;
  return r;
}

}  // namespace pg_compat
#endif
