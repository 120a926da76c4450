// Symmetric quantisation in groups along the last axis: scale = max |x| / most, q = round(x / scale).
// int8 keeps one value a byte; int4 packs two, the earlier one in the low half, biased by 8.
#include "support/row.cuh"

namespace pgops {
namespace {

struct quantize_args {
  uint32_t groups;     // of a row
  int32_t group;       // elements
  int64_t x_stride, q_stride, scale_stride;  // along the last axis
};

template <int kBits>
constexpr int kMost = kBits == 8 ? 127 : 7;

// A group of lanes per group of elements. Operands of the rows: q, x, scale.
template <class T, int kBits>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    quantize_groups(const T* x, uint8_t* q, float* scales, uint32_t total, quantize_args args, fast_div per_row,
                    const PG_GRID_CONSTANT strided<3> rows) {
  const int lane = int(threadIdx.x) % kRowGroup;
  const uint32_t job = (blockIdx.x * kRowBlock + threadIdx.x) / kRowGroup;
  if (job >= total) return;
  const uint32_t row = per_row.div(job), group = job - row * per_row.divisor;
  int64_t at[3];
  rows.offsets(row, at);
  const T* from = x + at[1] + int64_t(group) * args.group * args.x_stride;
  float most = 0.0f;
  for (int i = lane; i < args.group; i += kRowGroup) {
    const float v = float(widen(from[i * args.x_stride]));
    most = m::max_nan(most, m::fabs(v));
  }
  most = pg::warp_reduce<kRowGroup>(most, pg::maximum());
  const float scale = most / float(kMost<kBits>);
  if (lane == 0) scales[at[2] + int64_t(group) * args.scale_stride] = scale;
  const auto code = [&](int i) {
    const float v = float(widen(from[i * args.x_stride]));
    float r = scale > 0.0f ? m::rint(v / scale) : 0.0f;
    r = r > float(kMost<kBits>) ? float(kMost<kBits>) : r < -float(kMost<kBits>) ? -float(kMost<kBits>) : r;
    return m::is_nan(r) ? 0 : int(r);
  };
  if constexpr (kBits == 8) {
    uint8_t* to = q + at[0] + int64_t(group) * args.group * args.q_stride;
    for (int i = lane; i < args.group; i += kRowGroup) to[i * args.q_stride] = uint8_t(int8_t(code(i)));
  } else {
    uint8_t* to = q + at[0] + int64_t(group) * (args.group / 2) * args.q_stride;
    for (int i = lane; i < args.group / 2; i += kRowGroup)
      to[i * args.q_stride] = uint8_t((code(2 * i) + 8) | (code(2 * i + 1) + 8) << 4);
  }
}

template <int kBits>
__device__ __forceinline__ float code_at(const uint8_t* q, int64_t element, int64_t stride) {
  if constexpr (kBits == 8) return float(int8_t(q[element * stride]));
  else return float(int(q[element / 2 * stride] >> (element % 2 * 4) & 15) - 8);
}

// One thread per element. Operands of the rows: out, q, scale.
template <class T, int kBits>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    dequantize_elements(const uint8_t* q, const float* scales, T* out, uint32_t total, quantize_args args,
                        fast_div per_row, fast_div group, const PG_GRID_CONSTANT strided<3> rows) {
  const uint32_t i = blockIdx.x * kRowBlock + threadIdx.x;
  if (i >= total) return;
  const uint32_t row = per_row.div(i), element = i - row * per_row.divisor;
  int64_t at[3];
  rows.offsets(row, at);
  const float scale = scales[at[2] + int64_t(group.div(element)) * args.scale_stride];
  const float value = code_at<kBits>(q + at[1], element, args.q_stride) * scale;
  out[at[0] + element * args.x_stride] = convert<T>(value);
}

// out[i] = sum of q[i, j] * scale[i, j / group] * x[j]: a group of lanes per row.
template <class T, int kBits>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    quantized_matvec(const uint8_t* q, const float* scales, const T* x, T* out, int64_t rows, int64_t length,
                     int64_t q_row, int64_t scale_row, int64_t out_stride, quantize_args args) {
  constexpr int kPerByte = 8 / kBits, kStep = 4 * kPerByte;  // elements of four bytes
  const int lane = int(threadIdx.x) % kRowGroup;
  const int64_t row = (int64_t(blockIdx.x) * kRowBlock + threadIdx.x) / kRowGroup;
  if (row >= rows) return;
  const uint8_t* mine = q + row * q_row;
  const float* scale = scales + row * scale_row;
  float sum = 0.0f;
  for (int64_t j = lane * kStep; j < length; j += kRowGroup * kStep) {
    // The group size is a multiple of kStep, so four bytes share a scale.
    float part = 0.0f;
    PG_UNROLL
    for (int e = 0; e < kStep; ++e)
      part += code_at<kBits>(mine, j + e, args.q_stride) * float(widen(x[(j + e) * args.x_stride]));
    sum += part * scale[j / args.group * args.scale_stride];
  }
  sum = pg::warp_reduce<kRowGroup>(sum, pg::plus());
  if (lane == 0) out[row * out_stride] = convert<T>(sum);
}

// Checks that q and scale belong to an array of x's shape, and finds the group size.
template <int kBits>
int check_quantized(const char* op, const view& x, const view& q, const view& scale, int64_t& group) {
  PG_TRY(want_dtype(op, q, kBits == 8 ? PG_I8 : PG_U8));
  PG_TRY(want_dtype(op, scale, PG_F32));
  bool fits = x.ndim >= 1 && q.ndim == x.ndim && scale.ndim == x.ndim;
  for (int d = 0; fits && d < x.ndim - 1; ++d) fits = q.shape[d] == x.shape[d] && scale.shape[d] == x.shape[d];
  const int last = x.ndim - 1;
  fits = fits && q.shape[last] * (8 / kBits) == x.shape[last] && scale.shape[last] > 0 &&
         x.shape[last] % scale.shape[last] == 0;
  if (!fits)
    return fail(PG_ERR_SHAPE, "%s: 'q' of shape %s and 'scale' of shape %s do not belong to '%s' of shape %s", op,
                shape_text(q).text, shape_text(scale).text, x.name, shape_text(x).text);
  group = x.shape[last] / scale.shape[last];
  if (group % 8 != 0 || group > (1 << 20))
    return fail(PG_ERR_SHAPE, "%s: groups of %lld elements; a multiple of 8 up to 2^20 is needed", op,
                static_cast<long long>(group));
  return PG_OK;
}

layout<3> row_layout(const view& a, const view& b, const view& c) {
  layout<3> rows;
  for (int d = 0; d + 1 < a.ndim; ++d) {
    const int64_t s[3] = {a.stride[d], b.stride[d], c.stride[d]};
    rows.push(a.shape[d], s);
  }
  return rows;
}

template <int kBits>
int quantize(const char* op, const pg_tensor* tx, const pg_tensor* tq, const pg_tensor* tscale, void* stream) {
  view x, q, scale;
  int64_t group;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tscale, op, "scale", scale));
  PG_TRY(check_quantized<kBits>(op, x, q, scale, group));
  PG_TRY(check_output(op, q));
  PG_TRY(check_output(op, scale));
  PG_TRY(check_alias(op, q, x, false));
  PG_TRY(check_alias(op, scale, x, false));
  PG_TRY(check_alias(op, scale, q, false));
  return dispatch(op, x.dtype, types<float, half, bfloat16>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (x.numel() == 0) return int(PG_OK);
    layout<3> rows = row_layout(q, x, scale);
    rows.normalize();
    PG_TRY(check_rank(op, rows.ndim));
    const int last = x.ndim - 1;
    const quantize_args args{uint32_t(scale.shape[last]), int32_t(group), x.stride[last], q.stride[last],
                             scale.stride[last]};
    if (rows.numel() * args.groups > kChunk / kRowGroup)
      return fail(PG_ERR_SIZE, "%s: more than 2^25 groups in one call are not supported", op);
    const uint32_t total = uint32_t(rows.numel() * args.groups);
    return launched(PG_LAUNCH((quantize_groups<T, kBits>), blocks_for(total, kRowBlock / kRowGroup), kRowBlock, 0,
                              stream, reinterpret_cast<const T*>(x.data) + rows.start[1],
                              reinterpret_cast<uint8_t*>(q.data) + rows.start[0],
                              reinterpret_cast<float*>(scale.data) + rows.start[2], total, args,
                              fast_div(args.groups), rows.device()), op);
  });
}

