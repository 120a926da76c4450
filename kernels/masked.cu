// Ops with masks: fill, select (compaction), scatter (expansion), and the places that are not zero.
#include "support/compact.cuh"
#include "support/word.cuh"

#include <initializer_list>

namespace pgops {
namespace {

// Whether element i of an array in C order, here the only operand, is true.
struct mask_flag {
  const bool* mask;
  strided<1> map;
  __device__ __forceinline__ bool operator()(uint32_t i) const {
    int64_t at[1];
    map.offsets(i, at);
    return mask[at[0]];
  }
};

template <class W>
struct nonzero_flag {
  const W* x;
  W ignored;  // bits that do not count: the sign of zero
  strided<1> map;
  __device__ __forceinline__ bool operator()(uint32_t i) const {
    int64_t at[1];
    map.offsets(i, at);
    return W(x[at[0]] & W(~ignored)) != W(0);
  }
};

template <class W>
struct select_place {
  const W* x;
  W* values;
  int64_t stride;
  strided<1> map;  // of x
  __device__ __forceinline__ void operator()(uint32_t i, bool flagged, uint32_t at) const {
    W value = W(0);
    if (flagged) {
      int64_t from[1];
      map.offsets(i, from);
      value = x[from[0]];
    }
    values[int64_t(at) * stride] = value;
  }
};

struct index_place {
  void* indices;
  int64_t stride;
  bool wide;
  __device__ __forceinline__ void operator()(uint32_t i, bool flagged, uint32_t at) const {
    const int64_t value = flagged ? int64_t(i) : 0;
    if (wide) static_cast<int64_t*>(indices)[int64_t(at) * stride] = value;
    else static_cast<int32_t*>(indices)[int64_t(at) * stride] = int32_t(value);
  }
};

template <class W>
struct expand_place {
  const W* source;
  W* out;
  int64_t available;
  strided<1> from, to;
  __device__ __forceinline__ void operator()(uint32_t i, bool flagged, uint32_t at) const {
    if (!flagged || int64_t(at) >= available) return;
    int64_t s[1], o[1];
    from.offsets(at, s);
    to.offsets(i, o);
    out[o[0]] = source[s[0]];
  }
};

// The dimensions of an array, in C order and merged.
int in_order(const char* op, const view& v, layout<1>& plan) {
  for (int d = 0; d < v.ndim; ++d) {
    const int64_t s[1] = {v.stride[d]};
    plan.push(v.shape[d], s);
  }
  plan.merge();
  return check_rank(op, plan.ndim);
}

template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    fill_contiguous(const W* x, const bool* mask, W* out, W value, int64_t n, bool aligned) {
  constexpr int kVec = kVectorBytes / int(sizeof(W));
  const int64_t at = (int64_t(blockIdx.x) * kMapBlock + threadIdx.x) * kVec;
  if (aligned && at + kVec <= n) {
    const auto flags = pg::load_vec<kVec>(mask + at);
    auto v = pg::load_vec<kVec>(x + at);
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) v[j] = flags[j] ? value : v[j];
    pg::store_vec<kVec>(out + at, v);
  } else {
    for (int64_t i = at; i < at + kVec && i < n; ++i) out[i] = mask[i] ? value : x[i];
  }
}

// Operands: out, x, mask.
template <class W>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    fill_strided(const W* x, const bool* mask, W* out, W value, uint32_t n, const PG_GRID_CONSTANT strided<3> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[3];
  map.offsets(i, at);
  out[at[0]] = mask[at[2]] ? value : x[at[1]];
}

template <class W>
int launch_fill(const layout<3>& plan, const W* x, const bool* mask, W* out, W value, void* stream) {
  const int64_t n = plan.numel();
  if (n == 0) return PG_OK;
  if (plan.contiguous(0) && plan.contiguous(1) && plan.contiguous(2)) {
    constexpr int kVec = kVectorBytes / int(sizeof(W));
    x += plan.start[1];
    mask += plan.start[2];
    out += plan.start[0];
    const bool aligned = aligned_for<W>(x, kVec) && aligned_for<W>(out, kVec) && aligned_for<bool>(mask, kVec);
    return for_grids(n, int64_t(kMapBlock) * kVec, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((fill_contiguous<W>), blocks_for(count, int64_t(kMapBlock) * kVec), kMapBlock, 0,
                                stream, x + first, mask + first, out + first, value, count, aligned), "masked_fill");
    });
  }
  return for_chunks(plan, [&](const layout<3>& piece, const int64_t (&start)[3]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((fill_strided<W>), blocks_for(count, kMapBlock), kMapBlock, 0, stream, x + start[1],
                              mask + start[2], out + start[0], value, uint32_t(count), piece.device()), "masked_fill");
  });
}

