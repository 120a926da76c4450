// Compaction in order, without atomics: flagged elements are counted by tile, the counts scanned, and each
// element told its place. Flagged element i gets its rank; others follow all flagged ones, also in order.
#pragma once

#include "elementwise.cuh"

namespace pgops {

constexpr int kCompactBlock = 256;
constexpr int kCompactGroup = PG_WARP_SIZE_MIN;
constexpr int kCompactGroups = kCompactBlock / kCompactGroup;
constexpr int kCompactItems = 16;  // of a thread, one group apart
constexpr int64_t kCompactTile = int64_t(kCompactBlock) * kCompactItems;
constexpr int64_t kMostCompacted = (int64_t(1) << 31) - 1 - kCompactTile;

inline int64_t compact_tiles(int64_t n) { return (n + kCompactTile - 1) / kCompactTile; }

// The caller's first element: a group has neighbours, its lanes take turns.
__device__ __forceinline__ uint32_t first_of_lane() {
  const uint32_t group = threadIdx.x / kCompactGroup, lane = threadIdx.x % kCompactGroup;
  return blockIdx.x * uint32_t(kCompactTile) + group * (kCompactGroup * kCompactItems) + lane;
}

// Bit i: the caller's element i is flagged.
template <class Flag>
__device__ __forceinline__ uint32_t flag_bits(const Flag& flag, uint32_t first, uint32_t n) {
  uint32_t bits = 0;
  PG_UNROLL_N(4)
  for (int i = 0; i < kCompactItems; ++i) {
    const uint32_t element = first + uint32_t(i * kCompactGroup);
    if (element < n && flag(element)) bits |= 1u << i;
  }
  return bits;
}

template <class Flag>
__global__ void PG_LAUNCH_BOUNDS(kCompactBlock)
    count_flags(const PG_GRID_CONSTANT Flag flag, uint32_t* counts, uint32_t n) {
  const int mine = pg::popc(flag_bits(flag, first_of_lane(), n));
  const int total = pg::block_sum<kCompactBlock>(mine);
  if (threadIdx.x == 0) counts[blockIdx.x] = uint32_t(total);
}

// Exclusive scan in place by one block; counts[tiles] and, as an index, *total become the sum.
static __global__ void PG_LAUNCH_BOUNDS(kCompactBlock)
    scan_counts(uint32_t* counts, uint32_t tiles, void* total, bool wide) {
  uint32_t carry = 0;
  for (uint32_t base = 0; base < tiles; base += kCompactBlock) {
    const uint32_t i = base + threadIdx.x;
    const uint32_t own = i < tiles ? counts[i] : 0u;
    uint32_t sum;
    const uint32_t before = pg::block_exclusive_scan<kCompactBlock>(own, pg::plus(), 0u, &sum);
    if (i < tiles) counts[i] = carry + before;
    carry += sum;
  }
  if (threadIdx.x != 0) return;
  counts[tiles] = carry;
  if (total == nullptr) return;
  if (wide) *static_cast<int64_t*>(total) = carry;
  else *static_cast<int32_t*>(total) = int32_t(carry);
}

// Calls place(i, flagged, at) for every element.
template <class Flag, class Place>
__global__ void PG_LAUNCH_BOUNDS(kCompactBlock)
    place_flags(const PG_GRID_CONSTANT Flag flag, const PG_GRID_CONSTANT Place place, const uint32_t* counts,
                uint32_t tiles, uint32_t n) {
  __shared__ uint32_t in_group[kCompactGroups];
  const int lane = int(threadIdx.x) % kCompactGroup, group = int(threadIdx.x) / kCompactGroup;
  const uint32_t first = first_of_lane();
  const uint32_t bits = flag_bits(flag, first, n);
  const uint32_t sum = uint32_t(pg::warp_sum<kCompactGroup>(pg::popc(bits)));
  if (lane == 0) in_group[group] = sum;
  __syncthreads();
  uint32_t before = counts[blockIdx.x];
  for (int g = 0; g < group; ++g) before += in_group[g];
  const uint32_t total = counts[tiles];
  PG_UNROLL_N(4)
  for (int i = 0; i < kCompactItems; ++i) {
    const uint32_t element = first + uint32_t(i * kCompactGroup);
    const bool flagged = (bits >> i & 1) != 0;
    const pg::lane_mask peers = pg::ballot<kCompactGroup>(flagged);
    const uint32_t at = before + uint32_t(pg::popcount(pg::lanes_below(peers, lane)));
    before += uint32_t(pg::popcount(peers));
    if (element < n) place(element, flagged, flagged ? at : total + (element - at));
  }
}

// Runs the three steps; counts has compact_tiles(n) + 1 words.
template <class Flag, class Place>
int run_compact(const char* op, const Flag& flag, const Place& place, uint32_t* counts, int64_t n, void* total,
                bool wide, void* stream) {
  const unsigned tiles = unsigned(compact_tiles(n));
  if (tiles != 0)
    PG_TRY(launched(PG_LAUNCH((count_flags<Flag>), tiles, kCompactBlock, 0, stream, flag, counts, uint32_t(n)), op));
  PG_TRY(launched(PG_LAUNCH(scan_counts, 1, kCompactBlock, 0, stream, counts, tiles, total, wide), op));
  if (tiles == 0) return PG_OK;
  return launched(PG_LAUNCH((place_flags<Flag, Place>), tiles, kCompactBlock, 0, stream, flag, place, counts, tiles,
                            uint32_t(n)), op);
}

// Checks a 'count' output: a scalar index.
inline int check_count(const char* op, const view& count) {
  PG_TRY(want_index(op, count));
  if (count.ndim == 0) return PG_OK;
  return fail(PG_ERR_SHAPE, "%s: 'count' must have no dimensions, not shape %s", op, shape_text(count).text);
}

// Checks an output that takes what is found: one dimension, as many elements as there could be.
inline int check_found(const char* op, const view& found, int64_t n) {
  PG_TRY(check_output(op, found));
  if (found.ndim == 1 && found.shape[0] == n) return PG_OK;
  return fail(PG_ERR_SHAPE, "%s: '%s' must have shape (%lld), not %s", op, found.name, static_cast<long long>(n),
              shape_text(found).text);
}

inline int check_compacted(const char* op, int64_t n) {
  if (n <= kMostCompacted) return PG_OK;
  return fail(PG_ERR_SIZE, "%s: more than %lld elements are not supported", op, static_cast<long long>(kMostCompacted));
}

}  // namespace pgops
