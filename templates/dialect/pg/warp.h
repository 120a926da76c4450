// Warp functions. W is a logical width (a power of two); W = 0 means the physical width.
// No function takes a participation mask: all lanes of the caller's logical group must arrive.
// What is shuffled comes by reference: lanes may have left it unset (`if (lane == 0) n = f();`), and
// Clang takes a parameter by value for the promise that it is set.
// PG_SITE is empty on GPUs; on the CPU target it carries the call's place for diagnostics.
#ifndef PG_WARP_H
#define PG_WARP_H

#include "bits.h"
#include "detail/warp.h"
#include "integer.h"
#include "ops.h"

namespace pg {

// Lanes of a warp, as a result: bit i is lane i of the (logical) group. Always 64 bits.
struct lane_mask {
  uint64_t bits;

  lane_mask() = default;
  PG_HDFN constexpr explicit lane_mask(uint64_t b) : bits(b) {}
  PG_HDFN constexpr explicit operator bool() const { return bits != 0; }
  PG_HDFN constexpr explicit operator uint64_t() const { return bits; }
  PG_HDFN constexpr bool operator[](int lane) const { return (bits >> lane) & 1; }
  friend PG_HDFN constexpr lane_mask operator&(lane_mask a, lane_mask b) { return lane_mask(a.bits & b.bits); }
  friend PG_HDFN constexpr lane_mask operator|(lane_mask a, lane_mask b) { return lane_mask(a.bits | b.bits); }
  friend PG_HDFN constexpr lane_mask operator^(lane_mask a, lane_mask b) { return lane_mask(a.bits ^ b.bits); }
  // All 64 bits flip: combine with `&` to stay within a group.
  friend PG_HDFN constexpr lane_mask operator~(lane_mask a) { return lane_mask(~a.bits); }
  friend PG_HDFN constexpr bool operator==(lane_mask a, lane_mask b) { return a.bits == b.bits; }
  friend PG_HDFN constexpr bool operator!=(lane_mask a, lane_mask b) { return a.bits != b.bits; }
};

// Number of lanes in the mask.
PG_FN int popcount(lane_mask m) { return detail::popcount64(m.bits); }
// Lowest lane in the mask, -1 when it is empty.
PG_FN int first_lane(lane_mask m) { return detail::ffs64(m.bits) - 1; }
// Whether `lane` is in the mask.
PG_FN bool contains(lane_mask m, int lane) { return m[lane]; }
// The lanes of `m` below `lane`.
PG_FN lane_mask lanes_below(lane_mask m, int lane) {
  return lane_mask(m.bits & ((uint64_t(1) << lane) - 1));
}

// Physical warp width. A compile-time constant wherever the target's is.
PG_FN PG_WARP_CONSTEXPR int warp_size() { return detail::warp_size(); }

// Lane of the calling thread: its linear index in the block modulo the width.
template <int W = 0>
PG_FN int lane_id() {
  if constexpr (W == 0) return static_cast<int>(detail::lane());
  else return static_cast<int>(detail::lane()) & (detail::width<W>() - 1);
}

// Index of the calling thread in its block, x fastest.
PG_FN int linear_thread_id() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

// Index of the caller's (logical) warp in its block; any block shape.
template <int W = 0>
PG_FN int warp_id() { return static_cast<int>(static_cast<unsigned>(linear_thread_id()) / detail::width<W>()); }

// Value of lane `src` (modulo the width) of the caller's group.
template <int W = 0, class T>
PG_FN T shfl(const T& value, int src PG_SITE) { return detail::shfl<W>(value, src PG_AT); }
// Value of the lane `delta` below; lanes without one keep their own.
template <int W = 0, class T>
PG_FN T shfl_up(const T& value, int delta PG_SITE) { return detail::shfl_up<W>(value, delta PG_AT); }
// Value of the lane `delta` above; lanes without one keep their own.
template <int W = 0, class T>
PG_FN T shfl_down(const T& value, int delta PG_SITE) { return detail::shfl_down<W>(value, delta PG_AT); }
// Value of lane (own ^ m); m must be below the width.
template <int W = 0, class T>
PG_FN T shfl_xor(const T& value, int m PG_SITE) { return detail::shfl_xor<W>(value, m PG_AT); }

// The lanes of the caller's group whose predicate holds; bit 0 is the group's first lane.
template <int W = 0>
PG_FN lane_mask ballot(bool predicate PG_SITE) { return lane_mask(detail::ballot<W>(predicate PG_AT)); }
// Whether the predicate holds in any / in all lanes of the caller's group.
template <int W = 0>
PG_FN bool any(bool predicate PG_SITE) { return detail::any<W>(predicate PG_AT); }
template <int W = 0>
PG_FN bool all(bool predicate PG_SITE) { return detail::all<W>(predicate PG_AT); }

// Lanes of the caller's group whose value has the same bits (so -0.0 differs from 0.0).
template <int W = 0, class T>
PG_FN lane_mask match_any(T value PG_SITE) { return lane_mask(detail::match<W>(value PG_AT)); }

// Lanes of the caller's group with the same low `Bits` bits. Takes the same time for any values, where
// match_any may take longer for many different ones.
template <int Bits, int W = 0>
PG_FN lane_mask match_bits(uint32_t value PG_SITE) {
  static_assert(Bits >= 1 && Bits <= 32, "pg::match_bits compares 1 to 32 bits");
  return lane_mask(detail::match_bits<Bits, W>(value PG_AT));
}

// Barrier for the lanes of the caller's group; orders their memory accesses.
template <int W = 0>
PG_FN void syncwarp(PG_ONLY_SITE) { detail::sync_warp<W>(PG_ONLY_AT); }

// Reduction over the group with an associative and commutative `op`; every lane gets the result.
template <int W = 0, class T, class Op>
PG_FN T warp_reduce(T value, Op op PG_SITE) { return detail::reduce<W>(value, op PG_AT); }
template <int W = 0, class T>
PG_FN T warp_sum(T value PG_SITE) { return detail::reduce<W>(value, plus() PG_AT); }
template <int W = 0, class T>
PG_FN T warp_prod(T value PG_SITE) { return detail::reduce<W>(value, multiplies() PG_AT); }
template <int W = 0, class T>
PG_FN T warp_min(T value PG_SITE) { return detail::reduce<W>(value, minimum() PG_AT); }
template <int W = 0, class T>
PG_FN T warp_max(T value PG_SITE) { return detail::reduce<W>(value, maximum() PG_AT); }

// Prefix combination in lane order: lane i gets op(v0, ..., vi). `op` must be associative.
template <int W = 0, class T, class Op>
PG_FN T warp_inclusive_scan(T value, Op op PG_SITE) { return detail::inclusive_scan<W>(value, op PG_AT); }
// Lane i gets op(v0, ..., v(i-1)), lane 0 the identity.
template <int W = 0, class T, class Op>
PG_FN T warp_exclusive_scan(T value, Op op, typename detail::identity<T>::type first PG_SITE) {
  const T shifted = shfl_up<W>(detail::inclusive_scan<W>(value, op PG_AT), 1 PG_AT);
  return lane_id<W>() == 0 ? first : shifted;
}
// As above with the operation's own identity (identity_of).
template <int W = 0, class T, class Op>
PG_FN T warp_exclusive_scan(T value, Op op PG_SITE) {
  return warp_exclusive_scan<W>(value, op, identity_of<T>(op) PG_AT);
}

// A logical warp as an object, in place of tiled cooperative groups.
template <int W = 0>
struct tile {
  PG_FN PG_WARP_CONSTEXPR int size() const { return detail::width<W>(); }
  PG_FN int thread_rank() const { return lane_id<W>(); }
  PG_FN int meta_group_rank() const { return warp_id<W>(); }
  PG_FN void sync(PG_ONLY_SITE) const { detail::sync_warp<W>(PG_ONLY_AT); }
  template <class T>
  PG_FN T shfl(const T& v, int src PG_SITE) const { return detail::shfl<W>(v, src PG_AT); }
  template <class T>
  PG_FN T shfl_up(const T& v, int delta PG_SITE) const { return detail::shfl_up<W>(v, delta PG_AT); }
  template <class T>
  PG_FN T shfl_down(const T& v, int delta PG_SITE) const { return detail::shfl_down<W>(v, delta PG_AT); }
  template <class T>
  PG_FN T shfl_xor(const T& v, int m PG_SITE) const { return detail::shfl_xor<W>(v, m PG_AT); }
  PG_FN lane_mask ballot(bool p PG_SITE) const { return pg::ballot<W>(p PG_AT); }
  PG_FN bool any(bool p PG_SITE) const { return detail::any<W>(p PG_AT); }
  PG_FN bool all(bool p PG_SITE) const { return detail::all<W>(p PG_AT); }
  template <class T>
  PG_FN lane_mask match_any(T v PG_SITE) const { return pg::match_any<W>(v PG_AT); }
  template <class T, class Op>
  PG_FN T reduce(T v, Op op PG_SITE) const { return detail::reduce<W>(v, op PG_AT); }
  template <class T, class Op>
  PG_FN T inclusive_scan(T v, Op op PG_SITE) const { return detail::inclusive_scan<W>(v, op PG_AT); }
  template <class T, class Op>
  PG_FN T exclusive_scan(T v, Op op, typename detail::identity<T>::type first PG_SITE) const {
    return warp_exclusive_scan<W>(v, op, first PG_AT);
  }
};

}  // namespace pg

#endif