// What both that write what they found have to check; `asked`: only for the bytes of workspace.
int check_compaction(const char* op, const view& found, const view& count, int64_t n,
                     std::initializer_list<const view*> inputs, void* workspace, size_t have, size_t* bytes,
                     uint32_t*& counts, bool& asked) {
  PG_TRY(check_count(op, count));
  PG_TRY(check_found(op, found, n));
  for (const view* in : inputs) {
    PG_TRY(check_alias(op, found, *in, false));
    PG_TRY(check_alias(op, count, *in, false));
  }
  PG_TRY(check_alias(op, count, found, false));
  PG_TRY(check_compacted(op, n));
  carver space(workspace);
  counts = space.take<uint32_t>(compact_tiles(n) + 1);
  asked = bytes != nullptr;
  if (asked) *bytes = space.used;
  return asked ? int(PG_OK) : check_workspace(op, workspace, have, space.used);
}

int masked_select(const pg_tensor* tx, const pg_tensor* tmask, const pg_tensor* tvalues, const pg_tensor* tcount,
                  void* workspace, size_t have, size_t* bytes, void* stream) {
  const char* op = "masked_select";
  view x, mask, values, count;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tmask, op, "mask", mask));
  PG_TRY(parse(tvalues, op, "values", values));
  PG_TRY(parse(tcount, op, "count", count));
  PG_TRY(want_dtype(op, mask, PG_BOOL));
  PG_TRY(same_dtype(op, x, values));
  PG_TRY(check_dtype<movable_types>(op, x.dtype));
  PG_TRY(broadcast_to(op, mask, x));
  const int64_t n = x.numel();
  bool asked = false;
  uint32_t* counts = nullptr;
  PG_TRY(check_compaction(op, values, count, n, {&x, &mask}, workspace, have, bytes, counts, asked));
  if (asked) return PG_OK;
  layout<1> from, flags;
  if (n != 0) {
    PG_TRY(in_order(op, x, from));
    PG_TRY(in_order(op, mask, flags));
  }
  return dispatch_word(x.item(), [&](auto w) {
    using W = typename decltype(w)::type;
    const mask_flag flag{reinterpret_cast<const bool*>(mask.data), flags.device()};
    const select_place<W> place{reinterpret_cast<const W*>(x.data), reinterpret_cast<W*>(values.data),
                                values.stride[0], from.device()};
    return run_compact(op, flag, place, counts, n, count.data, count.dtype == PG_I64, stream);
  });
}

int masked_scatter(const pg_tensor* tmask, const pg_tensor* tsource, const pg_tensor* tout, void* workspace,
                   size_t have, size_t* bytes, void* stream) {
  const char* op = "masked_scatter";
  view mask, source, out;
  PG_TRY(parse(tmask, op, "mask", mask));
  PG_TRY(parse(tsource, op, "source", source));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(want_dtype(op, mask, PG_BOOL));
  PG_TRY(same_dtype(op, source, out));
  PG_TRY(check_dtype<movable_types>(op, out.dtype));
  PG_TRY(broadcast_to(op, mask, out));
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, mask, false));
  PG_TRY(check_alias(op, out, source, false));
  const int64_t n = out.numel(), available = source.numel();
  PG_TRY(check_compacted(op, n));
  PG_TRY(check_compacted(op, available));
  carver space(workspace);
  uint32_t* counts = space.take<uint32_t>(compact_tiles(n) + 1);
  if (bytes != nullptr) {
    *bytes = n == 0 ? 0 : space.used;
    return PG_OK;
  }
  if (n == 0) return PG_OK;
  PG_TRY(check_workspace(op, workspace, have, space.used));
  if (available == 0) return PG_OK;
  layout<1> to, from, flags;
  PG_TRY(in_order(op, out, to));
  PG_TRY(in_order(op, source, from));
  PG_TRY(in_order(op, mask, flags));
  return dispatch_word(out.item(), [&](auto w) {
    using W = typename decltype(w)::type;
    const mask_flag flag{reinterpret_cast<const bool*>(mask.data), flags.device()};
    const expand_place<W> place{reinterpret_cast<const W*>(source.data), reinterpret_cast<W*>(out.data), available,
                                from.device(), to.device()};
    return run_compact(op, flag, place, counts, n, nullptr, false, stream);
  });
}

