// What translation writes for inline PTX in CUDA sources, in terms of the CPU target.
#pragma once
#include "cuda_warp.h"
#include "math.h"

namespace pg_compat {

inline unsigned lane_id() { return ::pgcpu::lane_id() & 31u; }
inline unsigned lanemask_eq() { return 1u << lane_id(); }
inline unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
inline unsigned lanemask_le() { return (2u << lane_id()) - 1u; }
inline unsigned lanemask_gt() { return ~lanemask_le(); }
inline unsigned lanemask_ge() { return ~lanemask_lt(); }
inline unsigned warp_id() { return ::pgcpu::thread_rank() / 32u; }
inline unsigned sm_id() { return 0; }
inline unsigned block_threads() { return ::pgcpu::block_threads(); }
inline unsigned long long global_timer() { return ::pgcpu::clock_ns(); }
inline float ex2(float x) { return exp2f(x); }
inline float lg2(float x) { return log2f(x); }
inline float rcp(float x) { return 1.0f / x; }
inline float rsqrt_approx(float x) { return 1.0f / sqrtf(x); }
inline float sqrt_approx(float x) { return sqrtf(x); }
inline float sin_approx(float x) { return sinf(x); }
inline float cos_approx(float x) { return cosf(x); }
inline float tanh_approx(float x) { return tanhf(x); }
inline unsigned fns(unsigned mask, unsigned base, int offset) { return __fns(mask, base, offset); }
// Bit fields: positions and lengths are bytes; what lies beyond bit 31 is zero, or the sign.
inline unsigned bfe(unsigned v, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  const unsigned long long r = position < 32 ? v >> position : 0;
  return unsigned(length >= 32 ? r : r & ((1ull << length) - 1));
}
inline int bfe_signed(int v, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (!length) return 0;
  const long long r = (long long)(v) >> (position < 32 ? position : 32);
  if (position + length > 31) return int(r);
  const int up = 32 - int(length);
  return int(unsigned(r) << up) >> up;
}
inline unsigned bfi(unsigned insert, unsigned base, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (position >= 32) return base;
  const unsigned mask = unsigned((length >= 32 ? ~0ull : (1ull << length) - 1) << position);
  return (base & ~mask) | ((insert << position) & mask);
}
inline int bfind(unsigned v) { return v ? 31 - __builtin_clz(v) : -1; }
inline int bfind_shift(unsigned v) { return v ? __builtin_clz(v) : -1; }
inline unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long v = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 32; i += 8, selector >>= 4) {
    const unsigned byte = unsigned(v >> (8 * (selector & 7))) & 255;
    r |= (selector & 8 ? (byte & 128 ? 255 : 0) : byte) << i;  // bit 3: its sign, repeated
  }
  return r;
}
inline unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned r = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}
inline int dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
inline unsigned dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }
inline unsigned pack_rn_bf16(float hi, float lo) {
  return unsigned(::pgcpu::to_bfloat16(hi).bits) << 16 | ::pgcpu::to_bfloat16(lo).bits;
}
// A shared address is the distance from the block's shared memory.
inline unsigned shared_address(const void* p) {
  return unsigned(static_cast<const char*>(p) - ::pgcpu::detail::arena_base);
}
inline void* shared_pointer(unsigned address) { return ::pgcpu::detail::arena_base + address; }
inline void copy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  memcpy(to, from, bytes - zeros);
  memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
inline void copy_wait(size_t = 0) {}
inline void nanosleep(unsigned ns) { ::pgcpu::sleep_ns(ns); }
inline void trap(::pgcpu::site at = ::pgcpu::site::current()) { ::pgcpu::trap(at); }
inline void breakpoint() {}
template <class T>
T clamp_to(int v) {
  constexpr int least = int(std::numeric_limits<T>::min()), most = int(std::numeric_limits<T>::max());
  return T(v < least ? least : v > most ? most : v);
}
template <class T>
T load_streaming(const T* p) { return *p; }
template <class T, class V>
void store_streaming(T* p, V v) { *p = T(v); }

#define PGCPU_PTX(NAME, FUNCTION)                                                     \
  template <class... A>                                                               \
  auto NAME(unsigned mask, A... a) { return FUNCTION(mask, a...); }
PGCPU_PTX(shfl_sync, __shfl_sync)
PGCPU_PTX(shfl_up_sync, __shfl_up_sync)
PGCPU_PTX(shfl_down_sync, __shfl_down_sync)
PGCPU_PTX(shfl_xor_sync, __shfl_xor_sync)
PGCPU_PTX(reduce_add_sync, __reduce_add_sync)
PGCPU_PTX(reduce_min_sync, __reduce_min_sync)
PGCPU_PTX(reduce_max_sync, __reduce_max_sync)
PGCPU_PTX(reduce_and_sync, __reduce_and_sync)
PGCPU_PTX(reduce_or_sync, __reduce_or_sync)
PGCPU_PTX(reduce_xor_sync, __reduce_xor_sync)
#undef PGCPU_PTX
#define PGCPU_PTX(NAME)                                                   \
  template <class T, class... A>                                          \
  T NAME##_rn(T a, A... b) { return __##NAME##_rn(a, b...); }             \
  template <class T, class... A>                                          \
  T NAME##_rz(T a, A... b) { return __##NAME##_rz(a, b...); }             \
  template <class T, class... A>                                          \
  T NAME##_ru(T a, A... b) { return __##NAME##_ru(a, b...); }             \
  template <class T, class... A>                                          \
  T NAME##_rd(T a, A... b) { return __##NAME##_rd(a, b...); }
PGCPU_PTX(fadd)
PGCPU_PTX(fsub)
PGCPU_PTX(fmul)
PGCPU_PTX(fdiv)
PGCPU_PTX(frcp)
PGCPU_PTX(fsqrt)
PGCPU_PTX(fmaf)
PGCPU_PTX(dadd)
PGCPU_PTX(dsub)
PGCPU_PTX(dmul)
PGCPU_PTX(ddiv)
PGCPU_PTX(drcp)
PGCPU_PTX(dsqrt)
PGCPU_PTX(fma)
#undef PGCPU_PTX
inline unsigned activemask(::pgcpu::site at = ::pgcpu::site::current()) { return __activemask(at); }
inline void syncwarp(unsigned mask = ~0u, ::pgcpu::site at = ::pgcpu::site::current()) { __syncwarp(mask, at); }

}  // namespace pg_compat
