// Target ROCm: warp primitives on 32-bit words, by the mask-less forms that every HIP has.
#ifndef PG_DETAIL_WARP_H
#define PG_DETAIL_WARP_H

#include "../ops.h"

namespace pg {
namespace detail {

PG_FN constexpr int warp_size() { return PG_AMD_WAVE64 ? 64 : 32; }

template <int W>
PG_FN constexpr void check_width() {
#if PG_DEVICE_PASS
  static_assert(W <= (PG_AMD_WAVE64 ? 64 : 32), "this logical width exceeds the wave of this architecture");
#endif
}

PG_FN unsigned lane() {
#if defined(__AMDGCN__)
#if PG_AMD_WAVE64
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#else
  return __builtin_amdgcn_mbcnt_lo(~0u, 0u);
#endif
#else
  return __lane_id();
#endif
}
PG_FN unsigned group_start(int width) { return lane() & ~static_cast<unsigned>(width - 1); }
PG_FN uint64_t group_bits(int width) { return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
PG_FN uint64_t to_group(uint64_t lanes, int width) {
  return width == warp_size() ? lanes : (lanes >> group_start(width)) & group_bits(width);
}

// By the instruction, not by __shfl: its parameters promise values (see pg/warp.h), and before HIP 6 it
// takes `src` as it is, not modulo the width.
PG_FN uint32_t from_lane(const uint32_t& v, int source) {
#if defined(__AMDGCN__)
  return static_cast<uint32_t>(__builtin_amdgcn_ds_bpermute(source << 2, static_cast<int>(v)));
#else
  return __shfl(static_cast<int>(v), source);
#endif
}
PG_FN uint32_t shfl_word(const uint32_t& v, int src, int width) {
  return from_lane(v, static_cast<int>(group_start(width)) | (src & (width - 1)));
}
PG_FN uint32_t shfl_up_word(const uint32_t& v, int d, int width) {
  const int self = static_cast<int>(lane());
  return from_lane(v, (self & (width - 1)) < d ? self : self - d);
}
PG_FN uint32_t shfl_down_word(const uint32_t& v, int d, int width) {
  const int self = static_cast<int>(lane());
  return from_lane(v, (self & (width - 1)) + d < width ? self + d : self);
}
PG_FN uint32_t shfl_xor_word(const uint32_t& v, int m, int width) {
  const int self = static_cast<int>(lane()), to = self ^ m;
  return from_lane(v, to > (self | (width - 1)) ? self : to);
}

PG_FN uint64_t ballot_group(bool p, int width) { return to_group(__ballot(p), width); }
PG_FN bool any_group(bool p, int width) { return ballot_group(p, width) != 0; }
// Counted from the lanes that object, so that a wave with fewer threads than lanes is right too.
PG_FN bool all_group(bool p, int width) { return ballot_group(!p, width) == 0; }

PG_FN void sync_group(int) {
#if defined(__AMDGCN__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#elif !PG_AMD
  __syncwarp();
#endif
}

// One ballot for each bit of the value: a ballot is a compare into scalar registers here.
PG_FN uint64_t match_word(uint32_t v, int bits, int width) {
  uint64_t same = ballot_group(true, width);
  PG_UNROLL
  for (int b = 0; b < bits; ++b) {
    const bool set = (v >> b) & 1;
    const uint64_t lanes = ballot_group(set, width);
    same &= set ? lanes : ~lanes;
  }
  return same;
}

// Lanes of the group whose bit `b` is the caller's.
PG_FN uint64_t same_bit(uint32_t v, int b, int width) {
  const bool set = (v >> b) & 1;
  const uint64_t lanes = ballot_group(set, width);
  return set ? lanes : ~lanes;
}
PG_FN uint64_t all_lanes(int width) { return ballot_group(true, width); }

template <class T, class Op>
struct has_native_reduce { static constexpr bool value = false; };
template <class T, class Op>
PG_FN T native_reduce(T v, Op, int) { return v; }

}  // namespace detail
}  // namespace pg

#include "../warp_words.h"

#endif
