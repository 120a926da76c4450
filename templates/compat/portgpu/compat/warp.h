// Warp functions of 32 logical lanes on waves of 32 or 64.
#ifndef PORTGPU_COMPAT_WARP_H
#define PORTGPU_COMPAT_WARP_H

namespace pg_compat {

constexpr int warp_size = 32;

#if !defined(PG_COMPAT_NVIDIA)
// Half of the wave in which the caller's logical warp lies: 0 or 32.
PG_COMPAT_DEVICE unsigned half_shift() { return __lane_id() & 32u; }
// The caller's lane in its logical warp.
PG_COMPAT_DEVICE unsigned lane_id() { return __lane_id() & 31u; }

PG_COMPAT_DEVICE unsigned lanemask_eq() { return 1u << lane_id(); }
PG_COMPAT_DEVICE unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
PG_COMPAT_DEVICE unsigned lanemask_le() { return (2u << lane_id()) - 1u; }
PG_COMPAT_DEVICE unsigned lanemask_gt() { return ~lanemask_le(); }
PG_COMPAT_DEVICE unsigned lanemask_ge() { return ~lanemask_lt(); }

// The builtin is used, not __ballot: its result is as wide as the wave in every version.
PG_COMPAT_DEVICE unsigned ballot(int predicate) {
#if defined(__AMDGCN__) && __clang_major__ < 16
  // Older Clang moves what both sides of an `if` begin with in front of it, votes of the lanes too.
  [[clang::nomerge]] {
    asm volatile("");
    __builtin_amdgcn_wave_barrier();  // the attribute wants a call; no instruction
  }
#endif
  return static_cast<unsigned>(static_cast<unsigned long long>(__ballot(predicate)) >> half_shift());
}
PG_COMPAT_DEVICE unsigned activemask() { return ballot(1); }
PG_COMPAT_DEVICE unsigned ballot_sync(unsigned mask, int predicate) {
  return ballot(predicate) & mask;
}
#endif
PG_COMPAT_DEVICE int any(int predicate) { return ballot(predicate) != 0; }
PG_COMPAT_DEVICE int all(int predicate) { return ballot(!predicate) == 0; }
PG_COMPAT_DEVICE int any_sync(unsigned mask, int predicate) {
  return ballot_sync(mask, predicate) != 0;
}
PG_COMPAT_DEVICE int all_sync(unsigned mask, int predicate) {
  return ballot_sync(mask, !predicate) == 0;
}
PG_COMPAT_DEVICE int uni_sync(unsigned mask, int predicate) {
  const unsigned yes = ballot_sync(mask, predicate);
  return yes == 0 || yes == ballot_sync(mask, 1);
}

#if !defined(PG_COMPAT_NVIDIA)
// Orders memory among the lanes of the wave; they run in lockstep, so nothing waits.
PG_COMPAT_DEVICE void syncwarp(unsigned mask = 0xffffffffu) {
#if defined(PGCPU)
  pgcpu::group_sync(static_cast<pgcpu::mask_t>(mask) << half_shift(), pgcpu::site::current());
#else
  static_cast<void>(mask);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}
#endif

namespace detail {

// threadIdx.x and its like are objects of an empty type that convert to unsigned.
template <class T>
struct is_empty {
  static constexpr bool value = __is_empty(T);
};
template <class T, bool Empty = is_empty<T>::value>
struct value {
  using type = T;
};
template <class T>
struct value<volatile T, false> {
  using type = T;
};
template <class T>
struct value<T, true> {
  using type = unsigned;
};
template <class T>
using value_t = typename value<T>::type;

template <class T>
PG_COMPAT_DEVICE bool same_bits(T a, T b) {
  constexpr int n = (sizeof(T) + 3) / 4;
  int x[n] = {}, y[n] = {};
  __builtin_memcpy(x, &a, sizeof(T));
  __builtin_memcpy(y, &b, sizeof(T));
  bool same = true;
#pragma unroll
  for (int i = 0; i < n; ++i) same = same && x[i] == y[i];
  return same;
}
// Moves a value of any trivially copyable type as 32-bit words. What is moved comes by reference, here
// and wherever a value is to be moved: `if (lane == 0) n = f(); n = __shfl_sync(m, n, 0);` leaves it
// unset in most lanes, and a parameter by value would promise Clang that it is set, which then drops
// the condition and calls f() in every lane.
template <class T, class Move>
PG_COMPAT_DEVICE T by_words(const T& v, const Move& move) {
  constexpr int n = (sizeof(T) + 3) / 4;
  int words[n] = {};
  T moved = v;
  __builtin_memcpy(words, &moved, sizeof(T));
#pragma unroll
  for (int i = 0; i < n; ++i) words[i] = move(words[i]);
  __builtin_memcpy(&moved, words, sizeof(T));
  return moved;
}

#if !defined(PG_COMPAT_NVIDIA)
// Lane of the wave that is read, by the rules of NVIDIA's instruction: the caller's own where it would
// leave the segment of `width` lanes. HIP before 6 has other rules for lanes beyond the width.
PG_COMPAT_DEVICE int shfl_lane(int x, int width) {
  return (static_cast<int>(__lane_id()) & ~(width - 1)) | (x & (width - 1));
}
PG_COMPAT_DEVICE int shfl_up_lane(unsigned x, int width) {
  const int self = static_cast<int>(__lane_id()), far = static_cast<int>(x) & ((width - 1) | 31);
  return far > (self & (width - 1)) ? self : self - far;
}
PG_COMPAT_DEVICE int shfl_down_lane(unsigned x, int width) {
  const int self = static_cast<int>(__lane_id()), far = static_cast<int>(x) & ((width - 1) | 31);
  return (self & (width - 1)) + far < width ? self + far : self;
}
PG_COMPAT_DEVICE int shfl_xor_lane(int x, int width) {
  const int self = static_cast<int>(__lane_id()), to = self ^ (x & ((width - 1) | 31));
  return to > (self | (width - 1)) ? self : to;
}
#endif

}  // namespace detail

// AMD moves among the lanes that are active; NVIDIA waits for those of the mask.
#if defined(PG_COMPAT_NVIDIA)
#define PG_COMPAT_ACTIVE __activemask()
#define PG_COMPAT_FROM(NAME, X, WIDTH) X
#define PG_COMPAT_MOVE(NAME, MASK, WORD, X, WIDTH) __##NAME##_sync(MASK, WORD, X, WIDTH)
#else
#define PG_COMPAT_ACTIVE 0xffffffffu
#define PG_COMPAT_FROM(NAME, X, WIDTH) detail::NAME##_lane(X, WIDTH)
#if defined(PGCPU)
#define PG_COMPAT_MOVE(NAME, MASK, WORD, X, WIDTH) __shfl(WORD, X, warpSize)
#else
#define PG_COMPAT_MOVE(NAME, MASK, WORD, X, WIDTH) __builtin_amdgcn_ds_bpermute((X) << 2, WORD)
#endif
#endif
#define PG_COMPAT_SHUFFLE(NAME, SYNC, ARGUMENT)                                                 \
  template <class T>                                                                            \
  PG_COMPAT_DEVICE detail::value_t<T> SYNC(unsigned mask, const T& v, ARGUMENT lane,            \
                                                  int width = 32) {                             \
    static_cast<void>(mask);                                                                    \
    const auto from = PG_COMPAT_FROM(NAME, lane, width);                                        \
    return detail::by_words<detail::value_t<T>>(v, [=] PG_COMPAT_LAMBDA(const int& w) {         \
      return PG_COMPAT_MOVE(NAME, mask, w, from, width);                                        \
    });                                                                                         \
  }                                                                                             \
  template <class T>                                                                            \
  PG_COMPAT_DEVICE detail::value_t<T> NAME(const T& v, ARGUMENT lane, int width = 32) {         \
    return SYNC(PG_COMPAT_ACTIVE, v, lane, width);                                              \
  }
PG_COMPAT_SHUFFLE(shfl, shfl_sync, int)
PG_COMPAT_SHUFFLE(shfl_up, shfl_up_sync, unsigned)
PG_COMPAT_SHUFFLE(shfl_down, shfl_down_sync, unsigned)
PG_COMPAT_SHUFFLE(shfl_xor, shfl_xor_sync, int)
#undef PG_COMPAT_SHUFFLE
#undef PG_COMPAT_MOVE
#undef PG_COMPAT_FROM
#undef PG_COMPAT_ACTIVE

// Lanes of `mask` that hold the same value as the caller.
template <class T>
PG_COMPAT_DEVICE unsigned match_any_sync(unsigned mask, T value) {
  using V = detail::value_t<T>;
  const V own = value;
  unsigned left = ballot_sync(mask, 1), same = 0;
  while (left) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const V other = shfl_sync(mask, own, leader);
    const bool equal = detail::same_bits(other, own);
    const unsigned hits = ballot_sync(mask, equal);
    if (equal) same = hits;
    left &= ~hits;
  }
  return same;
}
template <class T>
PG_COMPAT_DEVICE unsigned match_all_sync(unsigned mask, T value, int* pred) {
  const unsigned members = ballot_sync(mask, 1);
  const bool all_same = match_any_sync(mask, value) == members;
  *pred = all_same;
  return all_same ? members : 0u;
}