template <int kBits>
int dequantize(const char* op, const pg_tensor* tq, const pg_tensor* tscale, const pg_tensor* tout, void* stream) {
  view q, scale, out;
  int64_t group;
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tscale, op, "scale", scale));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(check_quantized<kBits>(op, out, q, scale, group));
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, q, false));
  PG_TRY(check_alias(op, out, scale, false));
  return dispatch(op, out.dtype, types<float, half, bfloat16>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (out.numel() == 0) return int(PG_OK);
    layout<3> rows = row_layout(out, q, scale);
    rows.normalize();
    PG_TRY(check_rank(op, rows.ndim));
    const int last = out.ndim - 1;
    const quantize_args args{uint32_t(scale.shape[last]), int32_t(group), out.stride[last], q.stride[last],
                             scale.stride[last]};
    if (out.numel() > kChunk) return fail(PG_ERR_SIZE, "%s: more than 2^30 elements in one call", op);
    const uint32_t total = uint32_t(out.numel());
    return launched(PG_LAUNCH((dequantize_elements<T, kBits>), blocks_for(total, kRowBlock), kRowBlock, 0, stream,
                              reinterpret_cast<const uint8_t*>(q.data) + rows.start[1],
                              reinterpret_cast<const float*>(scale.data) + rows.start[2],
                              reinterpret_cast<T*>(out.data) + rows.start[0], total, args,
                              fast_div(uint32_t(out.shape[last])), fast_div(uint32_t(group)), rows.device()), op);
  });
}

