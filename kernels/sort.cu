// sort, argsort, sort_with_indices and topk along an axis: stable radix sorts, NaN last.
#include "support/sort_block.cuh"
#include "support/sort_pairs.cuh"
#include "support/sort_radix.cuh"
#include "support/word.cuh"

namespace pgops {
namespace {

// values or indices may be absent; `keep` elements of each row are written.
struct sort_call {
  const char* op;
  view x, values, indices;
  bool has_values = false, has_indices = false, descending = false;
  int axis = 0;
  layout<3> batch;
  sort_rows rows;
};

int plan_output(sort_call& c, const view& out, int axis) {
  PG_TRY(check_output(c.op, out));
  PG_TRY(check_alias(c.op, out, c.x, false));
  bool fits = out.ndim == c.x.ndim;
  for (int d = 0; fits && d < out.ndim; ++d) fits = d == axis || out.shape[d] == c.x.shape[d];
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: '%s' of shape %s does not fit 'x' of shape %s", c.op, out.name,
                shape_text(out).text, shape_text(c.x).text);
  return PG_OK;
}

// keep_all: outputs have x's shape; else their extent along the axis says how many are kept.
int plan_sort(sort_call& c, int32_t axis, bool keep_all) {
  PG_TRY(normal_axis(c.op, c.x, axis, c.axis));
  const int a = c.axis;
  const view& lead = c.has_values ? c.values : c.indices;
  if (c.has_values) {
    PG_TRY(same_dtype(c.op, c.x, c.values));
    PG_TRY(plan_output(c, c.values, a));
  }
  if (c.has_indices) {
    PG_TRY(want_index(c.op, c.indices));
    PG_TRY(plan_output(c, c.indices, a));
  }
  if (c.has_values && c.has_indices) {
    PG_TRY(same_shape(c.op, c.values, c.indices));
    PG_TRY(check_alias(c.op, c.indices, c.values, false));
  }
  c.rows.length = c.x.shape[a];
  c.rows.keep = lead.shape[a];
  if (keep_all ? c.rows.keep != c.rows.length : c.rows.keep > c.rows.length)
    return fail(PG_ERR_SHAPE, "%s: '%s' has %lld elements along the axis, 'x' has %lld", c.op, lead.name,
                static_cast<long long>(c.rows.keep), static_cast<long long>(c.rows.length));
  if (c.rows.length > kRadixLimit)
    return fail(PG_ERR_SIZE, "%s: rows of more than 2^30 - 1 elements are not supported", c.op);
  c.rows.x_stride = c.x.stride[a];
  c.rows.value_stride = c.values.stride[a];
  c.rows.index_stride = c.indices.stride[a];
  for (int d = 0; d < c.x.ndim; ++d) {
    const int64_t s[3] = {c.x.stride[d], c.values.stride[d], c.indices.stride[d]};
    if (d != a) c.batch.push(c.x.shape[d], s);
  }
  if (c.batch.numel() == 0) return PG_OK;
  c.batch.merge();
  return check_rank(c.op, c.batch.ndim);
}

template <class U, bool kPairs>
int sort_words(const sort_call& c, void* workspace, size_t have, size_t* bytes, void* stream) {
  const int64_t count = c.batch.numel();
  const bool in_block = c.rows.length <= kBlockSortLimit<U>;
  carver space(workspace);
  const radix_space<U> radix(space, in_block ? 0 : count, in_block ? 0 : c.rows.length, kPairs);
  const size_t need = in_block ? 0 : space.used;
  if (bytes != nullptr) {
    *bytes = need;
    return PG_OK;
  }
  PG_TRY(check_workspace(c.op, workspace, have, need));
  const U* x = reinterpret_cast<const U*>(c.x.data);
  U* values = c.has_values ? reinterpret_cast<U*>(c.values.data) : nullptr;
  void* indices = c.has_indices ? c.indices.data : nullptr;
  const bool wide = c.indices.dtype == PG_I64;
  const key_rule rule = rule_for(c.x.dtype, c.descending);
  if (in_block)
    return run_sort_block<U, kPairs>(c.op, x, values, indices, wide, c.rows, rule, c.batch, stream);
  return run_sort_radix<U, kPairs>(c.op, x, values, indices, wide, c.rows, rule, c.batch, radix, stream);
}

using sort_types = built_types<types<float, half, bfloat16, int32_t, int64_t>,
                               types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

int run_sort(sort_call& c, const pg_tensor* x, const pg_tensor* values, const pg_tensor* indices, int32_t axis,
             bool keep_all, void* workspace, size_t have, size_t* bytes, void* stream) {
  PG_TRY(parse(x, c.op, "x", c.x));
  if (c.has_values) PG_TRY(parse(values, c.op, "values", c.values));
  if (c.has_indices) PG_TRY(parse(indices, c.op, "indices", c.indices));
  PG_TRY(check_dtype<sort_types>(c.op, c.x.dtype));
  PG_TRY(plan_sort(c, axis, keep_all));
  if (bytes != nullptr) *bytes = 0;
  if (c.batch.numel() == 0 || c.rows.length == 0 || c.rows.keep == 0) return PG_OK;
  const auto words = [&](auto word) {
    using U = typename decltype(word)::type;
    return c.has_indices ? sort_words<U, true>(c, workspace, have, bytes, stream)
                         : sort_words<U, false>(c, workspace, have, bytes, stream);
  };
  switch (c.x.item()) {
#if PG_TYPES_ALL
    case 1: return words(tag<uint8_t>{});
#endif
    case 2: return words(tag<uint16_t>{});
    case 4: return words(tag<uint32_t>{});
    default: return words(tag<uint64_t>{});
  }
}

int sort(const char* op, const pg_tensor* x, const pg_tensor* values, bool has_values, const pg_tensor* indices,
         bool has_indices, int32_t axis, int32_t descending, bool keep_all, void* workspace, size_t have,
         size_t* bytes, void* stream) {
  sort_call c;
  c.op = op;
  c.has_values = has_values;
  c.has_indices = has_indices;
  c.descending = descending != 0;
  return run_sort(c, x, values, indices, axis, keep_all, workspace, have, bytes, stream);
}

}  // namespace

