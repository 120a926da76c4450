// Places of values in sorted rows, by binary search. NaN sorts last, as in the sorts.
#include "support/index.cuh"
#include "support/math.cuh"
#include "support/word.cuh"

namespace pgops {
namespace {

constexpr const char* kOp = "searchsorted";

struct search_args {
  int64_t length, stride, sorter_stride;  // of a row
  bool right, wide_sorter, wide_out;
};

template <class C>
__device__ __forceinline__ bool before(C a, C b) {
  return a < b || (m::is_nan(b) && !m::is_nan(a));
}

// Operands: out, values, rows, sorter.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    search(const T* rows, const T* values, const void* sorter, void* out, uint32_t n, search_args args,
           const PG_GRID_CONSTANT strided<4> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[4];
  map.offsets(i, at);
  const auto value = widen(values[at[1]]);
  int64_t low = 0, high = args.length;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    int64_t place = middle;
    if (sorter != nullptr) {
      place = load_index(sorter, at[3] + middle * args.sorter_stride, args.wide_sorter);
      place = place < 0 ? 0 : place < args.length ? place : args.length - 1;  // a sorter of wrong indices reads no other memory
    }
    const auto x = widen(rows[at[2] + place * args.stride]);
    if (args.right ? !before(value, x) : before(x, value)) low = middle + 1;
    else high = middle;
  }
  if (args.wide_out) static_cast<int64_t*>(out)[at[0]] = low;
  else static_cast<int32_t*>(out)[at[0]] = int32_t(low);
}

using search_types = built_types<types<float, half, bfloat16, int32_t, int64_t>,
                                 types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>>;

int plan_search(const view& rows, const view& values, const view& sorter, bool sorted, const view& out,
                layout<4>& map) {
  if (rows.ndim == 0) return fail(PG_ERR_SHAPE, "%s: 'sorted' needs at least one dimension", kOp);
  PG_TRY(same_dtype(kOp, rows, values));
  PG_TRY(want_index(kOp, out));
  PG_TRY(same_shape(kOp, values, out));
  PG_TRY(check_output(kOp, out));
  PG_TRY(check_alias(kOp, out, rows, false));
  PG_TRY(check_alias(kOp, out, values, false));
  const int last = rows.ndim - 1;
  if (sorted) {
    PG_TRY(want_index(kOp, sorter));
    PG_TRY(same_shape(kOp, sorter, rows));
    PG_TRY(check_alias(kOp, out, sorter, false));
  }
  if (out.dtype == PG_I32 && rows.shape[last] > INT32_MAX)
    return fail(PG_ERR_SIZE, "%s: places up to %lld do not fit in i32; use an i64 output", kOp,
                static_cast<long long>(rows.shape[last]));
  bool fits = last == 0 || values.ndim == rows.ndim;
  for (int d = 0; fits && d < last; ++d) fits = values.shape[d] == rows.shape[d];
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'values' of shape %s does not fit 'sorted' of shape %s apart from the last axis",
                kOp, shape_text(values).text, shape_text(rows).text);
  for (int d = 0; d < values.ndim; ++d) {
    const bool batch = d < last;
    const int64_t s[4] = {out.stride[d], values.stride[d], batch ? rows.stride[d] : 0,
                          batch && sorted ? sorter.stride[d] : 0};
    map.push(values.shape[d], s);
  }
  if (map.numel() == 0) return PG_OK;
  map.normalize();
  return check_rank(kOp, map.ndim);
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_searchsorted(const pg_tensor* tsorted, const pg_tensor* tvalues, const pg_tensor* tsorter,
                                      const pg_tensor* tout, int32_t right, void* stream) {
  view rows, values, sorter, out;
  const bool sorted = tsorter != nullptr;
  PG_TRY(parse(tsorted, kOp, "sorted", rows));
  PG_TRY(parse(tvalues, kOp, "values", values));
  if (sorted) PG_TRY(parse(tsorter, kOp, "sorter", sorter));
  PG_TRY(parse(tout, kOp, "out", out));
  layout<4> map;
  PG_TRY(plan_search(rows, values, sorter, sorted, out, map));
  return dispatch(kOp, rows.dtype, search_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (map.numel() == 0) return int(PG_OK);
    const int last = rows.ndim - 1;
    const search_args args{rows.shape[last], rows.stride[last], sorted ? sorter.stride[last] : 0, right != 0,
                           sorter.dtype == PG_I64, out.dtype == PG_I64};
    return for_chunks(map, [&](const layout<4>& piece, const int64_t (&start)[4]) {
      const int64_t n = piece.numel();
      return launched(PG_LAUNCH((search<T>), blocks_for(n, kMapBlock), kMapBlock, 0, stream,
                                reinterpret_cast<const T*>(rows.data) + start[2],
                                reinterpret_cast<const T*>(values.data) + start[1],
                                sorted ? sorter.data + start[3] * sorter.item() : nullptr,
                                out.data + start[0] * out.item(), uint32_t(n), args, piece.device()), kOp);
    });
  });
}