int nonzero(const pg_tensor* tx, const pg_tensor* tindices, const pg_tensor* tcount, void* workspace, size_t have,
            size_t* bytes, void* stream) {
  const char* op = "flat_nonzero";
  view x, indices, count;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tindices, op, "indices", indices));
  PG_TRY(parse(tcount, op, "count", count));
  PG_TRY(check_dtype<movable_types>(op, x.dtype));
  PG_TRY(want_index(op, indices));
  const int64_t n = x.numel();
  bool asked = false;
  uint32_t* counts = nullptr;
  PG_TRY(check_compaction(op, indices, count, n, {&x}, workspace, have, bytes, counts, asked));
  if (asked) return PG_OK;
  layout<1> plan;
  if (n != 0) PG_TRY(in_order(op, x, plan));
  const bool floating = x.dtype >= PG_F16;
  return dispatch_word(x.item(), [&](auto w) {
    using W = typename decltype(w)::type;
    const W sign = floating ? W(W(1) << (sizeof(W) * 8 - 1)) : W(0);
    const nonzero_flag<W> flag{reinterpret_cast<const W*>(x.data), sign, plan.device()};
    const index_place place{indices.data, indices.stride[0], indices.dtype == PG_I64};
    return run_compact(op, flag, place, counts, n, count.data, count.dtype == PG_I64, stream);
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" {

PG_API int pg_masked_fill(const pg_tensor* tx, const pg_tensor* tmask, const pg_tensor* tout, double value,
                          void* stream) {
  const char* op = "masked_fill";
  view out, in[2];
  PG_TRY(parse(tx, op, "x", in[0]));
  PG_TRY(parse(tmask, op, "mask", in[1]));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(want_dtype(op, in[1], PG_BOOL));
  PG_TRY(same_dtype(op, in[0], out));
  layout<3> plan;
  PG_TRY(check_dtype<movable_types>(op, out.dtype));
  PG_TRY(plan_map<3>(op, out, in, plan));
  return dispatch(op, out.dtype, movable_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    const T converted = convert<T>(value);
    return dispatch_word(out.item(), [&](auto w) {
      using W = typename decltype(w)::type;
      if constexpr (sizeof(W) != sizeof(T)) return int(PG_ERR_DTYPE);
      else {
        W bits;
        std::memcpy(&bits, &converted, sizeof bits);
        return launch_fill<W>(plan, reinterpret_cast<const W*>(in[0].data),
                              reinterpret_cast<const bool*>(in[1].data), reinterpret_cast<W*>(out.data), bits, stream);
      }
    });
  });
}

PG_API int pg_masked_select(const pg_tensor* x, const pg_tensor* mask, const pg_tensor* values, const pg_tensor* count,
                            void* workspace, size_t workspace_bytes, void* stream) {
  return masked_select(x, mask, values, count, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_masked_select_workspace(const pg_tensor* x, const pg_tensor* mask, const pg_tensor* values,
                                      const pg_tensor* count, size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "masked_select_workspace: bytes is NULL");
  return masked_select(x, mask, values, count, nullptr, 0, bytes, nullptr);
}

PG_API int pg_masked_scatter(const pg_tensor* mask, const pg_tensor* source, const pg_tensor* out, void* workspace,
                             size_t workspace_bytes, void* stream) {
  return masked_scatter(mask, source, out, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_masked_scatter_workspace(const pg_tensor* mask, const pg_tensor* source, const pg_tensor* out,
                                       size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "masked_scatter_workspace: bytes is NULL");
  return masked_scatter(mask, source, out, nullptr, 0, bytes, nullptr);
}

PG_API int pg_flat_nonzero(const pg_tensor* x, const pg_tensor* indices, const pg_tensor* count, void* workspace,
                           size_t workspace_bytes, void* stream) {
  return nonzero(x, indices, count, workspace, workspace_bytes, nullptr, stream);
}
PG_API int pg_flat_nonzero_workspace(const pg_tensor* x, const pg_tensor* indices, const pg_tensor* count,
                                     size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "flat_nonzero_workspace: bytes is NULL");
  return nonzero(x, indices, count, nullptr, 0, bytes, nullptr);
}

}  // extern "C"
