// Target CPU: warp functions by the emulator's rendezvous. A reduction or scan is one rendezvous.
#ifndef PG_DETAIL_WARP_H
#define PG_DETAIL_WARP_H

#include "../ops.h"

namespace pg {
namespace detail {

inline int warp_size() { return static_cast<int>(::pgcpu::warp_size()); }
inline unsigned lane() { return ::pgcpu::lane_id(); }

template <int W>
int width() {
  static_assert(W == 0 || (is_power_of_two(W) && W <= PG_WARP_SIZE_MAX),
                "a logical warp width is 0 (physical) or a power of two up to 64");
  return W == 0 ? warp_size() : W;
}

template <int W, class T>
T shfl(T value, int src, ::pgcpu::site at) { return ::pgcpu::tile_shfl<W>(value, src, at); }
template <int W, class T>
T shfl_up(T value, int delta, ::pgcpu::site at) { return ::pgcpu::tile_shfl_up<W>(value, static_cast<unsigned>(delta), at); }
template <int W, class T>
T shfl_down(T value, int delta, ::pgcpu::site at) { return ::pgcpu::tile_shfl_down<W>(value, static_cast<unsigned>(delta), at); }
template <int W, class T>
T shfl_xor(T value, int m, ::pgcpu::site at) { return ::pgcpu::tile_shfl_xor<W>(value, m, at); }

template <int W>
uint64_t ballot(bool p, ::pgcpu::site at) { return ::pgcpu::tile_ballot<W>(p, at); }
template <int W>
bool any(bool p, ::pgcpu::site at) { return ::pgcpu::tile_ballot<W>(p, at) != 0; }
// Counted from the lanes that object, so that a warp with fewer threads than lanes is right too.
template <int W>
bool all(bool p, ::pgcpu::site at) { return ::pgcpu::tile_ballot<W>(!p, at) == 0; }
template <int W>
void sync_warp(::pgcpu::site at) { ::pgcpu::tile_sync<W>(at); }
template <int W, class T>
uint64_t match(T value, ::pgcpu::site at) { return ::pgcpu::tile_match<W>(value, at); }

template <int Bits, int W>
uint64_t match_bits(uint32_t value, ::pgcpu::site at) {
  return match<W>(Bits == 32 ? value : value & ((1u << (Bits & 31)) - 1), at);
}

template <class T, class Op>
struct has_native_reduce { static constexpr bool value = false; };

// What the butterfly of the GPU targets gives to lane `l`: the same operations in the same order.
template <class T, class Op>
T butterfly(const T* values, int l, int m, int width, const Op& op) {
  if (m == width) return values[l];
  return op(butterfly(values, l, 2 * m, width, op), butterfly(values, l ^ m, 2 * m, width, op));
}

// Room for a gathered warp, without constructors.
template <class T>
struct gathered {
  alignas(alignof(T)) unsigned char bytes[sizeof(T) * 64];
  T* values() { return reinterpret_cast<T*>(bytes); }
};

template <int W, class T, class Op>
T reduce(T value, Op op, ::pgcpu::site at) {
  const int w = width<W>();
  gathered<T> all;
  const uint64_t there = ::pgcpu::group_gather(::pgcpu::tile_mask(static_cast<unsigned>(w), at), value, all.values(), at);
  const int me = static_cast<int>(lane()), base = me & ~(w - 1);
  // A group that its block does not fill: as on a GPU the result would be undefined, so say it.
  const uint64_t whole = w == 64 ? ~uint64_t(0) : ((uint64_t(1) << w) - 1) << base;
  if ((there & whole) != whole) {
    printf("%s:%d: a warp reduction needs all %d lanes of its group; use a narrower logical width\n", at.file, at.line, w);
    ::pgcpu::trap(at);
  }
  return butterfly(all.values() + base, me - base, 1, w, op);
}
template <int W, int N, class T, class Op>
T reduce_within(T value, Op op, ::pgcpu::site at) { return reduce<N>(value, op, at); }

template <int W, class T, class Op>
T inclusive_scan(T value, Op op, ::pgcpu::site at) {
  const int w = width<W>();
  gathered<T> all;
  ::pgcpu::group_gather(::pgcpu::tile_mask(static_cast<unsigned>(w), at), value, all.values(), at);
  const int me = static_cast<int>(lane()), base = me & ~(w - 1);
  // The same combinations as by shifts of 1, 2, 4, ... lanes.
  T* const v = all.values() + base;
  for (int d = 1; d < w; d *= 2)
    for (int i = me - base; i >= d; --i) v[i] = op(v[i - d], v[i]);
  return v[me - base];
}
template <int W, int N, class T, class Op>
T inclusive_scan_within(T value, Op op, ::pgcpu::site at) { return inclusive_scan<N>(value, op, at); }

}  // namespace detail
}  // namespace pg

#endif
