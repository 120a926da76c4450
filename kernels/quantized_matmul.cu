// Products x w^T with a quantised matrix w: codes become numbers when a tile of them is loaded.
#include "support/gather_gemm.cuh"

namespace pgops {
namespace {

// rows: those of x; columns: rows of w; depth: their length.
template <class T, int kBits>
struct quantized_problem {
  using compute = float;
  static constexpr bool kDepthFastA = true, kDepthFastB = true;
  const T* x;
  const uint8_t* codes;
  const float* scale;
  T* out;
  uint32_t count, filters, length;
  fast_div group, inner;  // inner: rows of the last leading axis
  int64_t x_stride, code_row, code_stride, scale_row, scale_stride, out_stride;
  int64_t x_rows[2], out_rows[2];  // strides of the leading axes: the one before, the last

  struct line {
    const uint8_t* codes;
    const float* scale;
  };

  __host__ __device__ uint32_t rows() const { return count; }
  __host__ __device__ uint32_t columns() const { return filters; }
  __device__ uint32_t depth() const { return length; }
  __device__ uint32_t share() const { return length; }
  __device__ __forceinline__ const T* row(uint32_t m, int) const {
    const uint32_t outer = inner.div(m);
    return x + outer * x_rows[0] + int64_t(m - outer * inner.divisor) * x_rows[1];
  }
  __device__ __forceinline__ line column(uint32_t n, int) const {
    return {codes + int64_t(n) * code_row, scale + int64_t(n) * scale_row};
  }
  __device__ __forceinline__ uint32_t depth_at(uint32_t k) const { return k; }
  __device__ __forceinline__ float a(const T* from, uint32_t k) const { return widen(from[int64_t(k) * x_stride]); }
  __device__ __forceinline__ float b(const line& w, uint32_t k) const {
    float code;
    if constexpr (kBits == 8) {
      code = float(int8_t(w.codes[int64_t(k) * code_stride]));
    } else {
      const uint32_t both = w.codes[int64_t(k / 2) * code_stride];
      code = float(int(k % 2 == 0 ? both & 15u : both >> 4) - 8);
    }
    return code * w.scale[int64_t(group.div(k)) * scale_stride];
  }
  __device__ __forceinline__ void put(uint32_t m, uint32_t n, int, int, float value) const {
    const uint32_t outer = inner.div(m);
    out[outer * out_rows[0] + int64_t(m - outer * inner.divisor) * out_rows[1] + int64_t(n) * out_stride] = narrow<T>(value);
  }
};

template <int kBits>
int quantized_matmul(const char* op, const pg_tensor* tx, const pg_tensor* tq, const pg_tensor* tscale,
                     const pg_tensor* tout, void* stream) {
  view x, q, scale, out;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tscale, op, "scale", scale));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(want_dtype(op, q, kBits == 8 ? PG_I8 : PG_U8));
  PG_TRY(want_dtype(op, scale, PG_F32));
  PG_TRY(same_dtype(op, x, out));
  const int last = x.ndim - 1;
  bool fits = x.ndim >= 1 && out.ndim == x.ndim && q.ndim == 2 && scale.ndim == 2 && q.shape[0] == scale.shape[0];
  for (int d = 0; fits && d < last; ++d) fits = x.shape[d] == out.shape[d];
  fits = fits && out.shape[last] == q.shape[0] && q.shape[1] * (8 / kBits) == x.shape[last] && scale.shape[1] > 0 &&
         x.shape[last] % scale.shape[1] == 0;
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'x' %s, 'q' %s, 'scale' %s and 'out' %s do not fit together", op, shape_text(x).text,
                shape_text(q).text, shape_text(scale).text, shape_text(out).text);
  const int64_t length = x.shape[last], group = length / scale.shape[1];
  if (group % 8 != 0)
    return fail(PG_ERR_SHAPE, "%s: groups of %lld elements; a multiple of 8 is needed", op, static_cast<long long>(group));
  PG_TRY(check_output(op, out));
  for (const view* in : {&x, &q, &scale}) PG_TRY(check_alias(op, out, *in, false));
  layout<2> rows;
  for (int d = 0; d < last; ++d) {
    const int64_t s[2] = {out.stride[d], x.stride[d]};
    rows.push(x.shape[d], s);
  }
  return dispatch(op, x.dtype, types<float, half, bfloat16>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (out.numel() == 0) return int(PG_OK);
    const int64_t most = INT32_MAX - kGemmTile;
    if (rows.numel() > kChunk || length > most || q.shape[0] > most)
      return fail(PG_ERR_SIZE, "%s: more than 2^30 rows of 'x', or longer ones than 2^31 - 65", op);
    rows.normalize();
    PG_TRY(check_rank(op, rows.ndim));
    quantized_problem<T, kBits> p{
        nullptr, reinterpret_cast<const uint8_t*>(q.data), reinterpret_cast<const float*>(scale.data), nullptr, 0,
        uint32_t(q.shape[0]), uint32_t(length), fast_div(uint32_t(group > 0 ? group : 1)), fast_div(1), x.stride[last],
        q.stride[0], q.stride[1], scale.stride[0], scale.stride[1], out.stride[last], {0, 0}, {0, 0}};
    // Two leading axes go at once; more are rare, and taken one index at a time.
    layout<2> outer = rows;
    outer.ndim = rows.ndim > 2 ? rows.ndim - 2 : 0;
    p.count = 1;
    for (int d = outer.ndim; d < rows.ndim; ++d) {
      const int k = d - rows.ndim + 2;
      p.count *= uint32_t(rows.size[d]);
      p.out_rows[k] = rows.stride[d][0];
      p.x_rows[k] = rows.stride[d][1];
      if (k == 1) p.inner = fast_div(uint32_t(rows.size[d]));
    }
    for (int64_t i = 0; i < outer.numel(); ++i) {
      int64_t at[2] = {rows.start[0], rows.start[1]}, rest = i;
      for (int d = outer.ndim - 1; d >= 0; --d) {
        for (int k = 0; k < 2; ++k) at[k] += rest % outer.size[d] * outer.stride[d][k];
        rest /= outer.size[d];
      }
      p.out = reinterpret_cast<T*>(out.data) + at[0];
      p.x = reinterpret_cast<const T*>(x.data) + at[1];
      PG_TRY(launch_gather(op, p, 1, 1, stream));
    }
    return int(PG_OK);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_matmul_int8(const pg_tensor* x, const pg_tensor* q, const pg_tensor* scale,
                                     const pg_tensor* out, void* stream) {
  return pgops::quantized_matmul<8>("matmul_int8", x, q, scale, out, stream);
}
extern "C" PG_API int pg_matmul_int4(const pg_tensor* x, const pg_tensor* q, const pg_tensor* scale,
                                     const pg_tensor* out, void* stream) {
  return pgops::quantized_matmul<4>("matmul_int4", x, q, scale, out, stream);
}
