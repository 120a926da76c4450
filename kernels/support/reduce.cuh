// Reductions over any axes of any layout, deterministic: partial results go to a workspace, no atomics.
// An Op on elements of T has
//   acc                                     trivially copyable accumulator
//   static acc identity()
//   static acc lift(const pg::vec<T, N>&, int64_t first)   N elements with consecutive indices
//   static acc merge(acc, acc)              associative, commutative
//   static acc absorb(acc, vectors[K])      optional: many elements at once, where that is cheaper
//   static R finish(acc, reduce_args), or static void put(R* out, int64_t at, acc, reduce_args)
#pragma once

#include "elementwise.cuh"
#include "layout.cuh"
#include "math.cuh"
#include "types.cuh"

namespace pgops {

struct reduce_args {
  int64_t count = 0;    // elements reduced into one
  double parameter = 0;
};

constexpr int kReduceBlock = 256;
constexpr int kReduceGroup = 8;             // lanes that share a short row
constexpr int64_t kShortRow = 512;          // elements up to which a group takes a row
constexpr int kReduceUnroll = 4;            // loads in flight per thread
constexpr int64_t kReduceBlocks = 2048;     // blocks wanted when rows alone are too few
constexpr int64_t kLeastSplit = 8192;       // elements below which splitting a row does not pay
constexpr int kColumnLanes = PG_WARP_SIZE_MIN;
constexpr int kColumnRows = kReduceBlock / kColumnLanes;
constexpr int64_t kLeastColumns = 16;


template <class Op>
struct merger {
  template <class A>
  __device__ __forceinline__ A operator()(A a, A b) const { return Op::merge(a, b); }
};

template <class Op, class = void>
struct has_put : std::false_type {};
template <class Op>
struct has_put<Op, std::void_t<decltype(&Op::put)>> : std::true_type {};

template <class Op, class V, class = void>
struct has_absorb : std::false_type {};
template <class Op, class V>
struct has_absorb<Op, V, std::void_t<decltype(Op::absorb(Op::identity(), std::declval<const V&>()))>>
    : std::true_type {};

// Whether every element takes an exponential in double, which needs the registers that several loads in flight
// would.
template <class Op, class T>
constexpr bool heavy_double = sizeof(T) == 8 && has_absorb<Op, pg::vec<T, kVectorBytes / int(sizeof(T))>[1]>::value;
template <class Op, class T>
constexpr int reduce_unroll = heavy_double<Op, T> ? 1 : kReduceUnroll;

// Columns a thread of a column reduction owns: a 16-byte load, unless accumulators would not fit.
template <class Op, class T>
constexpr int column_vector =
    kVectorBytes / int(sizeof(T)) * int(sizeof(typename Op::acc)) * kReduceBlock <= 32768 && !heavy_double<Op, T>
        ? kVectorBytes / int(sizeof(T)) : kVectorBytes / int(sizeof(T)) / 2;

template <class Op, class R>
__device__ __forceinline__ void put_result(R* out, int64_t at, typename Op::acc acc, const reduce_args& args) {
  if constexpr (has_put<Op>::value) Op::put(out, at, acc, args);
  else out[at] = Op::finish(acc, args);
}

// Element offset in a layout for an index of 63 bits; divides in 32 bits where it can.
__device__ __forceinline__ int64_t offset_of(const strided<1>& map, int64_t index, bool wide) {
  if (map.ndim <= 1) return map.ndim == 0 ? 0 : index * map.stride[0][0];
  if (!wide) {
    int64_t at[1];
    map.offsets(uint32_t(index), at);
    return at[0];
  }
  int64_t at = 0;
  for (int d = map.ndim - 1; d > 0; --d) {
    const int64_t next = index / map.size[d].divisor;
    at += (index - next * map.size[d].divisor) * map.stride[d][0];
    index = next;
  }
  return at + index * map.stride[0][0];
}

// What `lanes` threads of which this is number `lane` make of elements [lo, hi) of one row.
template <class Op, class T>
__device__ __forceinline__ typename Op::acc reduce_range(const T* row, int64_t lo, int64_t hi, int lane, int lanes,
                                                         bool contiguous, const strided<1>& map, bool wide) {
  typename Op::acc acc = Op::identity();
  if (contiguous) {
    constexpr int kVec = kVectorBytes / int(sizeof(T));
    const T* p = row + lo;
    constexpr int kUnroll = reduce_unroll<Op, T>;
    const int64_t n = hi - lo;
    // Rows of odd length start anywhere: single elements up to the first 16-byte boundary.
    int64_t head = int64_t((kVectorBytes - reinterpret_cast<uintptr_t>(p) % kVectorBytes) % kVectorBytes / sizeof(T));
    if (head > n) head = n;
    const int64_t vectors = (n - head) / kVec;
    int64_t i = lane;
    for (; i + (kUnroll - 1) * lanes < vectors; i += kUnroll * lanes) {
      pg::vec<T, kVec> v[kUnroll];
      PG_UNROLL
      for (int u = 0; u < kUnroll; ++u) v[u] = pg::load_vec<kVec>(p + head + (i + u * lanes) * kVec);
      if constexpr (has_absorb<Op, pg::vec<T, kVec>[kUnroll]>::value) {
        acc = Op::absorb(acc, v);
      } else {
        PG_UNROLL
        for (int u = 0; u < kUnroll; ++u)
          acc = Op::merge(acc, Op::lift(v[u], lo + head + (i + u * lanes) * kVec));
      }
    }
    for (; i < vectors; i += lanes)
      acc = Op::merge(acc, Op::lift(pg::load_vec<kVec>(p + head + i * kVec), lo + head + i * kVec));
    const int64_t body = head + vectors * kVec;
    const int64_t singles = head + (n - body);
    for (int64_t s = lane; s < singles; s += lanes) {
      const int64_t at = s < head ? s : body + (s - head);
      pg::vec<T, 1> v;
      v[0] = p[at];
      acc = Op::merge(acc, Op::lift(v, lo + at));
    }
  } else {
    for (int64_t i = lo + lane; i < hi; i += lanes) {
      pg::vec<T, 1> v;
      v[0] = row[offset_of(map, i, wide)];
      acc = Op::merge(acc, Op::lift(v, i));
    }
  }
  return acc;
}

// kLanes threads reduce one row, or one split of it.
template <class Op, class T, class R, int kLanes>
__global__ void PG_LAUNCH_BOUNDS(kReduceBlock)
    reduce_rows(const T* x, R* out, typename Op::acc* partial, uint32_t rows, int32_t splits, int64_t length,
                const PG_GRID_CONSTANT strided<2> kept, const PG_GRID_CONSTANT strided<1> reduced, bool contiguous,
                bool wide, reduce_args args) {
  constexpr int kPerBlock = kReduceBlock / kLanes;
  const int lane = int(threadIdx.x) % kLanes;
  uint32_t row = blockIdx.x * kPerBlock + threadIdx.x / kLanes;
  int32_t split = 0;
  if (splits > 1) {
    split = int32_t(row % uint32_t(splits));
    row /= uint32_t(splits);
  }
  if (row >= rows) return;
  const int64_t lo = splits > 1 ? length * split / splits : 0;
  const int64_t hi = splits > 1 ? length * (split + 1) / splits : length;
  int64_t at[2];
  kept.offsets(row, at);
  typename Op::acc acc = reduce_range<Op>(x + at[1], lo, hi, lane, kLanes, contiguous, reduced, wide);
  if constexpr (kLanes == kReduceBlock) acc = pg::block_reduce<kReduceBlock>(acc, merger<Op>(), Op::identity());
  else acc = pg::warp_reduce<kLanes>(acc, merger<Op>());
  if (lane == 0) {
    if (splits > 1) partial[int64_t(split) * rows + row] = acc;
    else put_result<Op>(out, at[0], acc, args);
  }
}

// Kept dimension innermost and contiguous: every thread owns kVec columns, threads in y share the rows.
template <class Op, class T, class R>
__global__ void PG_LAUNCH_BOUNDS(kReduceBlock)
    reduce_columns(const T* x, R* out, typename Op::acc* partial, uint32_t rows, int32_t splits, int64_t length,
                   uint32_t columns, const PG_GRID_CONSTANT strided<2> kept,
                   const PG_GRID_CONSTANT strided<1> reduced, bool aligned, bool wide, reduce_args args) {
  constexpr int kVec = column_vector<Op, T>;
  constexpr int kTile = kColumnLanes * kVec;
  using acc_t = typename Op::acc;
  __shared__ acc_t shared[kColumnRows][kTile];
  const int lane = int(threadIdx.x) % kColumnLanes, y = int(threadIdx.x) / kColumnLanes;
  const uint32_t tiles = (columns + kTile - 1) / kTile;
  uint32_t block = blockIdx.x;
  const uint32_t tile = block % tiles;
  block /= tiles;
  const int32_t split = int32_t(block % uint32_t(splits));
  const uint32_t outer = block / uint32_t(splits);
  const uint32_t first = outer * columns + tile * kTile;  // kept index of the tile's first column
  const int width = columns - tile * kTile < uint32_t(kTile) ? int(columns - tile * kTile) : kTile;
  const int64_t lo = length * split / splits, hi = length * (split + 1) / splits;
  int64_t at[2];
  kept.offsets(first, at);
  const T* base = x + at[1];

  acc_t acc[kVec];
  PG_UNROLL
  for (int i = 0; i < kVec; ++i) acc[i] = Op::identity();
  const auto take = [&](const pg::vec<T, kVec>& v, int64_t r) {
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) {
      pg::vec<T, 1> one;
      one[0] = v[i];
      acc[i] = Op::merge(acc[i], Op::lift(one, r));
    }
  };
  const bool vector = aligned && width == kTile;
  if (vector) {
    constexpr int kUnroll = reduce_unroll<Op, T>;
    int64_t r = lo + y;
    for (; r + (kUnroll - 1) * kColumnRows < hi; r += kUnroll * kColumnRows) {
      pg::vec<T, kVec> v[kUnroll];
      PG_UNROLL
      for (int u = 0; u < kUnroll; ++u)
        v[u] = pg::load_vec<kVec>(base + offset_of(reduced, r + u * kColumnRows, wide) + lane * kVec);
      PG_UNROLL
      for (int u = 0; u < kUnroll; ++u) take(v[u], r + u * kColumnRows);
    }
    for (; r < hi; r += kColumnRows) take(pg::load_vec<kVec>(base + offset_of(reduced, r, wide) + lane * kVec), r);
  } else {
    for (int64_t r = lo + y; r < hi; r += kColumnRows) {
      const T* line = base + offset_of(reduced, r, wide);
      PG_UNROLL
      for (int i = 0; i < kVec; ++i)
        if (i * kColumnLanes + lane < width) {
          pg::vec<T, 1> one;
          one[0] = line[i * kColumnLanes + lane];
          acc[i] = Op::merge(acc[i], Op::lift(one, r));
        }
    }
  }
  PG_UNROLL
  for (int i = 0; i < kVec; ++i) shared[y][vector ? lane * kVec + i : i * kColumnLanes + lane] = acc[i];
  __syncthreads();
  for (int c = int(threadIdx.x); c < width; c += kReduceBlock) {
    acc_t total = shared[0][c];
    for (int i = 1; i < kColumnRows; ++i) total = Op::merge(total, shared[i][c]);
    if (splits > 1) {
      partial[int64_t(split) * rows + first + c] = total;
    } else {
      int64_t to[2];
      kept.offsets(first + uint32_t(c), to);
      put_result<Op>(out, to[0], total, args);
    }
  }
}