int sort_index_pairs(const char* op, const uint32_t* keys, uint32_t* sorted, int32_t* places, int64_t n, int bits,
                     void* workspace, size_t* bytes, void* stream) {
  sort_rows rows;
  rows.length = rows.keep = n;
  rows.bits = bits;
  carver space(workspace);
  if (n <= kBlockSortLimit<uint32_t>) {
    if (bytes != nullptr) {
      *bytes = 0;
      return PG_OK;
    }
    return run_sort_block<uint32_t, true>(op, keys, sorted, places, false, rows, {}, {}, stream);
  }
  const radix_space<uint32_t> radix(space, 1, n, true);
  if (bytes != nullptr) {
    *bytes = space.used;
    return PG_OK;
  }
  return run_sort_radix<uint32_t, true>(op, keys, sorted, places, false, rows, {}, {}, radix, stream);
}

}  // namespace pgops

using pgops::fail;

extern "C" {

PG_API int pg_sort(const pg_tensor* x, const pg_tensor* values, int32_t axis, int32_t descending, void* workspace,
                   size_t workspace_bytes, void* stream) {
  return pgops::sort("sort", x, values, true, nullptr, false, axis, descending, true, workspace, workspace_bytes,
                     nullptr, stream);
}
PG_API int pg_sort_workspace(const pg_tensor* x, const pg_tensor* values, int32_t axis, int32_t descending,
                             size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "sort_workspace: bytes is NULL");
  return pgops::sort("sort", x, values, true, nullptr, false, axis, descending, true, nullptr, 0, bytes, nullptr);
}

PG_API int pg_argsort(const pg_tensor* x, const pg_tensor* indices, int32_t axis, int32_t descending, void* workspace,
                      size_t workspace_bytes, void* stream) {
  return pgops::sort("argsort", x, nullptr, false, indices, true, axis, descending, true, workspace, workspace_bytes,
                     nullptr, stream);
}
PG_API int pg_argsort_workspace(const pg_tensor* x, const pg_tensor* indices, int32_t axis, int32_t descending,
                                size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "argsort_workspace: bytes is NULL");
  return pgops::sort("argsort", x, nullptr, false, indices, true, axis, descending, true, nullptr, 0, bytes, nullptr);
}

PG_API int pg_sort_with_indices(const pg_tensor* x, const pg_tensor* values, const pg_tensor* indices, int32_t axis,
                                int32_t descending, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::sort("sort_with_indices", x, values, true, indices, true, axis, descending, true, workspace,
                     workspace_bytes, nullptr, stream);
}
PG_API int pg_sort_with_indices_workspace(const pg_tensor* x, const pg_tensor* values, const pg_tensor* indices,
                                          int32_t axis, int32_t descending, size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "sort_with_indices_workspace: bytes is NULL");
  return pgops::sort("sort_with_indices", x, values, true, indices, true, axis, descending, true, nullptr, 0, bytes,
                     nullptr);
}

PG_API int pg_topk(const pg_tensor* x, const pg_tensor* values, const pg_tensor* indices, int32_t axis,
                   int32_t largest, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::sort("topk", x, values, true, indices, true, axis, largest, false, workspace, workspace_bytes,
                     nullptr, stream);
}
PG_API int pg_topk_workspace(const pg_tensor* x, const pg_tensor* values, const pg_tensor* indices, int32_t axis,
                             int32_t largest, size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "topk_workspace: bytes is NULL");
  return pgops::sort("topk", x, values, true, indices, true, axis, largest, false, nullptr, 0, bytes, nullptr);
}

}  // extern "C"
