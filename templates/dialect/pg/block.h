// Block functions. BLOCK threads in x; BY and BZ for blocks of more dimensions. All threads of the
// block must arrive; the result is valid in all of them, and calls can follow each other freely.
#ifndef PG_BLOCK_H
#define PG_BLOCK_H

#include "detail/block.h"
#include "warp.h"

namespace pg {

// Barrier for all threads of the block.
PG_FN void syncblock(PG_ONLY_SITE) { detail::barrier(PG_ONLY_AT); }

namespace detail {

// How a block splits into full logical warps. A wave that the block does not fill is never used as a
// whole: the logical width is a power of two that divides the block.
template <int Threads>
struct block_shape {
  static_assert(Threads >= 1 && Threads <= 1024, "a block has 1 to 1024 threads");
  static constexpr int divisor = power_of_two_divisor(Threads);
  static constexpr int least_width = divisor < PG_WARP_SIZE_MIN ? divisor : PG_WARP_SIZE_MIN;
  static constexpr int most_groups = Threads / least_width;
};

template <int BX, int BY, int BZ>
PG_FN unsigned block_thread() {
  if constexpr (BY == 1 && BZ == 1) return threadIdx.x;
  else return threadIdx.x + BX * (threadIdx.y + BY * threadIdx.z);
}

template <int BX, int BY, int BZ>
PG_FN void check_block() {
  PG_ASSERT(static_cast<int>(blockDim.x) == BX && static_cast<int>(blockDim.y) == BY &&
            static_cast<int>(blockDim.z) == BZ);
}

// W is the width of a group, G the number of groups: constants on GPUs.
template <int W, int BX, int BY, int BZ, class T, class Op>
PG_FN T block_reduce(T value, Op op, T identity PG_SITE) {
  constexpr int threads = BX * BY * BZ;
  constexpr int groups = threads / W;
  value = reduce<W>(value, op PG_AT);
  if constexpr (groups == 1) {
    return value;
  } else {
    PG_SHARED_ARRAY(T, partial, groups);
    const unsigned thread = block_thread<BX, BY, BZ>();
    if ((thread & (W - 1)) == 0) partial[thread / W] = value;
    barrier(PG_ONLY_AT);
    constexpr int second = next_power_of_two(groups);
    if constexpr (second <= W) {
      constexpr int span = has_native_reduce<T, Op>::value ? W : second;
      const unsigned mine = thread & (span - 1);
      value = mine < groups ? partial[mine] : identity;
      value = reduce_within<W, span>(value, op PG_AT);
    } else {
      value = partial[0];
      for (int i = 1; i < groups; ++i) value = op(value, partial[i]);
    }
    barrier(PG_ONLY_AT);
    return value;
  }
}

template <int W, int BX, int BY, int BZ, class T, class Op>
PG_FN T block_inclusive_scan(T value, Op op, T identity, T* exclusive, T* total PG_SITE) {
  constexpr int threads = BX * BY * BZ;
  constexpr int groups = threads / W;
  const unsigned thread = block_thread<BX, BY, BZ>();
  const unsigned place = thread & (W - 1), group = thread / W;
  const T own = inclusive_scan<W>(value, op PG_AT);
  const T above = shfl_up<W>(own, 1 PG_AT);
  T before = identity;
  if constexpr (groups == 1) {
    *total = shfl<W>(own, W - 1 PG_AT);
  } else {
    PG_SHARED_ARRAY(T, partial, groups);
    if (place == W - 1) partial[group] = own;
    barrier(PG_ONLY_AT);
    constexpr int second = next_power_of_two(groups);
    if constexpr (second <= W) {
      // Every group scans the group totals for itself, so that one barrier is enough.
      const unsigned mine = thread & (second - 1);
      T sums = mine < groups ? partial[mine] : identity;
      sums = inclusive_scan_within<W, second>(sums, op PG_AT);
      *total = shfl<W>(sums, groups - 1 PG_AT);
      const T prefix = shfl<W>(sums, static_cast<int>(group > 0 ? group - 1 : 0) PG_AT);
      if (group > 0) before = prefix;
    } else {
      T running = partial[0];
      for (unsigned i = 1; i < groups; ++i) {
        if (i == group) before = running;
        running = op(running, partial[i]);
      }
      *total = running;
    }
    barrier(PG_ONLY_AT);
  }
  *exclusive = place > 0 ? (group > 0 ? op(before, above) : above) : before;
  return group > 0 ? op(before, own) : own;
}

PG_HDFN constexpr int least(int a, int b) { return a < b ? a : b; }

}  // namespace detail

// Reduction with an associative and commutative `op`, whose identity is given.
template <int BLOCK, int BY = 1, int BZ = 1, class T, class Op>
PG_FN T block_reduce(T value, Op op, typename detail::identity<T>::type identity PG_SITE) {
  constexpr int width = detail::block_shape<BLOCK * BY * BZ>::divisor;
  detail::check_block<BLOCK, BY, BZ>();
  PG_IF_WARP_64 return detail::block_reduce<detail::least(width, 64), BLOCK, BY, BZ>(value, op, identity PG_AT);
  else return detail::block_reduce<detail::least(width, 32), BLOCK, BY, BZ>(value, op, identity PG_AT);
}
template <int BLOCK, int BY = 1, int BZ = 1, class T>
PG_FN T block_sum(T value PG_SITE) {
  return block_reduce<BLOCK, BY, BZ>(value, plus(), identity_of<T>(plus()) PG_AT);
}
template <int BLOCK, int BY = 1, int BZ = 1, class T>
PG_FN T block_min(T value PG_SITE) {
  return block_reduce<BLOCK, BY, BZ>(value, minimum(), identity_of<T>(minimum()) PG_AT);
}
template <int BLOCK, int BY = 1, int BZ = 1, class T>
PG_FN T block_max(T value PG_SITE) {
  return block_reduce<BLOCK, BY, BZ>(value, maximum(), identity_of<T>(maximum()) PG_AT);
}

// Prefix combination in thread order: thread i gets op(v0, ..., vi), or op(v0, ..., v(i-1)) when
// exclusive. `total` receives the combination of all threads. `op` must be associative.
template <int BLOCK, int BY = 1, int BZ = 1, class T, class Op>
PG_FN T block_inclusive_scan(T value, Op op, typename detail::identity<T>::type identity, T* total PG_SITE) {
  constexpr int width = detail::block_shape<BLOCK * BY * BZ>::divisor;
  detail::check_block<BLOCK, BY, BZ>();
  T exclusive;
  PG_IF_WARP_64 return detail::block_inclusive_scan<detail::least(width, 64), BLOCK, BY, BZ>(
      value, op, identity, &exclusive, total PG_AT);
  else return detail::block_inclusive_scan<detail::least(width, 32), BLOCK, BY, BZ>(
      value, op, identity, &exclusive, total PG_AT);
}
template <int BLOCK, int BY = 1, int BZ = 1, class T, class Op>
PG_FN T block_inclusive_scan(T value, Op op, typename detail::identity<T>::type identity PG_SITE) {
  T total;
  return block_inclusive_scan<BLOCK, BY, BZ>(value, op, identity, &total PG_AT);
}
template <int BLOCK, int BY = 1, int BZ = 1, class T, class Op>
PG_FN T block_exclusive_scan(T value, Op op, typename detail::identity<T>::type identity, T* total PG_SITE) {
  constexpr int width = detail::block_shape<BLOCK * BY * BZ>::divisor;
  detail::check_block<BLOCK, BY, BZ>();
  T exclusive;
  PG_IF_WARP_64 detail::block_inclusive_scan<detail::least(width, 64), BLOCK, BY, BZ>(
      value, op, identity, &exclusive, total PG_AT);
  else detail::block_inclusive_scan<detail::least(width, 32), BLOCK, BY, BZ>(
      value, op, identity, &exclusive, total PG_AT);
  return exclusive;
}
template <int BLOCK, int BY = 1, int BZ = 1, class T, class Op>
PG_FN T block_exclusive_scan(T value, Op op, typename detail::identity<T>::type identity PG_SITE) {
  T total;
  return block_exclusive_scan<BLOCK, BY, BZ>(value, op, identity, &total PG_AT);
}

}  // namespace pg

#endif