// Second pass: merges the partial results of each row. `side` rows a block (1, or the column lanes).
template <class Op, class R>
__global__ void PG_LAUNCH_BOUNDS(kReduceBlock)
    reduce_partials(const typename Op::acc* partial, R* out, uint32_t rows, int32_t splits, int32_t side,
                    const PG_GRID_CONSTANT strided<2> kept, reduce_args args) {
  using acc_t = typename Op::acc;
  __shared__ acc_t shared[kReduceBlock];
  const int place = int(threadIdx.x) % side, y = int(threadIdx.x) / side, ys = kReduceBlock / side;
  const uint32_t row = blockIdx.x * uint32_t(side) + uint32_t(place);
  acc_t acc = Op::identity();
  if (row < rows)
    for (int32_t s = y; s < splits; s += ys) acc = Op::merge(acc, partial[int64_t(s) * rows + row]);
  shared[threadIdx.x] = acc;
  for (int step = ys / 2; step > 0; step /= 2) {
    __syncthreads();
    if (y < step) {
      acc = Op::merge(acc, shared[threadIdx.x + step * side]);
      shared[threadIdx.x] = acc;
    }
  }
  if (y == 0 && row < rows) {
    int64_t at[2];
    kept.offsets(row, at);
    put_result<Op>(out, at[0], acc, args);
  }
}

