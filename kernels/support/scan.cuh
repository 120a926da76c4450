// Running combinations along an axis. One pass per row where rows are many; long rows are cut into
// segments: totals, scan of totals, then the scan itself, so results do not depend on timing.
// An Op has acc, identity(), lift(T), merge(earlier, later), finish(acc) -> T.
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

constexpr int kScanItems = 16;
constexpr int kScanBlocks = 3;  // on a multiprocessor, at least
constexpr int64_t kScanTile = int64_t(kRowBlock) * kScanItems;

template <class Op>
struct scan_merge {
  template <class A>
  __device__ __forceinline__ A operator()(A a, A b) const { return Op::merge(a, b); }
};

// kLanes threads scan one segment of a contiguous or strided row, tile by tile. Within a tile every
// group of lanes owns a stretch; a thread owns kVec neighbours in each piece of the stretch.
template <class Op, class T, int kLanes, int kItems>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock, sizeof(typename Op::acc) <= 4 ? kScanBlocks : 2)
    scan_rows(const T* x, T* out, typename Op::acc* totals, scan_args args,
              const PG_GRID_CONSTANT strided<2> batch) {
  using acc_t = typename Op::acc;
  constexpr int kVec = row_registers<T, kLanes, kItems>::kVec;
  constexpr int kPieces = kItems / kVec, kGroups = kLanes / kRowGroup, kTile = kLanes * kItems;
  __shared__ acc_t shared[2][kGroups];  // takes turns, so that one barrier a tile is enough
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) % kLanes / kRowGroup;
  uint32_t job = blockIdx.x * (kRowBlock / kLanes) + threadIdx.x / kLanes;
  // After the totals backwards: what they read last is still in the cache.
  if (args.segments > 1 && !args.totals_only) job = args.rows * uint32_t(args.segments) - 1 - job;
  const uint32_t row = job / uint32_t(args.segments);
  const int32_t part = int32_t(job - row * uint32_t(args.segments));
  if (row >= args.rows) return;
  int64_t at[2];
  batch.offsets(row, at);
  const T* from = x + at[1];
  T* to = out + at[0];
  const int64_t n = args.length, lo = part * args.segment;
  const int64_t hi = args.segments == 1 || lo + args.segment > n ? n : lo + args.segment;
  acc_t carry = args.segments > 1 && !args.totals_only ? totals[job] : Op::identity();

  const int offset = group * (kRowGroup * kItems) + lane * kVec;  // place of item 0 in a tile
  const int step = args.reverse ? -1 : 1;
  int64_t mine = args.reverse ? n - 1 - lo - offset : lo + offset;  // element of item 0
  int turn = 0;
  for (int64_t base = lo; base < hi; base += kTile, mine += kTile * step) {
    const int count = hi - base < kTile ? int(hi - base) : kTile;
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
        PG_UNROLL
        for (int j = 0; j < kVec; ++j)
          v[p * kVec + j] = inside ? Op::lift(args.reverse ? raw[p][kVec - 1 - j] : raw[p][j]) : Op::identity();
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
    if (args.totals_only) continue;
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
        const T r = Op::finish(value);
        if (args.vector) result[args.reverse ? kVec - 1 - j : j] = r;
        else if (offset + place + j < count) to[(mine + (place + j) * step) * args.out_stride] = r;
      }
      if (args.vector && offset + place < count)
        pg::store_vec<kVec>(to + mine + place * step - (args.reverse ? kVec - 1 : 0), result);
    }
  }
  if (args.totals_only && int(threadIdx.x) % kLanes == 0) totals[job] = carry;
}

// The axis is not the contiguous one: a thread walks a segment of its own line.
template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    scan_columns(const T* x, T* out, typename Op::acc* totals, scan_args args,
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

// Exclusive scan of the totals of each row, in place; kLanes threads, a group or the block, per row.
template <class Op, int kLanes>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock) scan_totals(typename Op::acc* totals, uint32_t rows, int32_t segments) {
  using acc_t = typename Op::acc;
  const int lane = int(threadIdx.x) % kLanes;
  const uint32_t row = (blockIdx.x * kRowBlock + threadIdx.x) / kLanes;
  if (row >= rows) return;
  acc_t* mine = totals + int64_t(row) * segments;
  acc_t carry = Op::identity();
  for (int32_t base = 0; base < segments; base += kLanes) {
    const acc_t v = base + lane < segments ? mine[base + lane] : Op::identity();
    if constexpr (kLanes > kRowGroup) {
      acc_t total;
      const acc_t below = pg::block_exclusive_scan<kLanes>(v, scan_merge<Op>(), Op::identity(), &total);
      if (base + lane < segments) mine[base + lane] = Op::merge(carry, below);
      carry = Op::merge(carry, total);
      continue;
    }
    const acc_t upto = pg::warp_inclusive_scan<kRowGroup>(v, scan_merge<Op>());
    const acc_t below = pg::shfl_up<kRowGroup>(upto, 1);
    if (base + lane < segments) mine[base + lane] = lane == 0 ? carry : Op::merge(carry, below);
    carry = Op::merge(carry, pg::shfl<kRowGroup>(upto, kRowGroup - 1));
  }
}

struct scan_split {
  bool by_rows;
  int32_t segments = 1;
  int64_t segment = 0;
};

