// take and take_along: elements, rows or slices picked by an index array.
#include "support/index.cuh"
#include "support/word.cuh"

namespace pgops {
namespace {

constexpr int kGatherUnroll = 2;
constexpr int kGatherItems = 2;  // single elements of a thread

struct gather_args {
  int64_t extent, x_stride;  // of x along the axis
  bool wide;                 // i64 indices
};

// out operands: out, x without the axis, indices.
template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    gather_elements(const W* x, const void* indices, W* out, uint32_t n, gather_args args,
                    const PG_GRID_CONSTANT strided<3> map) {
  const uint32_t first = blockIdx.x * (kMapBlock * kGatherItems) + threadIdx.x;
  W value[kGatherItems];
  int64_t to[kGatherItems];
  PG_UNROLL
  for (int u = 0; u < kGatherItems; ++u) {
    const uint32_t i = first + uint32_t(u) * kMapBlock;
    value[u] = W(0);
    to[u] = 0;
    if (i >= n) continue;
    int64_t at[3];
    map.offsets(i, at);
    to[u] = at[0];
    int64_t index = load_index(indices, at[2], args.wide);
    if (resolve(index, args.extent)) value[u] = x[at[1] + index * args.x_stride];
  }
  PG_UNROLL
  for (int u = 0; u < kGatherItems; ++u)
    if (first + uint32_t(u) * kMapBlock < n) out[to[u]] = value[u];
}

// Contiguous slices of `vectors` 16-byte pieces behind each index: a block copies part of one slice.
// Operands of the map over slices: out, x, indices.
template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    gather_slices(const W* x, const void* indices, W* out, int64_t vectors, uint32_t parts, gather_args args,
                  const PG_GRID_CONSTANT strided<3> map) {
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  int64_t at[3];
  map.offsets(blockIdx.x / parts, at);
  int64_t index = load_index(indices, at[2], args.wide);
  const bool inside = resolve(index, args.extent);
  const int64_t first = int64_t(blockIdx.x % parts) * (kMapBlock * kGatherUnroll) + threadIdx.x;
  const W* from = x + at[1] + index * args.x_stride;
  pg::vec<W, kVec> v[kGatherUnroll];
  PG_UNROLL
  for (int u = 0; u < kGatherUnroll; ++u) {
    const int64_t i = first + u * kMapBlock;
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) v[u][j] = W(0);
    if (inside && i < vectors) v[u] = pg::load_vec<kVec>(from + i * kVec);
  }
  PG_UNROLL
  for (int u = 0; u < kGatherUnroll; ++u) {
    const int64_t i = first + u * kMapBlock;
    if (i < vectors) pg::store_vec<kVec>(out + at[0] + i * kVec, v[u]);
  }
}

template <class W>
int launch_gather(const char* op, layout<3>& map, const view& x, const view& indices, const view& out,
                  gather_args args, void* stream) {
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  const char* index_data = indices.data;
  const int64_t index_item = indices.item();
  const int last = map.ndim - 1;
  // A slice: innermost dimension contiguous in x and out, and the same index for all of it.
  bool slices = map.ndim > 0 && map.stride[last][0] == 1 && map.stride[last][1] == 1 && map.stride[last][2] == 0 &&
                map.size[last] % kVec == 0 && map.size[last] / kVec >= PG_WARP_SIZE_MIN && args.x_stride % kVec == 0 &&
                aligned_for<W>(x.data, kVec) && aligned_for<W>(out.data, kVec) && map.start[0] % kVec == 0 &&
                map.start[1] % kVec == 0;
  for (int d = 0; d < last; ++d)
    slices = slices && map.stride[d][0] % kVec == 0 && map.stride[d][1] % kVec == 0;
  if (slices) {
    layout<3> outer = map;
    const int64_t vectors = map.size[last] / kVec;
    --outer.ndim;
    const int64_t parts = (vectors + kMapBlock * kGatherUnroll - 1) / (kMapBlock * kGatherUnroll);
    if (outer.numel() * parts <= INT32_MAX && outer.numel() <= kChunk)
      return launched(PG_LAUNCH((gather_slices<W>), unsigned(outer.numel() * parts), kMapBlock, 0, stream,
                                reinterpret_cast<const W*>(x.data) + map.start[1],
                                index_data + map.start[2] * index_item, reinterpret_cast<W*>(out.data) + map.start[0],
                                vectors, uint32_t(parts), args, outer.device()), op);
  }
  return for_chunks(map, [&](const layout<3>& piece, const int64_t (&start)[3]) {
    const int64_t n = piece.numel();
    return launched(PG_LAUNCH((gather_elements<W>), blocks_for(n, kMapBlock * kGatherItems), kMapBlock, 0, stream,
                              reinterpret_cast<const W*>(x.data) + start[1], index_data + start[2] * index_item,
                              reinterpret_cast<W*>(out.data) + start[0], uint32_t(n), args, piece.device()), op);
  });
}

int run_gather(const char* op, layout<3>& map, const view& x, const view& indices, const view& out, int axis,
               void* stream) {
  if (map.numel() == 0) return PG_OK;
  if (x.shape[axis] == 0)
    return fail(PG_ERR_SHAPE, "%s: '%s' has no elements along the axis to take", op, x.name);
  map.normalize();
  PG_TRY(check_rank(op, map.ndim));
  const gather_args args{x.shape[axis], x.stride[axis], indices.dtype == PG_I64};
  return dispatch_word(out.item(), [&](auto w) {
    return launch_gather<typename decltype(w)::type>(op, map, x, indices, out, args, stream);
  });
}

int parse_gather(const char* op, const pg_tensor* tx, const pg_tensor* tindices, const pg_tensor* tout, int32_t axis,
                 view& x, view& indices, view& out, int& a) {
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tindices, op, "indices", indices));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(want_index(op, indices));
  PG_TRY(same_dtype(op, x, out));
  PG_TRY(check_dtype<movable_types>(op, x.dtype));
  PG_TRY(normal_axis(op, x, axis, a));
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, x, false));
  return check_alias(op, out, indices, false);
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_take(const pg_tensor* tx, const pg_tensor* tindices, const pg_tensor* tout, int32_t axis,
                              void* stream) {
  view x, indices, out;
  int a = 0;
  PG_TRY(parse_gather("take", tx, tindices, tout, axis, x, indices, out, a));
  bool fits = out.ndim == x.ndim - 1 + indices.ndim;
  layout<3> map;
  for (int o = 0; fits && o < out.ndim; ++o) {
    const int i = o - a, d = o < a ? o : o - indices.ndim + 1;
    const bool indexed = i >= 0 && i < indices.ndim;
    fits = out.shape[o] == (indexed ? indices.shape[i] : x.shape[d]);
    const int64_t s[3] = {out.stride[o], indexed ? 0 : x.stride[d], indexed ? indices.stride[i] : 0};
    map.push(out.shape[o], s);
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "take: 'out' of shape %s does not fit 'x' of shape %s and 'indices' of shape %s",
                shape_text(out).text, shape_text(x).text, shape_text(indices).text);
  return run_gather("take", map, x, indices, out, a, stream);
}

extern "C" PG_API int pg_take_along(const pg_tensor* tx, const pg_tensor* tindices, const pg_tensor* tout,
                                    int32_t axis, void* stream) {
  view x, indices, out;
  int a = 0;
  PG_TRY(parse_gather("take_along", tx, tindices, tout, axis, x, indices, out, a));
  PG_TRY(same_shape("take_along", indices, out));
  bool fits = x.ndim == out.ndim;
  layout<3> map;
  for (int d = 0; fits && d < out.ndim; ++d) {
    fits = d == a || x.shape[d] == out.shape[d];
    const int64_t s[3] = {out.stride[d], d == a ? 0 : x.stride[d], indices.stride[d]};
    map.push(out.shape[d], s);
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "take_along: 'x' of shape %s does not fit 'out' of shape %s apart from the axis",
                shape_text(x).text, shape_text(out).text);
  return run_gather("take_along", map, x, indices, out, a, stream);
}
