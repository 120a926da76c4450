// Scatters along an axis, in place and deterministic: positions are sorted by index, then one thread per
// element combines what is there with its updates, in order.
// An Op<T> has acc, lift(T) -> acc, merge(earlier, later) and finish(acc) -> T.
#pragma once

#include "index.cuh"
#include "sort_pairs.cuh"
#include "word.cuh"

namespace pgops {

constexpr int kCombineUnroll = 4;
constexpr int64_t kMostUpdates = (int64_t(1) << 30) - 1;  // as the sort

struct scatter_call {
  const char* op;
  view indices, updates, out;
  int axis = 0;
  int64_t count = 0;         // indices
  int64_t extent = 0;        // of out along the axis
  bool wide = false;         // i64 indices
  layout<1> index_layout;    // of the index array
  layout<1> update_layout;   // of updates over the index dimensions
  layout<2> slice;           // the other dimensions: out, updates
  int64_t axis_stride = 0;   // of out
};

inline int plan_scatter(scatter_call& c, const pg_tensor* tindices, const pg_tensor* tupdates, const pg_tensor* tout,
                 int32_t axis) {
  PG_TRY(parse(tindices, c.op, "indices", c.indices));
  PG_TRY(parse(tupdates, c.op, "updates", c.updates));
  PG_TRY(parse(tout, c.op, "out", c.out));
  PG_TRY(want_index(c.op, c.indices));
  PG_TRY(same_dtype(c.op, c.updates, c.out));
  PG_TRY(normal_axis(c.op, c.out, axis, c.axis));
  PG_TRY(check_output(c.op, c.out));
  PG_TRY(check_alias(c.op, c.out, c.indices, false));
  PG_TRY(check_alias(c.op, c.out, c.updates, false));
  const view &i = c.indices, &u = c.updates, &o = c.out;
  const int a = c.axis;
  bool fits = u.ndim == o.ndim - 1 + i.ndim;
  for (int d = 0; fits && d < u.ndim; ++d) {
    const int k = d - a, od = d < a ? d : d - i.ndim + 1;
    if (k >= 0 && k < i.ndim) {
      fits = u.shape[d] == i.shape[k];
      const int64_t s[1] = {u.stride[d]}, t[1] = {i.stride[k]};
      c.update_layout.push(u.shape[d], s);
      c.index_layout.push(i.shape[k], t);
    } else {
      fits = u.shape[d] == o.shape[od];
      const int64_t s[2] = {o.stride[od], u.stride[d]};
      c.slice.push(u.shape[d], s);
    }
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'updates' of shape %s does not fit 'out' of shape %s and 'indices' of shape %s",
                c.op, shape_text(u).text, shape_text(o).text, shape_text(i).text);
  c.count = c.indices.numel();
  c.extent = o.shape[a];
  c.axis_stride = o.stride[a];
  c.wide = i.dtype == PG_I64;
  if (c.count > kMostUpdates || c.extent > kMostUpdates)
    return fail(PG_ERR_SIZE, "%s: more than 2^30 - 1 indices, or an axis longer than that, are not supported", c.op);
  if (c.count == 0 || c.slice.numel() == 0) return PG_OK;
  c.index_layout.merge();
  c.update_layout.merge();
  c.slice.normalize();
  PG_TRY(check_rank(c.op, c.index_layout.ndim));
  PG_TRY(check_rank(c.op, c.update_layout.ndim));
  return check_rank(c.op, c.slice.ndim);
}

// Indices in [0, extent) as they are, all others as `extent`.
static __global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    resolve_indices(const void* indices, uint32_t* keys, uint32_t count, int64_t extent, bool wide,
                    const PG_GRID_CONSTANT strided<1> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= count) return;
  int64_t at[1];
  map.offsets(i, at);
  int64_t index = load_index(indices, at[0], wide);
  keys[i] = uint32_t(resolve(index, extent) ? index : extent);
}