namespace detail {

// Combines the values of the lanes in `mask`, whichever they are; every one gets the result.
template <class T, class Op>
PG_COMPAT_DEVICE T reduce(unsigned mask, T v, Op op) {
  unsigned left = ballot_sync(mask, 1);
  T total = shfl_sync(mask, v, __ffs(static_cast<int>(left)) - 1);
  for (left &= left - 1; left; left &= left - 1)
    total = op(total, shfl_sync(mask, v, __ffs(static_cast<int>(left)) - 1));
  return total;
}

}  // namespace detail

#define PG_COMPAT_REDUCE(NAME, T, EXPRESSION)                                          \
  PG_COMPAT_DEVICE T NAME(unsigned mask, T value) {                                    \
    return detail::reduce(mask, value,                                                 \
                          [] PG_COMPAT_LAMBDA(T a, T b) { return EXPRESSION; }); \
  }
PG_COMPAT_REDUCE(reduce_add_sync, unsigned, a + b)
PG_COMPAT_REDUCE(reduce_add_sync, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
PG_COMPAT_REDUCE(reduce_min_sync, unsigned, b < a ? b : a)
PG_COMPAT_REDUCE(reduce_min_sync, int, b < a ? b : a)
PG_COMPAT_REDUCE(reduce_max_sync, unsigned, a < b ? b : a)
PG_COMPAT_REDUCE(reduce_max_sync, int, a < b ? b : a)
PG_COMPAT_REDUCE(reduce_and_sync, unsigned, a & b)
PG_COMPAT_REDUCE(reduce_or_sync, unsigned, a | b)
PG_COMPAT_REDUCE(reduce_xor_sync, unsigned, a ^ b)
#undef PG_COMPAT_REDUCE

// The same with the device's own width: masks and votes have 64 bits, widths default to the wave.
namespace native {

using mask = unsigned long long;

PG_COMPAT_DEVICE int width() { return warpSize; }
#if defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE mask ballot(int predicate) { return pg_compat::ballot(predicate); }
PG_COMPAT_DEVICE mask ballot_sync(mask m, int predicate) {
  return pg_compat::ballot_sync(static_cast<unsigned>(m), predicate);
}
#else
PG_COMPAT_DEVICE mask ballot(int predicate) { return __ballot(predicate); }
PG_COMPAT_DEVICE mask ballot_sync(mask m, int predicate) { return ballot(predicate) & m; }
#endif
PG_COMPAT_DEVICE mask activemask() { return ballot(1); }
PG_COMPAT_DEVICE int any(int predicate) { return ballot(predicate) != 0; }
PG_COMPAT_DEVICE int all(int predicate) { return ballot(!predicate) == 0; }
PG_COMPAT_DEVICE int any_sync(mask m, int predicate) { return ballot_sync(m, predicate) != 0; }
PG_COMPAT_DEVICE int all_sync(mask m, int predicate) { return ballot_sync(m, !predicate) == 0; }
PG_COMPAT_DEVICE int uni_sync(mask m, int predicate) {
  const mask yes = ballot_sync(m, predicate);
  return yes == 0 || yes == ballot_sync(m, 1);
}
#define PG_COMPAT_NATIVE(NAME, ARGUMENT)                                                       \
  template <class T>                                                                           \
  PG_COMPAT_DEVICE detail::value_t<T> NAME(const T& v, ARGUMENT x, int w = width()) {          \
    return pg_compat::NAME(v, x, w);                                                           \
  }                                                                                            \
  template <class T>                                                                           \
  PG_COMPAT_DEVICE detail::value_t<T> NAME##_sync(mask m, const T& v, ARGUMENT x,              \
                                                  int w = width()) {                           \
    return pg_compat::NAME##_sync(static_cast<unsigned>(m), v, x, w);                          \
  }
PG_COMPAT_NATIVE(shfl, int)
PG_COMPAT_NATIVE(shfl_up, unsigned)
PG_COMPAT_NATIVE(shfl_down, unsigned)
PG_COMPAT_NATIVE(shfl_xor, int)
#undef PG_COMPAT_NATIVE
template <class T>
PG_COMPAT_DEVICE mask match_any_sync(mask m, T value) {
  using V = detail::value_t<T>;
  const V own = value;
  mask left = ballot_sync(m, 1), same = 0;
  while (left) {
    const int leader = __ffsll(static_cast<long long>(left)) - 1;
    const V other = shfl_sync(m, own, leader);
    const bool equal = detail::same_bits(other, own);
    const mask hits = ballot_sync(m, equal);
    if (equal) same = hits;
    left &= ~hits;
  }
  return same;
}
template <class T>
PG_COMPAT_DEVICE mask match_all_sync(mask m, T value, int* pred) {
  const mask members = ballot_sync(m, 1);
  const bool all_same = match_any_sync(m, value) == members;
  *pred = all_same;
  return all_same ? members : 0ull;
}

}  // namespace native

