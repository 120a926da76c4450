// Gradients of softmax and log-softmax along an axis, from their results.
//   softmax:     dx = y * (dy - sum(dy * y))
//   log_softmax: dx = dy - exp(y) * sum(dy)
#include "support/reduce.cuh"
#include "support/row.cuh"

namespace pgops {
namespace {

struct gradient_args {
  uint32_t rows;
  int64_t length;
  int64_t out_stride, y_stride, dy_stride;
  bool vector, log;
};

template <class C>
__device__ __forceinline__ C term(C y, C dy, bool log) { return log ? dy : y * dy; }
template <class C>
__device__ __forceinline__ C gradient(C y, C dy, C sum, bool log) {
  return log ? dy - m::exp(y) * sum : y * (dy - sum);
}

// Operands of the batch: dx, y, dy.
template <class T, int kLanes, int kItems>
__global__ void PG_LAUNCH_BOUNDS(row_block<kLanes>)
    softmax_backward_registers(const T* y, const T* dy, T* dx, gradient_args args,
                               const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  const int lane = int(threadIdx.x) % kLanes;
  const uint32_t row = blockIdx.x * (row_block<kLanes> / kLanes) + threadIdx.x / kLanes;
  if (row >= args.rows) return;
  const int n = int(args.length);
  int64_t at[3];
  batch.offsets(row, at);
  row_registers<T, kLanes, kItems> a, b;
  a.load(y + at[1], args.y_stride, n, lane, args.vector, C(0));
  b.load(dy + at[2], args.dy_stride, n, lane, args.vector, C(0));
  C sum = C(0);
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) sum += term(a.v[i], b.v[i], args.log);
  sum = row_reduce<kLanes>(sum, pg::plus(), C(0));
  PG_UNROLL
  for (int i = 0; i < kItems; ++i) a.v[i] = gradient(a.v[i], b.v[i], sum, args.log);
  a.store(dx + at[0], args.out_stride, n, lane, args.vector);
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kLongRowBlock)
    softmax_backward_looped(const T* y, const T* dy, T* dx, gradient_args args,
                            const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  int64_t at[3];
  batch.offsets(blockIdx.x, at);
  C sum = C(0);
  for (int64_t i = threadIdx.x; i < args.length; i += kLongRowBlock)
    sum += term(widen(y[at[1] + i * args.y_stride]), widen(dy[at[2] + i * args.dy_stride]), args.log);
  sum = pg::block_reduce<kLongRowBlock>(sum, pg::plus(), C(0));
  for (int64_t i = threadIdx.x; i < args.length; i += kLongRowBlock)
    dx[at[0] + i * args.out_stride] = narrow<T>(gradient(widen(y[at[1] + i * args.y_stride]),
                                                         widen(dy[at[2] + i * args.dy_stride]), sum, args.log));
}

int softmax_backward(const char* op, const pg_tensor* ty, const pg_tensor* tdy, const pg_tensor* tdx, int32_t axis,
                     bool log, void* stream) {
  view y, dy, dx;
  int a = 0;
  PG_TRY(parse(ty, op, "y", y));
  PG_TRY(parse(tdy, op, "dy", dy));
  PG_TRY(parse(tdx, op, "dx", dx));
  PG_TRY(same_dtype(op, y, dy));
  PG_TRY(same_dtype(op, y, dx));
  PG_TRY(same_shape(op, y, dy));
  PG_TRY(same_shape(op, y, dx));
  PG_TRY(normal_axis(op, y, axis, a));
  PG_TRY(check_output(op, dx));
  PG_TRY(check_alias(op, dx, y, true));
  PG_TRY(check_alias(op, dx, dy, true));
  layout<3> batch;
  for (int d = 0; d < y.ndim; ++d) {
    const int64_t s[3] = {dx.stride[d], y.stride[d], dy.stride[d]};
    if (d != a) batch.push(y.shape[d], s);
  }
  return dispatch(op, y.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    gradient_args args{0, y.shape[a], dx.stride[a], y.stride[a], dy.stride[a], true, log};
    if (batch.numel() == 0 || args.length == 0) return int(PG_OK);
    batch.normalize();
    PG_TRY(check_rank(op, batch.ndim));
    const int64_t vec = kVectorBytes / int64_t(sizeof(T));
    const view* all[3] = {&dx, &y, &dy};
    args.vector = args.length % vec == 0;
    for (int k = 0; k < 3; ++k) {
      const char* data = all[k]->data + batch.start[k] * int64_t(sizeof(T));
      args.vector = args.vector && all[k]->stride[a] == 1 && reinterpret_cast<uintptr_t>(data) % kVectorBytes == 0;
      for (int d = 0; d < batch.ndim; ++d) args.vector = args.vector && batch.stride[d][k] % vec == 0;
    }
    return for_chunks(batch, [&](const layout<3>& piece, const int64_t (&start)[3]) {
      args.rows = uint32_t(piece.numel());
      T* to = reinterpret_cast<T*>(dx.data) + start[0];
      const T* from = reinterpret_cast<const T*>(y.data) + start[1];
      const T* grad = reinterpret_cast<const T*>(dy.data) + start[2];
      if (args.length > kMostRegisterRow / 2)  // two rows are held
        return launched(PG_LAUNCH((softmax_backward_looped<T>), args.rows, kLongRowBlock, 0, stream, from, grad, to,
                                  args, piece.device()), op);
      return dispatch_row(args.length, [&](auto config) {
        using c = decltype(config);
        constexpr int kItems = c::lanes == 512 ? 16 : c::items;  // 8192 of 512 threads
        return launched(PG_LAUNCH((softmax_backward_registers<T, c::lanes, kItems>),
                                  blocks_for(args.rows, c::rows_per_block), c::block, 0, stream, from, grad, to, args,
                                  piece.device()), op);
      });
    });
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_softmax_backward(const pg_tensor* y, const pg_tensor* dy, const pg_tensor* dx, int32_t axis,
                                          void* stream) {
  return pgops::softmax_backward("softmax_backward", y, dy, dx, axis, false, stream);
}
extern "C" PG_API int pg_log_softmax_backward(const pg_tensor* y, const pg_tensor* dy, const pg_tensor* dx,
                                              int32_t axis, void* stream) {
  return pgops::softmax_backward("log_softmax_backward", y, dy, dx, axis, true, stream);
}
