// put_along and add_along: updates at indices[.., i, ..] of the same line, in place and deterministic. Lines that fit
// into shared memory take them in order (along_lines.cuh); else positions are sorted by (line, index), and the last of
// equal ones is written, or one thread adds them in order. add_along is the gradient of take_along.
#include "support/along_lines.cuh"
#include "support/sort_pairs.cuh"
#include "support/word.cuh"

namespace pgops {
namespace {

constexpr int64_t kMostAlong = (int64_t(1) << 30) - 1;  // as the sort

struct along_args {
  int64_t extent, stride;  // of out along the axis
  uint32_t count, none;    // updates; the key of those that are skipped
  bool wide;
};

// Operands: indices, the number of the line (which has strides like an array).
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    line_keys(const void* indices, uint32_t* keys, along_args args, const PG_GRID_CONSTANT strided<2> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= args.count) return;
  int64_t at[2];
  map.offsets(i, at);
  int64_t index = load_index(indices, at[0], args.wide);
  keys[i] = resolve(index, args.extent) ? uint32_t(at[1] * args.extent + index) : args.none;
}

template <class T, bool kAdd>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    put_runs(const uint32_t* keys, const int32_t* places, const T* updates, T* out, along_args args,
             const PG_GRID_CONSTANT strided<1> from, const PG_GRID_CONSTANT strided<1> lines) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= args.count) return;
  const uint32_t key = keys[i];
  if (key == args.none) return;
  const uint32_t line = uint32_t(key / uint64_t(args.extent));
  int64_t to[1], at[1];
  lines.offsets(line, to);
  T* const target = out + to[0] + int64_t(key - uint64_t(line) * args.extent) * args.stride;
  if constexpr (kAdd) {
    if (i > 0 && keys[i - 1] == key) return;
    using acc = std::conditional_t<is_float<T>, compute_t<T>, uint64_t>;
    acc sum = acc(widen(*target));
    for (uint32_t k = i; k < args.count && keys[k] == key; ++k) {
      from.offsets(uint32_t(places[k]), at);
      sum += acc(widen(updates[at[0]]));
    }
    if constexpr (is_float<T>) *target = narrow<T>(sum);
    else *target = T(sum);
  } else {
    if (i + 1 < args.count && keys[i + 1] == key) return;
    from.offsets(uint32_t(places[i]), at);
    *target = updates[at[0]];
  }
}

struct along_call {
  const char* op;
  view indices, updates, out;
  layout<2> keys;
  layout<1> from, lines;
  layout<3> whole_lines;  // out, indices, updates
  along_args args{};
  line_args line{};
  uint64_t places = 0;  // lines times extent
};

int plan_along(along_call& c, const pg_tensor* tindices, const pg_tensor* tupdates, const pg_tensor* tout, int32_t axis) {
  int a = 0;
  PG_TRY(parse(tindices, c.op, "indices", c.indices));
  PG_TRY(parse(tupdates, c.op, "updates", c.updates));
  PG_TRY(parse(tout, c.op, "out", c.out));
  PG_TRY(want_index(c.op, c.indices));
  PG_TRY(same_dtype(c.op, c.updates, c.out));
  PG_TRY(normal_axis(c.op, c.out, axis, a));
  PG_TRY(same_shape(c.op, c.updates, c.indices));
  PG_TRY(check_output(c.op, c.out));
  PG_TRY(check_alias(c.op, c.out, c.indices, false));
  PG_TRY(check_alias(c.op, c.out, c.updates, false));
  const view &i = c.indices, &u = c.updates, &o = c.out;
  bool fits = i.ndim == o.ndim;
  int64_t lines = 1;
  for (int d = o.ndim - 1; fits && d >= 0; --d) {
    fits = d == a || i.shape[d] == o.shape[d];
    if (d != a) lines *= o.shape[d];
  }
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'indices' of shape %s does not fit 'out' of shape %s apart from the axis", c.op,
                shape_text(i).text, shape_text(o).text);
  int64_t rest = lines;
  for (int d = 0; d < o.ndim; ++d) {
    if (d != a && o.shape[d] > 0) rest /= o.shape[d];
    const int64_t k[2] = {i.stride[d], d == a ? 0 : rest}, s[1] = {u.stride[d]}, l[1] = {o.stride[d]};
    c.keys.push(i.shape[d], k);
    c.from.push(i.shape[d], s);
    if (d == a) continue;
    c.lines.push(o.shape[d], l);
    const int64_t w[3] = {o.stride[d], i.stride[d], u.stride[d]};
    c.whole_lines.push(o.shape[d], w);
  }
  const int64_t n = i.numel(), extent = o.shape[a];
  if (n > kMostAlong || (extent > 0 && lines > int64_t(UINT32_MAX) / extent - 1))
    return fail(PG_ERR_SIZE, "%s: more than 2^30 - 1 updates, or 2^32 - 2 elements of 'out', are not supported", c.op);
  c.places = uint64_t(lines) * uint64_t(extent);
  c.args = {extent, o.stride[a], uint32_t(n), uint32_t(c.places), i.dtype == PG_I64};
  c.line = {extent, i.shape[a], i.stride[a], u.stride[a], o.stride[a], uint32_t(lines), 0};
  if (n == 0) return PG_OK;
  c.keys.merge();
  c.from.merge();
  c.lines.merge();
  c.whole_lines.merge();
  PG_TRY(check_rank(c.op, c.keys.ndim));
  PG_TRY(check_rank(c.op, c.from.ndim));
  return check_rank(c.op, c.lines.ndim);
}

