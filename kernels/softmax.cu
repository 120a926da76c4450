// softmax and log-softmax along an axis. Rows up to 16384 elements stay in registers; longer ones are
// read twice by one block; strided axes, and few long rows, take two kernels with a workspace.
#include "support/row.cuh"
#include "support/softmax_op.cuh"

namespace pgops {
namespace {

struct row_args {
  uint32_t rows;
  int64_t length;
  int64_t out_stride, x_stride;
  bool vector, log;
};

template <class T, int kLanes, int kItems>
__global__ void PG_LAUNCH_BOUNDS(row_block<kLanes>)
    softmax_registers(const T* x, T* out, row_args args, const PG_GRID_CONSTANT strided<2> batch) {
  using C = compute_t<T>;
  const int lane = int(threadIdx.x) % kLanes;
  const uint32_t row = blockIdx.x * (row_block<kLanes> / kLanes) + threadIdx.x / kLanes;
  if (row >= args.rows) return;
  const int n = int(args.length);
  int64_t at[2];
  batch.offsets(row, at);
  row_registers<T, kLanes, kItems> r;
  r.load(x + at[1], args.x_stride, n, lane, args.vector, limits<C>::lowest());
  // Each group of lanes by its own maximum, kept finite: infinities and NaN end up in the sum.
  C top = -most_finite<C>();
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) top = pg::fmax(top, r.v[i]);
  top = pg::warp_reduce<kRowGroup>(top, finite_max());
  top = top < most_finite<C>() ? top : most_finite<C>();
  C sum = C(0);
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) {
    const C e = exp_for<T>(r.v[i] - top);
    sum += e;
    if (!args.log) r.v[i] = e;
  }
  sum = pg::warp_reduce<kRowGroup>(sum, pg::plus());
  C all_top = top;
  if constexpr (kLanes > kRowGroup) {
    __shared__ max_sum<C> shared[row_groups<kLanes>];
    const auto other = exchange_groups<kLanes>(max_sum<C>{top, sum}, shared);
    all_top = pg::warp_reduce<row_groups<kLanes>>(other.top, finite_max());
    sum = pg::warp_reduce<row_groups<kLanes>>(other.sum * m::exp(other.top - all_top), pg::plus());
  }
  sum += sum - sum;  // an infinite maximum gives NaN everywhere, as the formula does
  if (args.log) {
    const C shift = m::log(sum);
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) r.v[i] = r.v[i] - all_top - shift;
  } else {
    const C scale = m::exp(top - all_top) / sum;
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) r.v[i] *= scale;
  }
  r.store(out + at[0], args.out_stride, n, lane, args.vector);
}

template <class C>
__device__ __forceinline__ C softmax_of(C x, max_sum<C> s, bool log) {
  const C sum = s.sum + (s.sum - s.sum);  // an infinite maximum gives NaN everywhere, as the formula does
  return log ? x - s.top - m::log(sum) : m::exp(x - s.top) / sum;
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kLongRowBlock)
    softmax_looped(const T* x, T* out, row_args args, const PG_GRID_CONSTANT strided<2> batch) {
  using Op = logsumexp_op<T>;
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  int64_t at[2];
  batch.offsets(blockIdx.x, at);
  const T* from = x + at[1];
  T* to = out + at[0];
  const auto mine = reduce_range<Op>(from, 0, args.length, int(threadIdx.x), kLongRowBlock, true, strided<1>(), false);
  const auto s = pg::block_reduce<kLongRowBlock>(mine, merger<Op>(), Op::identity());
  if (args.vector) {
    for (int64_t i = int64_t(threadIdx.x) * kVec; i < args.length; i += kLongRowBlock * kVec) {
      auto v = pg::load_vec<kVec>(from + i);
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) v[j] = narrow<T>(softmax_of(widen(v[j]), s, args.log));
      pg::store_vec<kVec>(to + i, v);
    }
  } else {
    for (int64_t i = threadIdx.x; i < args.length; i += kLongRowBlock)
      to[i * args.out_stride] = narrow<T>(softmax_of(widen(from[i]), s, args.log));
  }
}

// The reduction's accumulator itself, as the result of the first of two kernels.
template <class T>
struct stats_op : logsumexp_op<T> {
  using acc = typename logsumexp_op<T>::acc;
  static __device__ __forceinline__ acc finish(acc a, reduce_args) { return a; }
};

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    softmax_apply(const T* x, T* out, const max_sum<compute_t<T>>* stats, bool log, uint32_t n,
                  const PG_GRID_CONSTANT strided<3> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[3];
  map.offsets(i, at);
  out[at[0]] = narrow<T>(softmax_of(widen(x[at[1]]), stats[at[2]], log));
}