inline scan_split split_scan(const row_plan& plan) {
  scan_split s;
  s.by_rows = plan.x_stride == 1 || plan.rows < kRowGroup;
  const int64_t wanted = s.by_rows ? 4096 : 131072, enough = s.by_rows ? 256 : 65536;
  const int64_t unit = s.by_rows ? kScanTile : 64;
  const int64_t units = (plan.length + unit - 1) / unit;
  if (plan.rows >= enough || units < 4) return s;
  int64_t segments = wanted / plan.rows < units / 2 ? wanted / plan.rows : units / 2;
  if (segments < 2) return s;
  s.segment = (units + segments - 1) / segments * unit;
  s.segments = int32_t((plan.length + s.segment - 1) / s.segment);
  return s;
}

template <class Op, class T>
int launch_scan(const char* op, const T* from, T* to, typename Op::acc* totals, const scan_args& args, bool by_rows,
                const strided<2>& batch, void* stream) {
  if (!by_rows)
    return launched(PG_LAUNCH((scan_columns<Op, T>), blocks_for(int64_t(args.rows) * args.segments, kRowBlock),
                              kRowBlock, 0, stream, from, to, totals, args, batch), op);
  if (args.length <= kRowGroup * 8)
    return launched(PG_LAUNCH((scan_rows<Op, T, kRowGroup, 8>), blocks_for(args.rows, kRowBlock / kRowGroup),
                              kRowBlock, 0, stream, from, to, totals, args, batch), op);
  return launched(PG_LAUNCH((scan_rows<Op, T, kRowBlock, kScanItems>), unsigned(int64_t(args.rows) * args.segments),
                            kRowBlock, 0, stream, from, to, totals, args, batch), op);
}

template <class Op, class T>
int run_scan(const char* op, const row_plan& plan, const view& x, const view& out, bool exclusive, bool reverse,
             void* workspace, size_t have, size_t* bytes, void* stream) {
  using acc_t = typename Op::acc;
  const scan_split split = split_scan(plan);
  const size_t need = split.segments > 1 ? size_t(plan.rows) * size_t(split.segments) * sizeof(acc_t) : 0;
  if (bytes != nullptr) {
    *bytes = need;
    return PG_OK;
  }
  PG_TRY(check_workspace(op, workspace, have, need));
  acc_t* totals = static_cast<acc_t*>(workspace);
  scan_args args{};
  args.segments = split.segments;
  args.segment = split.segment;
  args.length = plan.length;
  args.out_stride = plan.out_stride;
  args.x_stride = plan.x_stride;
  args.vector = plan.vector;
  args.exclusive = exclusive;
  args.reverse = reverse;
  return for_chunks(plan.batch, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    args.rows = uint32_t(piece.numel());
    const T* from = reinterpret_cast<const T*>(x.data) + start[1];
    T* to = reinterpret_cast<T*>(out.data) + start[0];
    if (split.segments > 1) {  // rows are few then: one piece
      args.totals_only = true;
      PG_TRY((launch_scan<Op, T>(op, from, to, totals, args, split.by_rows, piece.device(), stream)));
      PG_TRY(launched(args.segments > 2 * kRowGroup
                          ? PG_LAUNCH((scan_totals<Op, kRowBlock>), args.rows, kRowBlock, 0, stream, totals,
                                      args.rows, args.segments)
                          : PG_LAUNCH((scan_totals<Op, kRowGroup>), blocks_for(args.rows, kRowBlock / kRowGroup),
                                      kRowBlock, 0, stream, totals, args.rows, args.segments), op));
      args.totals_only = false;
    }
    return launch_scan<Op, T>(op, from, to, totals, args, split.by_rows, piece.device(), stream);
  });
}

template <template <class> class OpOf, class Types>
int scan(const char* op, const pg_tensor* tx, const pg_tensor* tout, int32_t axis, int32_t exclusive, int32_t reverse,
         void* workspace, size_t have, size_t* bytes, void* stream) {
  view x, out;
  int a;
  row_plan plan;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(normal_axis(op, x, axis, a));
  PG_TRY(plan_rows(op, x, out, a, plan));
  return dispatch(op, x.dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (bytes != nullptr) *bytes = 0;
    if (plan.rows == 0 || plan.length == 0) return int(PG_OK);
    return run_scan<OpOf<T>, T>(op, plan, x, out, exclusive != 0, reverse != 0, workspace, have, bytes, stream);
  });
}

using scan_types = built_types<types<float, half, bfloat16, int32_t>,
                               types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

}  // namespace pgops

#define PG_SCAN(NAME, OP)                                                                                          \
  extern "C" PG_API int pg_##NAME(const pg_tensor* x, const pg_tensor* out, int32_t axis, int32_t exclusive,       \
                                  int32_t reverse, void* workspace, size_t workspace_bytes, void* stream) {        \
    return pgops::scan<OP, pgops::scan_types>(#NAME, x, out, axis, exclusive, reverse, workspace, workspace_bytes, \
                                              nullptr, stream);                                                    \
  }                                                                                                                \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* x, const pg_tensor* out, int32_t axis,              \
                                              int32_t exclusive, int32_t reverse, size_t* bytes) {                 \
    if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, #NAME "_workspace: bytes is NULL");                      \
    return pgops::scan<OP, pgops::scan_types>(#NAME, x, out, axis, exclusive, reverse, nullptr, 0, bytes,          \
                                              nullptr);                                                            \
  }
