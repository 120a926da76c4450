// Target CUDA: warp primitives on 32-bit words. A group's mask names the group's lanes only, since
// other lanes of the warp may be elsewhere.
#ifndef PG_DETAIL_WARP_H
#define PG_DETAIL_WARP_H

#include "../ops.h"

namespace pg {
namespace detail {

template <int W>
PG_FN constexpr void check_width() {
  static_assert(W <= 32, "this logical width exceeds NVIDIA's warp of 32 lanes");
}

PG_FN constexpr int warp_size() { return 32; }

PG_FN unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
PG_FN unsigned group_start(int width) { return lane() & ~static_cast<unsigned>(width - 1); }
PG_FN unsigned group_mask(int width) {
  return width == 32 ? 0xffffffffu : ((1u << width) - 1) << group_start(width);
}
PG_FN unsigned to_group(unsigned lanes, int width) {
  return width == 32 ? lanes : (lanes >> group_start(width)) & ((1u << width) - 1);
}

PG_FN uint32_t shfl_word(uint32_t v, int src, int width) { return __shfl_sync(group_mask(width), v, src, width); }
PG_FN uint32_t shfl_up_word(uint32_t v, int d, int width) { return __shfl_up_sync(group_mask(width), v, d, width); }
PG_FN uint32_t shfl_down_word(uint32_t v, int d, int width) { return __shfl_down_sync(group_mask(width), v, d, width); }
PG_FN uint32_t shfl_xor_word(uint32_t v, int m, int width) { return __shfl_xor_sync(group_mask(width), v, m, width); }

PG_FN uint64_t ballot_group(bool p, int width) { return to_group(__ballot_sync(group_mask(width), p), width); }
PG_FN bool any_group(bool p, int width) { return __any_sync(group_mask(width), p); }
PG_FN bool all_group(bool p, int width) { return __all_sync(group_mask(width), p); }
PG_FN void sync_group(int width) { __syncwarp(group_mask(width)); }

PG_FN uint64_t match_word(uint32_t v, int bits, int width) {
#if PG_HAS_NATIVE_MATCH
  return to_group(__match_any_sync(group_mask(width), v), width);
#else
  unsigned same = width == 32 ? ~0u : (1u << width) - 1;
  for (int b = 0; b < bits; ++b) {
    const bool set = (v >> b) & 1;
    const unsigned lanes = static_cast<unsigned>(ballot_group(set, width));
    same &= set ? lanes : ~lanes;
  }
  return same;
#endif
}

// Lanes of the group whose bit `b` is the caller's. For whole warps as PTX, so that one predicate serves
// the vote and the choice; with the mask of a part ptxas 13.0 fails on that ("register allocation failed").
PG_FN uint64_t same_bit(uint32_t v, int b, int width) {
  if (width != 32) {
    const bool set = (v >> b) & 1;
    const uint64_t lanes = ballot_group(set, width);
    return set ? lanes : ~lanes;
  }
  unsigned lanes;
  asm volatile("{ .reg .pred p; .reg .b32 bit;\n"
               "and.b32 bit, %1, %2;\n"
               "setp.ne.u32 p, bit, 0;\n"
               "vote.sync.ballot.b32 %0, p, 0xffffffff;\n"
               "@!p not.b32 %0, %0; }"
               : "=r"(lanes) : "r"(v), "r"(1u << b));
  return lanes;
}
PG_FN uint64_t all_lanes(int width) { return to_group(group_mask(width), width); }

// Reductions in hardware: 32-bit integers from sm_80 on.
template <class T, class Op>
struct has_native_reduce {
  static constexpr bool value =
      PG_HAS_NATIVE_WARP_REDUCE &&
      ((is_same<T, int>::value &&
        (is_same<Op, plus>::value || is_same<Op, minimum>::value || is_same<Op, maximum>::value)) ||
       (is_same<T, unsigned>::value &&
        (is_same<Op, plus>::value || is_same<Op, minimum>::value || is_same<Op, maximum>::value ||
         is_same<Op, bit_and>::value || is_same<Op, bit_or>::value || is_same<Op, bit_xor>::value)));
};
#if PG_HAS_NATIVE_WARP_REDUCE
template <class T>
PG_FN T native_reduce(T v, plus, int width) { return __reduce_add_sync(group_mask(width), v); }
template <class T>
PG_FN T native_reduce(T v, minimum, int width) { return __reduce_min_sync(group_mask(width), v); }
template <class T>
PG_FN T native_reduce(T v, maximum, int width) { return __reduce_max_sync(group_mask(width), v); }
template <class T>
PG_FN T native_reduce(T v, bit_and, int width) { return __reduce_and_sync(group_mask(width), v); }
template <class T>
PG_FN T native_reduce(T v, bit_or, int width) { return __reduce_or_sync(group_mask(width), v); }
template <class T>
PG_FN T native_reduce(T v, bit_xor, int width) { return __reduce_xor_sync(group_mask(width), v); }
#else
template <class T, class Op>
PG_FN T native_reduce(T v, Op, int) { return v; }
#endif

}  // namespace detail
}  // namespace pg

#include "../warp_words.h"

#endif