template <class T, bool kAdd>
int run_along(const along_call& c, const uint32_t* sorted, const int32_t* places, void* stream) {
  return launched(PG_LAUNCH((put_runs<T, kAdd>), blocks_for(c.args.count, kMapBlock), kMapBlock, 0, stream, sorted,
                            places, reinterpret_cast<const T*>(c.updates.data), reinterpret_cast<T*>(c.out.data), c.args,
                            c.from.device(), c.lines.device()), c.op);
}

template <class T, bool kAdd>
int run_lines(const along_call& c, void* stream) {
  const T* const updates = reinterpret_cast<const T*>(c.updates.data);
  T* const out = reinterpret_cast<T*>(c.out.data);
  if (c.args.wide)
    return launch_lines<T, int64_t, kAdd>(c.op, reinterpret_cast<const int64_t*>(c.indices.data), updates, out, c.line,
                                          c.whole_lines, stream);
  return launch_lines<T, int32_t, kAdd>(c.op, reinterpret_cast<const int32_t*>(c.indices.data), updates, out, c.line,
                                        c.whole_lines, stream);
}

using add_types = built_types<types<float, half, bfloat16, int32_t>, types<double, int64_t, uint32_t, uint64_t>>;

int along(const char* op, bool add, const pg_tensor* tindices, const pg_tensor* tupdates, const pg_tensor* tout,
          int32_t axis, void* workspace, size_t have, size_t* bytes, void* stream) {
  along_call c;
  c.op = op;
  PG_TRY(plan_along(c, tindices, tupdates, tout, axis));
  PG_TRY(add ? check_dtype<add_types>(op, c.out.dtype) : check_dtype<movable_types>(op, c.out.dtype));
  const int64_t n = c.args.count;
  const auto with_type = [&](auto fn) {
    if (add) return dispatch(op, c.out.dtype, add_types{}, [&](auto t) { return fn(t, std::true_type{}); });
    return dispatch_word(c.out.item(), [&](auto w) { return fn(w, std::false_type{}); });
  };
  return with_type([&](auto t, auto adds) {
    using T = typename decltype(t)::type;
    constexpr bool kAdd = decltype(adds)::value;
    const bool idle = n == 0 || c.places == 0;
    if (idle || by_lines<T, kAdd>(c.args.extent, c.line.count, c.line.lines)) {
      if (bytes != nullptr) *bytes = 0;
      return idle || bytes != nullptr ? int(PG_OK) : run_lines<T, kAdd>(c, stream);
    }
    int bits = 1;  // of the largest key, which is `none`
    while ((c.places >> bits) != 0) ++bits;
    carver space(workspace);
    uint32_t* keys = space.take<uint32_t>(n);
    uint32_t* sorted = space.take<uint32_t>(n);
    int32_t* places = space.take<int32_t>(n);
    size_t sorting = 0;
    PG_TRY(sort_index_pairs(op, keys, sorted, places, n, bits, nullptr, &sorting, nullptr));
    void* inner = space.take<char>(int64_t(sorting));
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, space.used));
    PG_TRY(launched(PG_LAUNCH(line_keys, blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                              static_cast<const void*>(c.indices.data), keys, c.args, c.keys.device()), op));
    PG_TRY(sort_index_pairs(op, keys, sorted, places, n, bits, inner, nullptr, stream));
    return run_along<T, kAdd>(c, sorted, places, stream);
  });
}

}  // namespace
}  // namespace pgops

#define PG_ALONG(NAME, ADD)                                                                                       \
  extern "C" PG_API int pg_##NAME(const pg_tensor* indices, const pg_tensor* updates, const pg_tensor* out,       \
                                  int32_t axis, void* workspace, size_t workspace_bytes, void* stream) {          \
    return pgops::along(#NAME, ADD, indices, updates, out, axis, workspace, workspace_bytes, nullptr, stream);    \
  }                                                                                                               \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* indices, const pg_tensor* updates,                 \
                                              const pg_tensor* out, int32_t axis, size_t* bytes) {                \
    if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, #NAME "_workspace: bytes is NULL");                     \
    return pgops::along(#NAME, ADD, indices, updates, out, axis, nullptr, 0, bytes, nullptr);                     \
  }
PG_ALONG(put_along, false)
PG_ALONG(add_along, true)
