// Gradients of layer norm and RMS norm over the last axis. One kernel makes dx and each row's mean and
// scale; a second sums the weight and bias gradients over the rows, in a fixed order.
#include "support/norm.cuh"

namespace pgops {
namespace {

constexpr int kParts = 64;        // stretches of rows that are summed apart
constexpr int kColumnBlock = 128;

struct backward_args {
  uint32_t rows, first_row;
  int64_t length;
  int64_t dx_stride, x_stride, dy_stride, weight_stride;
  double eps;
};

// Operands of the batch: dx, x, dy. stats: mean, 1 / deviation of each row.
template <class T, bool kRms>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    norm_backward_rows(const T* x, const T* dy, const T* weight, T* dx, compute_t<T>* stats, backward_args args,
                       const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  int64_t at[3];
  batch.offsets(blockIdx.x, at);
  const T* from = x + at[1];
  const T* grad = dy + at[2];
  const int64_t n = args.length;
  C mean = C(0);
  if constexpr (!kRms) {
    C sum = C(0);
    for (int64_t i = threadIdx.x; i < n; i += kRowBlock) sum += widen(from[i * args.x_stride]);
    mean = pg::block_reduce<kRowBlock>(sum, pg::plus(), C(0)) / C(n);
  }
  C square = C(0);
  for (int64_t i = threadIdx.x; i < n; i += kRowBlock) {
    const C d = widen(from[i * args.x_stride]) - mean;
    square += d * d;
  }
  square = pg::block_reduce<kRowBlock>(square, pg::plus(), C(0));
  const C scale = C(1) / m::sqrt(square / C(n) + C(args.eps));
  C plain = C(0), along = C(0);  // sums of g and of g * xhat, g = dy * weight
  for (int64_t i = threadIdx.x; i < n; i += kRowBlock) {
    const C w = weight != nullptr ? widen(weight[i * args.weight_stride]) : C(1);
    const C g = widen(grad[i * args.dy_stride]) * w;
    plain += g;
    along += g * (widen(from[i * args.x_stride]) - mean) * scale;
  }
  if constexpr (!kRms) plain = pg::block_reduce<kRowBlock>(plain, pg::plus(), C(0)) / C(n);
  else plain = C(0);
  along = pg::block_reduce<kRowBlock>(along, pg::plus(), C(0)) / C(n);
  for (int64_t i = threadIdx.x; i < n; i += kRowBlock) {
    const C w = weight != nullptr ? widen(weight[i * args.weight_stride]) : C(1);
    const C g = widen(grad[i * args.dy_stride]) * w;
    const C hat = (widen(from[i * args.x_stride]) - mean) * scale;
    dx[at[0] + i * args.dx_stride] = narrow<T>((g - plain - hat * along) * scale);
  }
  if (threadIdx.x == 0) {
    const int64_t row = int64_t(args.first_row) + blockIdx.x;
    stats[2 * row] = mean;
    stats[2 * row + 1] = scale;
  }
}

// partial[part][0 or 1][column]: sums of dy * xhat and of dy over the part's rows.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kColumnBlock)
    norm_backward_columns(const T* x, const T* dy, const compute_t<T>* stats, compute_t<T>* partial,
                          backward_args args, const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  const int64_t column = int64_t(blockIdx.x) * kColumnBlock + threadIdx.x;
  if (column >= args.length) return;
  const uint32_t lo = uint32_t(uint64_t(args.rows) * blockIdx.y / kParts);
  const uint32_t hi = uint32_t(uint64_t(args.rows) * (blockIdx.y + 1) / kParts);
  C weight_sum = C(0), bias_sum = C(0);
  for (uint32_t row = lo; row < hi; ++row) {
    int64_t at[3];
    batch.offsets(row, at);
    const C g = widen(dy[at[2] + column * args.dy_stride]);
    const C d = widen(x[at[1] + column * args.x_stride]) - stats[2 * int64_t(row)];
    weight_sum += g * d * stats[2 * int64_t(row) + 1];
    bias_sum += g;
  }
  partial[(2 * int64_t(blockIdx.y)) * args.length + column] = weight_sum;
  partial[(2 * int64_t(blockIdx.y) + 1) * args.length + column] = bias_sum;
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kColumnBlock)
    norm_backward_totals(const compute_t<T>* partial, T* dweight, T* dbias, int64_t length, int64_t dweight_stride,
                         int64_t dbias_stride) {
  using C = compute_t<T>;
  const int64_t column = int64_t(blockIdx.x) * kColumnBlock + threadIdx.x;
  if (column >= length) return;
  C weight_sum = C(0), bias_sum = C(0);
  for (int p = 0; p < kParts; ++p) {
    weight_sum += partial[(2 * int64_t(p)) * length + column];
    bias_sum += partial[(2 * int64_t(p) + 1) * length + column];
  }
  dweight[column * dweight_stride] = narrow<T>(weight_sum);
  if (dbias != nullptr) dbias[column * dbias_stride] = narrow<T>(bias_sum);
}

template <bool kRms>
int norm_backward(const char* op, const pg_tensor* tx, const pg_tensor* tweight, const pg_tensor* tdy,
                  const pg_tensor* tdx, const pg_tensor* tdweight, const pg_tensor* tdbias, double eps,
                  void* workspace, size_t have, size_t* bytes, void* stream) {
  view x, weight, dy, dx, dweight, dbias;
  int axis = 0;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tdy, op, "dy", dy));
  PG_TRY(parse(tdx, op, "dx", dx));
  PG_TRY(normal_axis(op, x, -1, axis));
  PG_TRY(same_dtype(op, x, dy));
  PG_TRY(same_dtype(op, x, dx));
  PG_TRY(same_shape(op, x, dy));
  PG_TRY(same_shape(op, x, dx));
  PG_TRY(check_output(op, dx));
  PG_TRY(check_alias(op, dx, x, false));
  PG_TRY(check_alias(op, dx, dy, false));
  PG_TRY(parse_affine(op, tweight, "weight", x, dx, weight));
  if (tdweight == nullptr) return fail(PG_ERR_NULL, "%s: tensor 'dweight' is NULL", op);
  PG_TRY(parse_affine(op, tdweight, "dweight", x, dx, dweight));
  PG_TRY(check_output(op, dweight));
  PG_TRY(check_alias(op, dweight, x, false));
  PG_TRY(check_alias(op, dweight, dy, false));
  if constexpr (!kRms) {
    if (tdbias == nullptr) return fail(PG_ERR_NULL, "%s: tensor 'dbias' is NULL", op);
    PG_TRY(parse_affine(op, tdbias, "dbias", x, dx, dbias));
    PG_TRY(check_output(op, dbias));
    PG_TRY(check_alias(op, dbias, dweight, false));
    PG_TRY(check_alias(op, dbias, x, false));
    PG_TRY(check_alias(op, dbias, dy, false));
  }
  if (!(eps >= 0)) return fail(PG_ERR_VALUE, "%s: eps is %g; it must not be negative", op, eps);
  layout<3> batch;
  for (int d = 0; d < axis; ++d) {
    const int64_t s[3] = {dx.stride[d], x.stride[d], dy.stride[d]};
    batch.push(x.shape[d], s);
  }
  const int64_t rows = batch.numel(), length = x.shape[axis];
  if (rows > kChunk) return fail(PG_ERR_SIZE, "%s: more than 2^30 rows are not supported", op);
  return dispatch(op, x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using C = compute_t<T>;
    carver space(workspace);
    C* stats = space.take<C>(2 * rows);
    C* partial = space.take<C>(2 * kParts * length);
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, space.used));
    if (length == 0) return int(PG_OK);
    if (rows > 0) batch.normalize();
    else batch = layout<3>();
    PG_TRY(check_rank(op, batch.ndim));
    const backward_args args{uint32_t(rows), 0, length, dx.stride[axis], x.stride[axis], dy.stride[axis],
                             weight.stride[0], eps};
    const T* from = reinterpret_cast<const T*>(x.data) + batch.start[1];
    const T* grad = reinterpret_cast<const T*>(dy.data) + batch.start[2];
    const strided<3> map = batch.device();
    PG_TRY(launched(PG_LAUNCH((norm_backward_rows<T, kRms>), unsigned(rows), kRowBlock, 0, stream, from, grad,
                              reinterpret_cast<const T*>(weight.data), reinterpret_cast<T*>(dx.data) + batch.start[0],
                              stats, args, map), op));
    const unsigned columns = blocks_for(length, kColumnBlock);
    PG_TRY(launched(PG_LAUNCH((norm_backward_columns<T>), dim3(columns, kParts), kColumnBlock, 0, stream, from, grad,
                              stats, partial, args, map), op));
    return launched(PG_LAUNCH((norm_backward_totals<T>), columns, kColumnBlock, 0, stream, partial,
                              reinterpret_cast<T*>(dweight.data), reinterpret_cast<T*>(dbias.data), length,
                              dweight.stride[0], dbias.stride[0]), op);
  });
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_layer_norm_backward(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* dy,
                                             const pg_tensor* dx, const pg_tensor* dweight, const pg_tensor* dbias,
                                             double eps, void* workspace, size_t workspace_bytes, void* stream) {
  return norm_backward<false>("layer_norm_backward", x, weight, dy, dx, dweight, dbias, eps, workspace,
                              workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_layer_norm_backward_workspace(const pg_tensor* x, const pg_tensor* weight,
                                                       const pg_tensor* dy, const pg_tensor* dx,
                                                       const pg_tensor* dweight, const pg_tensor* dbias, double eps,
                                                       size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "layer_norm_backward_workspace: bytes is NULL");
  return norm_backward<false>("layer_norm_backward", x, weight, dy, dx, dweight, dbias, eps, nullptr, 0, bytes,
                              nullptr);
}
extern "C" PG_API int pg_rms_norm_backward(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* dy,
                                           const pg_tensor* dx, const pg_tensor* dweight, double eps, void* workspace,
                                           size_t workspace_bytes, void* stream) {
  return norm_backward<true>("rms_norm_backward", x, weight, dy, dx, dweight, nullptr, eps, workspace,
                             workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_rms_norm_backward_workspace(const pg_tensor* x, const pg_tensor* weight, const pg_tensor* dy,
                                                     const pg_tensor* dx, const pg_tensor* dweight, double eps,
                                                     size_t* bytes) {
  if (bytes == nullptr) return fail(PG_ERR_NULL, "rms_norm_backward_workspace: bytes is NULL");
  return norm_backward<true>("rms_norm_backward", x, weight, dy, dx, dweight, nullptr, eps, nullptr, 0, bytes,
                             nullptr);
}
