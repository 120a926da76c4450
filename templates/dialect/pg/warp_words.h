// Warp functions for any trivially copyable type, over the target's primitives on 32-bit words.
#ifndef PG_WARP_WORDS_H
#define PG_WARP_WORDS_H

#include "bits.h"

namespace pg {
namespace detail {

template <int W>
PG_FN constexpr int width() {
  static_assert(W == 0 || (is_power_of_two(W) && W <= PG_WARP_SIZE_MAX),
                "a logical warp width is 0 (physical) or a power of two up to 64");
  check_width<W>();
  return W == 0 ? warp_size() : W;
}

#define PG_SHUFFLE_OF_WORDS_(name)                                                      \
  template <int W>                                                                      \
  struct name##_functor {                                                               \
    int x;                                                                              \
    PG_FN uint32_t operator()(const uint32_t& word) const { return name##_word(word, x, width<W>()); } \
  };                                                                                    \
  template <int W, class T>                                                             \
  PG_FN T name(const T& value, int x) { return map_words(value, name##_functor<W>{x}); }
PG_SHUFFLE_OF_WORDS_(shfl)
PG_SHUFFLE_OF_WORDS_(shfl_up)
PG_SHUFFLE_OF_WORDS_(shfl_down)
PG_SHUFFLE_OF_WORDS_(shfl_xor)
#undef PG_SHUFFLE_OF_WORDS_

template <int W>
PG_FN uint64_t ballot(bool p) { return ballot_group(p, width<W>()); }
template <int W>
PG_FN bool any(bool p) { return any_group(p, width<W>()); }
template <int W>
PG_FN bool all(bool p) { return all_group(p, width<W>()); }
template <int W>
PG_FN void sync_warp() { sync_group(width<W>()); }

template <int W, class T>
PG_FN uint64_t match(const T& value) {
  constexpr int words = (sizeof(T) + 3) / 4;
  constexpr int last_bits = static_cast<int>(sizeof(T) - 4 * (words - 1)) * 8;
  uint32_t in[words];
  in[words - 1] = 0;
  PG_COPY_BYTES_(in, &value, sizeof(T));
  uint64_t same = ~uint64_t(0);
  PG_UNROLL
  for (int i = 0; i < words; ++i) same &= match_word(in[i], i == words - 1 ? last_bits : 32, width<W>());
  return same;
}

template <int Bits, int W>
PG_FN uint64_t match_bits(uint32_t value) {
  uint64_t same = all_lanes(width<W>());
  PG_UNROLL
  for (int b = 0; b < Bits; ++b) same &= same_bit(value, b, width<W>());
  return same;
}

// Butterfly over groups of N lanes, where all W lanes of the enclosing group are here.
template <int W, int N, class T, class Op>
PG_FN T reduce_within(T value, Op op) {
  if constexpr (W == N && has_native_reduce<T, Op>::value) {
    return native_reduce(value, op, W);
  } else {
    PG_UNROLL
    for (int m = N / 2; m > 0; m /= 2) value = op(value, shfl_xor<W>(value, m));
    return value;
  }
}
template <int W, class T, class Op>
PG_FN T reduce(T value, Op op) { return reduce_within<width<W>(), width<W>()>(value, op); }

template <int W, int N, class T, class Op>
PG_FN T inclusive_scan_within(T value, Op op) {
  const int place = static_cast<int>(N == warp_size() ? lane() : lane() & (N - 1));
  PG_UNROLL
  for (int d = 1; d < N; d *= 2) {
    const T other = shfl_up<W>(value, d);
    if (place >= d) value = op(other, value);
  }
  return value;
}
template <int W, class T, class Op>
PG_FN T inclusive_scan(T value, Op op) { return inclusive_scan_within<width<W>(), width<W>()>(value, op); }

}  // namespace detail
}  // namespace pg

#endif
