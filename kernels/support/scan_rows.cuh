// Running combinations by one block or group of lanes a row, and by one thread a line.
#pragma once

#include "row.cuh"

namespace pgops {

struct scan_args {
  uint32_t rows;
  int32_t segments;
  int64_t length, segment;  // elements of a row, of a segment (whole tiles)
  int64_t out_stride, x_stride;
  bool vector, exclusive, reverse;
  bool totals_only;  // first of the three steps
};

// Values that need many registers: pairs of doubles, and 64-bit integers, whose arithmetic takes more of them.
template <class T, class A>
constexpr bool scan_wide = sizeof(A) > 8 || (sizeof(T) > 4 && std::is_integral_v<T>);
template <class T, class A>
constexpr int scan_items = scan_wide<T, A> ? 8 : 16;  // elements of a thread
// On a multiprocessor, at least: what hides the memory's latency. AMD has other registers.
template <int kBytes>
constexpr int kScanBlocks = !PG_TARGET_CUDA ? 1 : kBytes <= 4 ? 3 : 2;
constexpr int kLongBlocks = PG_TARGET_CUDA ? 5 : 1;

// The same elements backwards. Under a uniform branch: choosing between halves, which are structs, would
// go through memory.
template <class V>
__device__ __forceinline__ void flip(V& piece) {
  PG_UNROLL
  for (int j = 0; j < V::size() / 2; ++j) {
    const auto other = piece[j];
    piece[j] = piece[V::size() - 1 - j];
    piece[V::size() - 1 - j] = other;
  }
}

template <class Op>
struct scan_merge {
  template <class A>
  __device__ __forceinline__ A operator()(A a, A b) const { return Op::merge(a, b); }
};

// kLanes threads scan one contiguous or strided row, tile by tile. Within a tile every
// group of lanes owns a stretch; a thread owns kVec neighbours in each piece of the stretch.
template <class Op, class T, int kLanes, int kItems>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock, kScanBlocks<sizeof(typename Op::acc)>)
    scan_rows(const T* x, T* out, scan_args args, const PG_GRID_CONSTANT strided<2> batch) {
  using acc_t = typename Op::acc;
  constexpr int kVec = row_registers<T, kLanes, kItems>::kVec;
  constexpr int kPieces = kItems / kVec, kGroups = kLanes / kRowGroup, kTile = kLanes * kItems;
  __shared__ acc_t shared[2][kGroups];  // takes turns, so that one barrier a tile is enough
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) % kLanes / kRowGroup;
  const uint32_t row = blockIdx.x * (kRowBlock / kLanes) + threadIdx.x / kLanes;
  if (row >= args.rows) return;
  int64_t at[2];
  batch.offsets(row, at);
  const T* from = x + at[1];
  T* to = out + at[0];
  const int64_t n = args.length;
  acc_t carry = Op::identity();

  const int offset = group * (kRowGroup * kItems) + lane * kVec;  // place of item 0 in a tile
  const int step = args.reverse ? -1 : 1;
  int64_t mine = args.reverse ? n - 1 - offset : offset;  // element of item 0
  int turn = 0;
  for (int64_t base = 0; base < n; base += kTile, mine += kTile * step) {
    const int count = n - base < kTile ? int(n - base) : kTile;
    acc_t v[kItems], before[kPieces];
    if (args.vector) {
      const T* piece = from + (args.reverse ? mine - (kVec - 1) : mine);
      pg::vec<T, kVec> raw[kPieces];
      PG_UNROLL
      for (int p = 0; p < kPieces; ++p)
        if (offset + p * (kRowGroup * kVec) < count) raw[p] = pg::load_vec<kVec>(piece + p * (kRowGroup * kVec) * step);
      PG_UNROLL
      for (int p = 0; p < kPieces; ++p) {
        const bool inside = offset + p * (kRowGroup * kVec) < count;
        if (args.reverse) flip(raw[p]);
        PG_UNROLL
        for (int j = 0; j < kVec; ++j)
          v[p * kVec + j] = inside ? Op::lift(raw[p][j]) : Op::identity();
      }
    } else {
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int place = i / kVec * (kRowGroup * kVec) + i % kVec;
        v[i] = offset + place < count ? Op::lift(from[(mine + place * step) * args.x_stride]) : Op::identity();
      }
    }
    acc_t stretch = Op::identity();  // what the group has before the current piece
    PG_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      PG_UNROLL
      for (int j = 1; j < kVec; ++j) v[p * kVec + j] = Op::merge(v[p * kVec + j - 1], v[p * kVec + j]);
      const acc_t upto = pg::warp_inclusive_scan<kRowGroup>(v[p * kVec + kVec - 1], scan_merge<Op>());
      const acc_t below = pg::shfl_up<kRowGroup>(upto, 1);
      before[p] = lane == 0 ? stretch : Op::merge(stretch, below);
      stretch = Op::merge(stretch, pg::shfl<kRowGroup>(upto, kRowGroup - 1));
    }
    acc_t start = carry;
    if constexpr (kGroups > 1) {
      if (lane == 0) shared[turn][group] = stretch;
      __syncthreads();
      PG_UNROLL
      for (int g = 0; g < kGroups; ++g) {
        if (g == group) start = carry;
        carry = Op::merge(carry, shared[turn][g]);
      }
      turn ^= 1;
    } else {
      carry = Op::merge(carry, stretch);
    }
    PG_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      const acc_t first = Op::merge(start, before[p]);
      const int place = p * (kRowGroup * kVec);
      pg::vec<T, kVec> result;
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) {
        acc_t value;
        if (!args.exclusive) value = Op::merge(first, v[p * kVec + j]);
        else value = j == 0 ? first : Op::merge(first, v[p * kVec + (j > 0 ? j - 1 : 0)]);
        result[j] = Op::finish(value);
        if (!args.vector && offset + place + j < count) to[(mine + (place + j) * step) * args.out_stride] = result[j];
      }
      if (args.reverse) flip(result);
      if (args.vector && offset + place < count)
        pg::store_vec<kVec>(to + mine + place * step - (args.reverse ? kVec - 1 : 0), result);
    }
  }
}