// Host: what a reduction looks like after merging dimensions.
struct reduce_plan {
  layout<2> kept;     // operands: out, x
  layout<1> reduced;  // operand: x
  int64_t rows = 1, length = 1, start = 0;
  bool by_columns = false, contiguous = false, wide = false, short_rows = false;
  int32_t splits = 1;
};

enum class reduce_order { free, by_index };  // by_index: reduced indices count in C order

// `out` has x's dimensions without the reduced ones, or with extent 1 in their place.
inline int plan_reduce(const char* op, const view& x, const view& out, const bool (&is_reduced)[PG_MAX_NDIM],
                       reduce_order order, reduce_plan& plan) {
  int reduced = 0;
  for (int d = 0; d < x.ndim; ++d) reduced += is_reduced[d];
  const bool keeps = out.ndim == x.ndim;
  bool fits = keeps || out.ndim == x.ndim - reduced;
  for (int d = 0, o = 0; fits && d < x.ndim; ++d) {
    if (is_reduced[d]) {
      const int64_t s[1] = {x.stride[d]};
      plan.reduced.push(x.shape[d], s);
      if (keeps) fits = out.shape[o++] == 1;
    } else {
      fits = out.shape[o] == x.shape[d];
      const int64_t s[2] = {out.stride[o], x.stride[d]};
      plan.kept.push(x.shape[d], s);
      ++o;
    }
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: '%s' has shape %s, which is not what reducing %d of the axes of %s gives", op,
                out.name, shape_text(out).text, reduced, shape_text(x).text);
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, x, false));
  plan.rows = plan.kept.numel();
  plan.length = plan.reduced.numel();
  if (plan.rows == 0) return PG_OK;
  if (plan.length > 0) {
    plan.kept.normalize();
    if (order == reduce_order::free) plan.reduced.normalize();
    else plan.reduced.merge();
  } else {
    plan.kept.merge();
    plan.reduced = layout<1>();
  }
  PG_TRY(check_rank(op, plan.kept.ndim));
  PG_TRY(check_rank(op, plan.reduced.ndim));
  plan.start = plan.kept.start[1] + plan.reduced.start[0];
  plan.contiguous = plan.reduced.contiguous(0);
  plan.wide = plan.length > kChunk;
  const auto& k = plan.kept;
  plan.by_columns = plan.length > 1 && k.ndim > 0 && k.stride[k.ndim - 1][1] == 1 &&
                    k.size[k.ndim - 1] >= kLeastColumns && plan.rows <= kChunk;
  plan.short_rows = !plan.by_columns && plan.length <= kShortRow;
  if (!plan.short_rows && plan.length > 1) {
    const int64_t tile = kColumnLanes * (kVectorBytes / x.item());
    const int64_t columns = plan.by_columns ? k.size[k.ndim - 1] : 1;
    const int64_t blocks = plan.by_columns ? plan.rows / columns * ((columns + tile - 1) / tile) : plan.rows;
    const int64_t least = plan.by_columns ? 64 : kLeastSplit;  // rows of a column tile; elements of a row
    int64_t splits = kReduceBlocks / (blocks > 0 ? blocks : 1);
    if (splits > plan.length / least) splits = plan.length / least;
    plan.splits = splits > 1 ? int32_t(splits) : 1;
  }
  return PG_OK;
}