// The calling thread's index in its block, all three dimensions.
PG_COMPAT_DEVICE unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
PG_COMPAT_DEVICE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
#if !defined(PG_COMPAT_NVIDIA)
PG_COMPAT_DEVICE unsigned sm_id() {
#if defined(PGCPU)
  return 0;
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  // Die, shader engine, compute unit.
  return (__builtin_amdgcn_s_getreg(3 << 11 | 20) << 7) |
         (__builtin_amdgcn_s_getreg(2 << 11 | 13 << 6 | 4) << 4) |
         __builtin_amdgcn_s_getreg(3 << 11 | 8 << 6 | 4);
#elif defined(__GFX9__)
  return (__builtin_amdgcn_s_getreg(2 << 11 | 13 << 6 | 4) << 4) |
         __builtin_amdgcn_s_getreg(3 << 11 | 8 << 6 | 4);
#else  // shader engine, array and workgroup processor
  return (__builtin_amdgcn_s_getreg(2 << 11 | 18 << 6 | 23) << 5) |
         (__builtin_amdgcn_s_getreg(16 << 6 | 23) << 4) |
         __builtin_amdgcn_s_getreg(3 << 11 | 10 << 6 | 23);
#endif
}
PG_COMPAT_DEVICE unsigned warp_id() { return thread_rank() / 32u; }
#endif
// Dependent launches do not overlap: everything before is complete.
PG_COMPAT_DEVICE void grid_dependency() {}

}  // namespace pg_compat
#endif