// The axis is not the contiguous one: a thread walks a segment of its own line.
template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    scan_lines(const T* x, T* out, typename Op::acc* totals, scan_args args,
                 const PG_GRID_CONSTANT strided<2> batch) {
  using acc_t = typename Op::acc;
  constexpr int kUnroll = 8;
  const int64_t job = int64_t(blockIdx.x) * kRowBlock + threadIdx.x;  // lines are neighbours
  const int64_t part = job / args.rows;
  const uint32_t row = uint32_t(job - part * args.rows);
  if (part >= args.segments) return;
  int64_t at[2];
  batch.offsets(row, at);
  const int64_t n = args.length, lo = part * args.segment;
  const int64_t hi = args.segments == 1 || lo + args.segment > n ? n : lo + args.segment;
  const int64_t step = args.reverse ? -1 : 1, origin = args.reverse ? n - 1 : 0;
  const T* from = x + at[1] + origin * args.x_stride;
  T* to = out + at[0] + origin * args.out_stride;
  const int64_t total_at = int64_t(row) * args.segments + part;
  acc_t carry = args.segments > 1 && !args.totals_only ? totals[total_at] : Op::identity();
  for (int64_t i = lo; i < hi; i += kUnroll) {
    T raw[kUnroll];
    PG_UNROLL
    for (int u = 0; u < kUnroll; ++u)
      if (i + u < hi) raw[u] = from[(i + u) * step * args.x_stride];
    PG_UNROLL
    for (int u = 0; u < kUnroll; ++u)
      if (i + u < hi) {
        const acc_t next = Op::merge(carry, Op::lift(raw[u]));
        if (!args.totals_only) to[(i + u) * step * args.out_stride] = Op::finish(args.exclusive ? carry : next);
        carry = next;
      }
  }
  if (args.totals_only) totals[total_at] = carry;
}

}  // namespace pgops