template <class Op>
size_t reduce_workspace(const reduce_plan& plan) {
  return plan.splits > 1 ? size_t(plan.splits) * size_t(plan.rows) * sizeof(typename Op::acc) : 0;
}

template <class Op, class T, class R>
int run_reduce(const char* op, const reduce_plan& plan, const void* data, R* out, void* workspace, reduce_args args,
               void* stream) {
  using acc = typename Op::acc;
  if (plan.rows == 0) return PG_OK;
  args.count = plan.length;
  const T* x = static_cast<const T*>(data) + plan.start;
  out += plan.kept.start[0];
  acc* partial = static_cast<acc*>(workspace);
  const strided<1> reduced = plan.reduced.device();
  if (plan.by_columns) {
    const auto& k = plan.kept;
    constexpr int kVec = column_vector<Op, T>;
    bool aligned = aligned_for<T>(x, kVec);
    for (int d = 0; d + 1 < k.ndim; ++d) aligned = aligned && k.stride[d][1] % kVec == 0;
    for (int d = 0; d < plan.reduced.ndim; ++d) aligned = aligned && plan.reduced.stride[d][0] % kVec == 0;
    const uint32_t columns = uint32_t(k.size[k.ndim - 1]);
    const uint32_t tiles = (columns + kColumnLanes * kVec - 1) / (kColumnLanes * kVec);
    const int64_t blocks = int64_t(plan.rows / columns) * tiles * plan.splits;
    PG_TRY(launched(PG_LAUNCH((reduce_columns<Op, T, R>), unsigned(blocks), kReduceBlock, 0, stream, x, out, partial,
                              uint32_t(plan.rows), plan.splits, plan.length, columns, k.device(), reduced, aligned,
                              plan.wide, args), op));
  } else {
    PG_TRY(for_chunks(plan.kept, [&](const layout<2>& piece, const int64_t (&start)[2]) {
      const int64_t rows = piece.numel();
      const T* from = x + (start[1] - plan.kept.start[1]);
      R* to = out + (start[0] - plan.kept.start[0]);
      if (plan.short_rows)
        return launched(PG_LAUNCH((reduce_rows<Op, T, R, kReduceGroup>),
                                  blocks_for(rows, kReduceBlock / kReduceGroup), kReduceBlock, 0, stream, from, to,
                                  partial, uint32_t(rows), plan.splits, plan.length, piece.device(), reduced,
                                  plan.contiguous, plan.wide, args), op);
      return launched(PG_LAUNCH((reduce_rows<Op, T, R, kReduceBlock>), unsigned(rows * plan.splits), kReduceBlock, 0,
                                stream, from, to, partial, uint32_t(rows), plan.splits, plan.length, piece.device(),
                                reduced, plan.contiguous, plan.wide, args), op);
    }));
  }
  if (plan.splits == 1) return PG_OK;
  const int32_t side = plan.rows >= kColumnLanes ? kColumnLanes : 1;
  return launched(PG_LAUNCH((reduce_partials<Op, R>), blocks_for(plan.rows, side), kReduceBlock, 0, stream, partial,
                            out, uint32_t(plan.rows), plan.splits, side, plan.kept.device(), args), op);
}