struct slice_args {
  uint32_t first, count;  // positions of this launch
  uint32_t total;         // all positions
  fast_div units;         // of a slice: elements, or vectors of them
  int64_t extent, axis_stride;
};

// The thread at the first of a run of equal keys combines the whole run with what is there.
template <template <class> class Op, class T, int kVec>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    combine_slices(const uint32_t* keys, const int32_t* places, const T* updates, T* out, slice_args args,
                   const PG_GRID_CONSTANT strided<1> positions, const PG_GRID_CONSTANT strided<2> slice) {
  using op = Op<T>;
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  const uint32_t local = args.units.div(i);
  if (local >= args.count) return;
  const uint32_t position = args.first + local, unit = i - local * args.units.divisor;
  const uint32_t key = keys[position];
  if (key >= args.extent || (position > 0 && keys[position - 1] == key)) return;
  int64_t at[2];
  slice.offsets(unit * kVec, at);
  T* const target = out + at[0] + int64_t(key) * args.axis_stride;
  const auto old = pg::load_vec<kVec>(target);
  typename op::acc sum[kVec];
  PG_UNROLL
  for (int j = 0; j < kVec; ++j) sum[j] = op::lift(old[j]);
  for (uint32_t k = position; k < args.total && keys[k] == key; k += kCombineUnroll) {
    pg::vec<T, kVec> v[kCombineUnroll];
    bool live[kCombineUnroll];
    PG_UNROLL
    for (int u = 0; u < kCombineUnroll; ++u) {
      live[u] = k + u < args.total && keys[k + u] == key;
      if (live[u]) {
        int64_t from[1];
        positions.offsets(uint32_t(places[k + u]), from);
        v[u] = pg::load_vec<kVec>(updates + at[1] + from[0]);
      }
    }
    PG_UNROLL
    for (int u = 0; u < kCombineUnroll; ++u)
      if (live[u]) {
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) sum[j] = op::merge(sum[j], op::lift(v[u][j]));
      }
  }
  pg::vec<T, kVec> result;
  PG_UNROLL
  for (int j = 0; j < kVec; ++j) result[j] = op::finish(sum[j]);
  pg::store_vec<kVec>(target, result);
}

// Whether slices can be moved in 16-byte pieces.
inline bool by_vectors(const scatter_call& c, int vec) {
  const auto& s = c.slice;
  if (s.ndim == 0 || s.stride[s.ndim - 1][0] != 1 || s.stride[s.ndim - 1][1] != 1 || s.size[s.ndim - 1] % vec != 0)
    return false;
  bool even = c.axis_stride % vec == 0 && s.start[0] % vec == 0 && s.start[1] % vec == 0;
  for (int d = 0; d + 1 < s.ndim; ++d) even = even && s.stride[d][0] % vec == 0 && s.stride[d][1] % vec == 0;
  for (int d = 0; d < c.update_layout.ndim; ++d) even = even && c.update_layout.stride[d][0] % vec == 0;
  return even && reinterpret_cast<uintptr_t>(c.out.data) % kVectorBytes == 0 &&
         reinterpret_cast<uintptr_t>(c.updates.data) % kVectorBytes == 0;
}

// Calls fn(args, slice piece) so that positions x units of each launch fit 30 bits.
template <class Fn>
int for_slices(const scatter_call& c, int vec, Fn fn) {
  return for_chunks(c.slice, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    const int64_t units = piece.numel() / vec;
    slice_args args{};
    args.units = fast_div(uint32_t(units));
    args.total = uint32_t(c.count);
    args.extent = c.extent;
    args.axis_stride = c.axis_stride;
    const int64_t step = kChunk / units > 0 ? kChunk / units : 1;
    for (int64_t first = 0; first < c.count; first += step) {
      args.first = uint32_t(first);
      args.count = uint32_t(c.count - first < step ? c.count - first : step);
      PG_TRY(fn(args, blocks_for(args.count * units, kMapBlock), piece.device(), start[0], start[1]));
    }
    return int(PG_OK);
  });
}

