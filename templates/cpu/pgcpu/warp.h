// Logical tiles of W lanes inside the physical warp. W is a power of two, or 0 for the whole warp;
// a tile wider than the warp is a compile-time mistake on a 32-lane device, so it is diagnosed.
#pragma once
#include "thread.h"

namespace pgcpu {

namespace detail {
[[noreturn]] void bad_tile(unsigned width, site at);
}

// Lanes of the caller's aligned group of `width` lanes, cut to the lanes that its block has.
PGCPU_INLINE mask_t tile_mask(unsigned width, site at = site::current()) {
  const unsigned w = warp_size();
  if (width == 0) width = w;
  if (width > w || (width & (width - 1))) detail::bad_tile(width, at);
  const unsigned base = lane_id() & ~(width - 1);
  const mask_t bits = width == 64 ? ~mask_t(0) : ((mask_t(1) << width) - 1);
  const unsigned there = block_threads() - (thread_rank() - lane_id());  // lanes of this warp
  const mask_t live = there >= 64 ? ~mask_t(0) : ((mask_t(1) << there) - 1);
  return (bits << base) & live;
}

template <int W = 0>
PGCPU_INLINE unsigned tile_width() {
  static_assert(W >= 0 && W <= 64 && (W & (W - 1)) == 0, "a tile has 1, 2, 4 … 64 lanes");
  return W ? unsigned(W) : warp_size();
}
template <int W = 0>
PGCPU_INLINE unsigned tile_lane() {
  return lane_id() & (tile_width<W>() - 1);
}

template <int W = 0, class T>
PGCPU_INLINE T tile_shfl(T v, int source, site at = site::current()) {
  const unsigned w = tile_width<W>(), base = lane_id() & ~(w - 1);
  return group_shuffle(tile_mask(w, at), v, int(base + (unsigned(source) & (w - 1))), at);
}
template <int W = 0, class T>
PGCPU_INLINE T tile_shfl_up(T v, unsigned delta, site at = site::current()) {
  const unsigned w = tile_width<W>(), me = lane_id(), in = me & (w - 1);
  return group_shuffle(tile_mask(w, at), v, int(delta > in ? me : me - delta), at);
}
template <int W = 0, class T>
PGCPU_INLINE T tile_shfl_down(T v, unsigned delta, site at = site::current()) {
  const unsigned w = tile_width<W>(), me = lane_id(), in = me & (w - 1);
  return group_shuffle(tile_mask(w, at), v, int(delta >= w - in ? me : me + delta), at);
}
template <int W = 0, class T>
PGCPU_INLINE T tile_shfl_xor(T v, int lane_mask, site at = site::current()) {
  const unsigned w = tile_width<W>(), me = lane_id();
  const unsigned source = me ^ unsigned(lane_mask);
  return group_shuffle(tile_mask(w, at), v, int((source ^ me) < w ? source : me), at);
}
template <int W = 0>
PGCPU_INLINE mask_t tile_ballot(bool pred, site at = site::current()) {
  const unsigned w = tile_width<W>(), base = lane_id() & ~(w - 1);
  return group_ballot(tile_mask(w, at), pred, at) >> base;
}
template <int W = 0, class T>
PGCPU_INLINE mask_t tile_match(T v, site at = site::current()) {
  const unsigned w = tile_width<W>(), base = lane_id() & ~(w - 1);
  return group_match(tile_mask(w, at), v, at) >> base;
}
template <int W = 0>
PGCPU_INLINE void tile_sync(site at = site::current()) {
  group_sync(tile_mask(tile_width<W>(), at), at);
}

}  // namespace pgcpu