// The axes argument of a reduction as one flag per dimension; none given means all.
inline int parse_axes(const char* op, const view& x, const int32_t* axes, int32_t naxes, bool (&flags)[PG_MAX_NDIM]) {
  for (bool& f : flags) f = false;
  if (naxes < 0 || (naxes > 0 && axes == nullptr))
    return fail(PG_ERR_AXIS, "%s: %d axes given%s", op, int(naxes), axes ? "" : " with a NULL list");
  if (naxes == 0)
    for (int d = 0; d < x.ndim; ++d) flags[d] = true;
  for (int i = 0; i < naxes; ++i) {
    int axis = 0;
    PG_TRY(normal_axis(op, x, axes[i], axis));
    if (flags[axis]) return fail(PG_ERR_AXIS, "%s: axis %d is given twice", op, axis);
    flags[axis] = true;
  }
  return PG_OK;
}

enum class reduce_empty { identity, error };

// Whole op: `bytes` non-null asks for the workspace size only.
template <class Op, class T, class R>
int reduce_typed(const char* op, const view& x, const view& out, const bool (&flags)[PG_MAX_NDIM],
                 reduce_order order, reduce_empty empty, reduce_args args, void* workspace, size_t have, size_t* bytes,
                 void* stream) {
  reduce_plan plan;
  PG_TRY(plan_reduce(op, x, out, flags, order, plan));
  if (plan.length == 0 && plan.rows > 0 && empty == reduce_empty::error)
    return fail(PG_ERR_SHAPE, "%s: nothing to reduce: '%s' has shape %s", op, x.name, shape_text(x).text);
  const size_t need = reduce_workspace<Op>(plan);
  if (bytes != nullptr) {
    *bytes = need;
    return PG_OK;
  }
  PG_TRY(check_workspace(op, workspace, have, need));
  return run_reduce<Op, T, R>(op, plan, x.data, reinterpret_cast<R*>(out.data), workspace, args, stream);
}