inline int launch_resolve(const scatter_call& c, uint32_t* keys, void* stream) {
  return launched(PG_LAUNCH(resolve_indices, blocks_for(c.count, kMapBlock), kMapBlock, 0, stream, c.indices.data,
                            keys, uint32_t(c.count), c.extent, c.wide, c.index_layout.device()), c.op);
}

template <template <class> class Op, class Types>
int scatter_combine(scatter_call& c, void* workspace, size_t have, size_t* bytes, void* stream) {
  int bits = 1;  // of the largest key, which is `extent`
  while ((c.extent >> bits) != 0) ++bits;
  size_t sorting = 0;
  carver space(workspace);
  uint32_t* keys = space.take<uint32_t>(c.count);
  uint32_t* sorted = space.take<uint32_t>(c.count);
  int32_t* places = space.take<int32_t>(c.count);
  PG_TRY(sort_index_pairs(c.op, keys, sorted, places, c.count, bits, nullptr, &sorting, nullptr));
  void* inner = space.take<char>(int64_t(sorting));
  if (bytes != nullptr) {
    *bytes = space.used;
    return PG_OK;
  }
  PG_TRY(check_workspace(c.op, workspace, have, space.used));
  return dispatch(c.op, c.out.dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    constexpr int kVec = kVectorBytes / int(sizeof(T));
    PG_TRY(launch_resolve(c, keys, stream));
    PG_TRY(sort_index_pairs(c.op, keys, sorted, places, c.count, bits, inner, nullptr, stream));
    const bool vectors = by_vectors(c, kVec);
    return for_slices(c, vectors ? kVec : 1, [&](const slice_args& args, unsigned blocks, const strided<2>& slice,
                                                 int64_t out_at, int64_t updates_at) {
      const T* from = reinterpret_cast<const T*>(c.updates.data) + updates_at;
      T* to = reinterpret_cast<T*>(c.out.data) + out_at;
      const strided<1> positions = c.update_layout.device();
      return launched(vectors ? PG_LAUNCH((combine_slices<Op, T, kVec>), blocks, kMapBlock, 0, stream, sorted, places, from,
                                          to, args, positions, slice)
                              : PG_LAUNCH((combine_slices<Op, T, 1>), blocks, kMapBlock, 0, stream, sorted, places, from, to,
                                          args, positions, slice), c.op);
    });
  });
}

template <template <class> class Op, class Types>
int scatter_op(const char* op, const pg_tensor* indices, const pg_tensor* updates, const pg_tensor* out, int32_t axis,
               void* workspace, size_t have, size_t* bytes, void* stream) {
  scatter_call c;
  c.op = op;
  PG_TRY(plan_scatter(c, indices, updates, out, axis));
  PG_TRY(check_dtype<Types>(op, c.out.dtype));
  if (bytes != nullptr) *bytes = 0;
  if (c.count == 0 || c.slice.numel() == 0 || c.extent == 0) return PG_OK;
  return scatter_combine<Op, Types>(c, workspace, have, bytes, stream);
}

using combine_types = built_types<types<float, half, bfloat16, int32_t>, types<double, int64_t, uint32_t, uint64_t>>;

}  // namespace pgops

// The function behind an op comes after its name.
#define PG_SCATTER(NAME, ...)                                                                                      \
  extern "C" PG_API int pg_##NAME(const pg_tensor* indices, const pg_tensor* updates, const pg_tensor* out,        \
                                  int32_t axis, void* workspace, size_t workspace_bytes, void* stream) {           \
    return (__VA_ARGS__)(#NAME, indices, updates, out, axis, workspace, workspace_bytes, nullptr, stream);         \
  }                                                                                                                \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* indices, const pg_tensor* updates,                  \
                                              const pg_tensor* out, int32_t axis, size_t* bytes) {                 \
    if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, #NAME "_workspace: bytes is NULL");                      \
    return (__VA_ARGS__)(#NAME, indices, updates, out, axis, nullptr, 0, bytes, nullptr);                          \
  }