template <int kBits>
int matvec(const char* op, const pg_tensor* tq, const pg_tensor* tscale, const pg_tensor* tx, const pg_tensor* tout,
           void* stream) {
  view q, scale, x, out;
  int64_t group;
  PG_TRY(parse(tq, op, "q", q));
  PG_TRY(parse(tscale, op, "scale", scale));
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, x, out));
  if (q.ndim != 2 || x.ndim != 1 || out.ndim != 1 || out.shape[0] != q.shape[0])
    return fail(PG_ERR_SHAPE, "%s: shapes %s, %s and %s are not those of a matrix, a vector and their product", op,
                shape_text(q).text, shape_text(x).text, shape_text(out).text);
  view matrix = q;  // the shape that q stands for
  matrix.name = "x";
  matrix.shape[1] = x.shape[0];
  PG_TRY(check_quantized<kBits>(op, matrix, q, scale, group));
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, q, false));
  PG_TRY(check_alias(op, out, scale, false));
  PG_TRY(check_alias(op, out, x, false));
  return dispatch(op, x.dtype, types<float, half, bfloat16>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (out.shape[0] == 0) return int(PG_OK);
    const quantize_args args{0, int32_t(group), x.stride[0], q.stride[1], scale.stride[1]};
    return launched(PG_LAUNCH((quantized_matvec<T, kBits>), blocks_for(out.shape[0], kRowBlock / kRowGroup), kRowBlock,
                              0, stream, reinterpret_cast<const uint8_t*>(q.data),
                              reinterpret_cast<const float*>(scale.data), reinterpret_cast<const T*>(x.data),
                              reinterpret_cast<T*>(out.data), out.shape[0], x.shape[0], q.stride[0], scale.stride[0],
                              out.stride[0], args), op);
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

#define PG_QUANTIZED(BITS)                                                                                          \
  extern "C" PG_API int pg_quantize_int##BITS(const pg_tensor* x, const pg_tensor* q, const pg_tensor* scale,       \
                                              void* stream) {                                                       \
    return quantize<BITS>("quantize_int" #BITS, x, q, scale, stream);                                               \
  }                                                                                                                 \
  extern "C" PG_API int pg_dequantize_int##BITS(const pg_tensor* q, const pg_tensor* scale, const pg_tensor* out,   \
                                                void* stream) {                                                     \
    return dequantize<BITS>("dequantize_int" #BITS, q, scale, out, stream);                                         \
  }                                                                                                                 \
  extern "C" PG_API int pg_matvec_int##BITS(const pg_tensor* q, const pg_tensor* scale, const pg_tensor* x,         \
                                            const pg_tensor* out, void* stream) {                                   \
    return matvec<BITS>("matvec_int" #BITS, q, scale, x, out, stream);                                              \
  }
PG_QUANTIZED(8)
PG_QUANTIZED(4)