// OpOf<T> over the built types; Result void means x's type.
template <template <class> class OpOf, class Types, class Result = void>
int reduce(const char* op, const pg_tensor* tx, const pg_tensor* tout, const int32_t* axes, int32_t naxes,
           reduce_empty empty, double parameter, void* workspace, size_t have, size_t* bytes, void* stream) {
  view x, out;
  bool flags[PG_MAX_NDIM];
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(parse_axes(op, x, axes, naxes, flags));
  return dispatch(op, x.dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
    PG_TRY(want_dtype(op, out, type_code<R>::value));
    reduce_args args;
    args.parameter = parameter;
    return reduce_typed<OpOf<T>, T, R>(op, x, out, flags, reduce_order::free, empty, args, workspace, have, bytes,
                                       stream);
  });
}

}  // namespace pgops

#define PG_REDUCE(NAME, OP, TYPES, EMPTY, PARAMETER, ...)                                                       \
  extern "C" PG_API int pg_##NAME(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes, \
                                  void* workspace, size_t workspace_bytes, void* stream) {                      \
    return pgops::reduce<OP, TYPES, ##__VA_ARGS__>(#NAME, x, out, axes, naxes, EMPTY, PARAMETER, workspace,     \
                                                   workspace_bytes, nullptr, stream);                           \
  }                                                                                                             \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* x, const pg_tensor* out, const int32_t* axes,    \
                                              int32_t naxes, size_t* bytes) {                                   \
    if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, #NAME "_workspace: bytes is NULL");                   \
    return pgops::reduce<OP, TYPES, ##__VA_ARGS__>(#NAME, x, out, axes, naxes, EMPTY, PARAMETER, nullptr, 0,    \
                                                   bytes, nullptr);                                             \
  }