template <class T>
int softmax_two_kernels(const char* op, const view& x, const view& out, int axis, bool log, void* workspace,
                        size_t have, size_t* bytes, void* stream) {
  using stats = max_sum<compute_t<T>>;
  view reduced = out;  // shape of the stats: C order, extent 1 along the axis
  reduced.shape[axis] = 1;
  int64_t rows = 1;
  for (int d = out.ndim - 1; d >= 0; --d) {
    reduced.stride[d] = rows;
    rows *= reduced.shape[d];
  }
  carver space(workspace);
  stats* each = space.take<stats>(rows);
  reduced.data = nullptr;
  bool flags[PG_MAX_NDIM] = {};
  flags[axis] = true;
  reduce_plan plan;
  PG_TRY(plan_reduce(op, x, reduced, flags, reduce_order::free, plan));
  const size_t partial = reduce_workspace<stats_op<T>>(plan);
  void* part = space.take<char>(int64_t(partial));
  if (bytes != nullptr) {
    *bytes = space.used;
    return PG_OK;
  }
  PG_TRY(check_workspace(op, workspace, have, space.used));
  layout<3> map;
  for (int d = 0; d < out.ndim; ++d) {
    const int64_t s[3] = {out.stride[d], x.stride[d], d == axis ? 0 : reduced.stride[d]};
    map.push(out.shape[d], s);
  }
  map.normalize();
  PG_TRY(check_rank(op, map.ndim));
  PG_TRY((run_reduce<stats_op<T>, T, stats>(op, plan, x.data, each, part, {}, stream)));
  return for_chunks(map, [&](const layout<3>& piece, const int64_t (&start)[3]) {
    const int64_t n = piece.numel();
    return launched(PG_LAUNCH((softmax_apply<T>), blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                              reinterpret_cast<const T*>(x.data) + start[1], reinterpret_cast<T*>(out.data) + start[0],
                              each + start[2], log, uint32_t(n), piece.device()), op);
  });
}

template <class T>
int softmax_rows(const char* op, const row_plan& plan, const view& x, const view& out, bool log, void* stream) {
  return for_chunks(plan.batch, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    const T* from = reinterpret_cast<const T*>(x.data) + start[1];
    T* to = reinterpret_cast<T*>(out.data) + start[0];
    const row_args args{uint32_t(piece.numel()), plan.length, plan.out_stride, plan.x_stride, plan.vector, log};
    if (plan.length > kMostRegisterRow)
      return launched(PG_LAUNCH((softmax_looped<T>), args.rows, kLongRowBlock, 0, stream, from, to, args,
                                piece.device()), op);
    return dispatch_row(plan.length, [&](auto config) {
      using c = decltype(config);
      return launched(PG_LAUNCH((softmax_registers<T, c::lanes, c::items>), blocks_for(args.rows, c::rows_per_block),
                                c::block, 0, stream, from, to, args, piece.device()), op);
    });
  });
}

int softmax(const char* op, const pg_tensor* tx, const pg_tensor* tout, int32_t axis, bool log, void* workspace,
            size_t have, size_t* bytes, void* stream) {
  view x, out;
  int a = 0;
  row_plan plan;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(normal_axis(op, x, axis, a));
  PG_TRY(plan_rows(op, x, out, a, plan));
  return dispatch(op, x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (bytes != nullptr) *bytes = 0;
    if (plan.rows == 0 || plan.length == 0) return int(PG_OK);
    const bool few_long = plan.length > kMostRegisterRow && plan.rows < 64;
    const bool strided_axis = plan.x_stride != 1 && plan.length > kRowGroup;
    if (few_long || strided_axis)
      return softmax_two_kernels<T>(op, x, out, a, log, workspace, have, bytes, stream);
    return bytes != nullptr ? int(PG_OK) : softmax_rows<T>(op, plan, x, out, log, stream);
  });
}

}  // namespace
}  // namespace pgops

#define PG_SOFTMAX(NAME, LOG)                                                                             \
  extern "C" PG_API int pg_##NAME(const pg_tensor* x, const pg_tensor* out, int32_t axis, void* workspace, \
                                  size_t workspace_bytes, void* stream) {                                 \
    return pgops::softmax(#NAME, x, out, axis, LOG, workspace, workspace_bytes, nullptr, stream);         \
  }                                                                                                       \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* x, const pg_tensor* out, int32_t axis,     \
                                              size_t* bytes) {                                            \
    if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, #NAME "_workspace: bytes is NULL");             \
    return pgops::softmax(#NAME, x, out, axis, LOG, nullptr, 0, bytes, nullptr);                          \
  }
PG_SOFTMAX(softmax, false)
PG_SOFTMAX(log_softmax, true)
