// Running combinations along an axis. An Op has acc, identity(), lift(T), merge(earlier, later),
// finish(acc) -> T.
#pragma once

#include "scan_chain.cuh"

namespace pgops {

enum class scan_way { rows, long_rows, strips, lines };

template <class Op, class T>
struct scan_split {
  scan_way way = scan_way::rows;
  int32_t segments = 1;  // of a row
  int64_t segment = 0;

  explicit scan_split(const row_plan& plan) {
    const int64_t n = plan.length, rows = plan.rows;
    if (plan.x_stride == 1 || rows < kRowGroup) {
      if (rows >= 256 || n <= 2 * kLongTile<T>) return;
      way = scan_way::long_rows;
      cut(n, kLongTile<T>);
      return;
    }
    way = scan_way::lines;
    using config = strip_config<Op, T>;
    const int64_t steps = (n + config::kTile - 1) / config::kTile;
    // A tile waits for the one before: not for lines so long and few that this takes longest.
    if (beside_each_other(plan) && rows >= 4 * config::kLines && steps <= rows / config::kLines * 4) {
      way = scan_way::strips;
      cut(n, config::kTile);
      return;
    }
    const int64_t units = (n + 63) / 64;
    if (rows >= 65536 || units < 4) return;
    const int64_t most = 131072 / rows < units / 2 ? 131072 / rows : units / 2;
    if (most >= 2) cut(n, (units + most - 1) / most * 64);
  }

 private:
  void cut(int64_t n, int64_t size) {
    segment = size;
    segments = int32_t((n + size - 1) / size);
  }
  static bool beside_each_other(const row_plan& plan) {
    constexpr int64_t kVec = strip_config<Op, T>::kVec;
    const layout<2>& b = plan.batch;
    if (b.ndim == 0 || plan.rows > kChunk) return false;
    bool fits = plan.x_stride % kVec == 0 && plan.out_stride % kVec == 0 && b.size[b.ndim - 1] % kVec == 0;
    for (int k = 0; k < 2; ++k) {
      fits = fits && b.stride[b.ndim - 1][k] == 1;
      for (int d = 0; d + 1 < b.ndim; ++d) fits = fits && b.stride[d][k] % kVec == 0;
    }
    return fits && plan.aligned;
  }
};

template <class Op, class T>
int run_scan(const char* op, const row_plan& plan, const view& x, const view& out, bool exclusive, bool reverse,
             void* workspace, size_t have, size_t* bytes, void* stream) {
  using acc_t = typename Op::acc;
  const scan_split<Op, T> split(plan);
  carver space(workspace);
  const bool is_long = split.way == scan_way::long_rows, strips = split.way == scan_way::strips;
  const chain<acc_t> links(space, is_long ? plan.rows : 0, is_long ? split.segments : 0);
  awaited<acc_t>* const prefixes = space.take<awaited<acc_t>>(strips ? plan.rows * split.segments : 0);
  const size_t zeroed = is_long || strips ? space.used : 0;
  const bool cut = split.way == scan_way::lines && split.segments > 1;
  acc_t* const totals = space.take<acc_t>(cut ? plan.rows * split.segments : 0);
  const size_t need = zeroed != 0 || cut ? space.used : 0;
  if (bytes != nullptr) {
    *bytes = need;
    return PG_OK;
  }
  PG_TRY(check_workspace(op, workspace, have, need));
  if (zeroed != 0) PG_TRY(launched(pg::memset(workspace, 0, zeroed, stream), op));
  scan_args args{};
  args.segments = split.segments;
  args.segment = split.segment;
  args.length = plan.length;
  args.out_stride = plan.out_stride;
  args.x_stride = plan.x_stride;
  args.vector = plan.vector;
  args.exclusive = exclusive;
  args.reverse = reverse;
  // Rows that are cut are few: one piece.
  return for_chunks(plan.batch, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    args.rows = uint32_t(piece.numel());
    const T* from = reinterpret_cast<const T*>(x.data) + start[1];
    T* to = reinterpret_cast<T*>(out.data) + start[0];
    const strided<2> map = piece.device();
    const int64_t jobs = int64_t(args.rows) * args.segments;
    switch (split.way) {
      case scan_way::rows:
        if (args.length <= kRowGroup * 8)
          return launched(PG_LAUNCH((scan_rows<Op, T, kRowGroup, 8>), blocks_for(args.rows, kRowBlock / kRowGroup),
                                    kRowBlock, 0, stream, from, to, args, map), op);
        return launched(PG_LAUNCH((scan_rows<Op, T, kRowBlock, scan_items<T, acc_t>>), args.rows, kRowBlock, 0, stream, from,
                                  to, args, map), op);
      case scan_way::long_rows:
        return launched(PG_LAUNCH((scan_long<Op, T>), unsigned(jobs), kLongThreads, 0, stream, from, to, links, args,
                                  map), op);
      case scan_way::strips:
        return launched(PG_LAUNCH((scan_strips<Op, T>),
                                  blocks_for(args.rows, strip_config<Op, T>::kLines) * unsigned(args.segments),
                                  kRowBlock, 0, stream, from, to, prefixes, links.ticket, args, map), op);
      default: break;
    }
    if (cut) {
      args.totals_only = true;
      PG_TRY(launched(PG_LAUNCH((scan_lines<Op, T>), blocks_for(jobs, kRowBlock), kRowBlock, 0, stream, from, to,
                                totals, args, map), op));
      PG_TRY(launched(PG_LAUNCH((scan_totals<Op>), blocks_for(args.rows, kRowBlock / kRowGroup), kRowBlock, 0, stream,
                                totals, args.rows, args.segments), op));
      args.totals_only = false;
    }
    return launched(PG_LAUNCH((scan_lines<Op, T>), blocks_for(jobs, kRowBlock), kRowBlock, 0, stream, from, to, totals,
                              args, map), op);
  });
}

template <template <class> class OpOf, class Types>
int scan(const char* op, const pg_tensor* tx, const pg_tensor* tout, int32_t axis, int32_t exclusive, int32_t reverse,
         void* workspace, size_t have, size_t* bytes, void* stream) {
  view x, out;
  int a = 0;
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
