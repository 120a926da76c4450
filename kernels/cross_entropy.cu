// Cross-entropy of logits along the last axis against class indices: loss per row, and its gradient.
// A target outside [0, classes) means "ignore": loss 0, gradient 0.
#include "support/index.cuh"
#include "support/row.cuh"
#include "support/softmax_op.cuh"

namespace pgops {
namespace {

struct entropy_args {
  int64_t classes, class_stride, out_stride;
  bool wide;  // i64 targets
  bool vector;
};

constexpr int kEntropyBlock = 256;

template <class T>
__device__ __forceinline__ max_sum<compute_t<T>> row_stats(const T* x, const entropy_args& args) {
  strided<1> along;
  along.ndim = 1;
  along.stride[0][0] = args.class_stride;
  const auto mine = reduce_range<logsumexp_op<T>>(x, 0, args.classes, int(threadIdx.x), kEntropyBlock,
                                                  args.class_stride == 1, along, false);
  return pg::block_reduce<kEntropyBlock>(mine, merger<logsumexp_op<T>>(), logsumexp_op<T>::identity());
}

// Operands: loss, logits, targets.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kEntropyBlock)
    entropy_forward(const T* logits, const void* targets, T* loss, entropy_args args,
                    const PG_GRID_CONSTANT strided<3> batch) {
  using C = compute_t<T>;
  int64_t at[3];
  batch.offsets(blockIdx.x, at);
  const T* x = logits + at[1];
  const int64_t target = load_index(targets, at[2], args.wide);
  const bool counts = target >= 0 && target < args.classes;
  const auto s = row_stats(x, args);
  if (threadIdx.x == 0) {
    // NaN where a logit is infinite, as in log_softmax.
    const C value = counts ? logsumexp_op<T>::value(s) + (s.sum - s.sum) - widen(x[target * args.class_stride]) : C(0);
    loss[at[0]] = narrow<T>(value);
  }
}

// Operands: dlogits, logits, targets, dloss.
template <class T>
__global__ void PG_LAUNCH_BOUNDS(kEntropyBlock)
    entropy_backward(const T* logits, const void* targets, const T* dloss, T* dlogits, entropy_args args,
                     const PG_GRID_CONSTANT strided<4> batch) {
  using C = compute_t<T>;
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  int64_t at[4];
  batch.offsets(blockIdx.x, at);
  const T* x = logits + at[1];
  T* to = dlogits + at[0];
  const int64_t target = load_index(targets, at[2], args.wide);
  const bool counts = target >= 0 && target < args.classes;
  const C scale = counts ? widen(dloss[at[3]]) : C(0);
  const auto s = row_stats(x, args);
  const C inverse = C(1) / (s.sum + (s.sum - s.sum));  // NaN where a logit is infinite
  const auto gradient = [&](C value, int64_t i) {
    if (!counts) return C(0);
    return scale * (m::exp(value - s.top) * inverse - (i == target ? C(1) : C(0)));
  };
  if (kVec > 2 && args.vector) {  // a second copy of the double exponential would spill
    for (int64_t i = int64_t(threadIdx.x) * kVec; i < args.classes; i += kEntropyBlock * kVec) {
      auto v = pg::load_vec<kVec>(x + i);
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) v[j] = narrow<T>(gradient(widen(v[j]), i + j));
      pg::store_vec<kVec>(to + i, v);
    }
  } else {
    for (int64_t i = threadIdx.x; i < args.classes; i += kEntropyBlock)
      to[i * args.out_stride] = narrow<T>(gradient(widen(x[i * args.class_stride]), i));
  }
}

// `rows` has logits' shape without the last axis.
int check_rows(const char* op, const view& logits, const view& rows) {
  bool fits = rows.ndim == logits.ndim - 1;
  for (int d = 0; fits && d < rows.ndim; ++d) fits = rows.shape[d] == logits.shape[d];
  if (fits) return PG_OK;
  return fail(PG_ERR_SHAPE, "%s: '%s' has shape %s; it must be that of 'logits', %s, without the last axis", op,
              rows.name, shape_text(rows).text, shape_text(logits).text);
}

int parse_entropy(const char* op, const pg_tensor* tlogits, const pg_tensor* ttargets, view& logits, view& targets) {
  PG_TRY(parse(tlogits, op, "logits", logits));
  PG_TRY(parse(ttargets, op, "targets", targets));
  PG_TRY(want_index(op, targets));
  if (logits.ndim == 0) return fail(PG_ERR_SHAPE, "%s: 'logits' needs at least one dimension", op);
  PG_TRY(check_rows(op, logits, targets));
  if (logits.shape[logits.ndim - 1] == 0) return fail(PG_ERR_SHAPE, "%s: 'logits' has no classes", op);
  return PG_OK;
}

}  // namespace
}  // namespace pgops

using namespace pgops;

extern "C" PG_API int pg_cross_entropy(const pg_tensor* tlogits, const pg_tensor* ttargets, const pg_tensor* tloss,
                                       void* stream) {
  const char* op = "cross_entropy";
  view logits, targets, loss;
  PG_TRY(parse_entropy(op, tlogits, ttargets, logits, targets));
  PG_TRY(parse(tloss, op, "loss", loss));
  PG_TRY(same_dtype(op, logits, loss));
  PG_TRY(check_rows(op, logits, loss));
  PG_TRY(check_output(op, loss));
  PG_TRY(check_alias(op, loss, logits, false));
  PG_TRY(check_alias(op, loss, targets, false));
  const int last = logits.ndim - 1;
  layout<3> batch;
  for (int d = 0; d < last; ++d) {
    const int64_t s[3] = {loss.stride[d], logits.stride[d], targets.stride[d]};
    batch.push(logits.shape[d], s);
  }
  return dispatch(op, logits.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (batch.numel() == 0) return int(PG_OK);
    batch.normalize();
    PG_TRY(check_rank(op, batch.ndim));
    const entropy_args args{logits.shape[last], logits.stride[last], 0, targets.dtype == PG_I64, false};
    return for_chunks(batch, [&](const layout<3>& piece, const int64_t (&start)[3]) {
      return launched(PG_LAUNCH((entropy_forward<T>), unsigned(piece.numel()), kEntropyBlock, 0, stream,
                                reinterpret_cast<const T*>(logits.data) + start[1],
                                targets.data + start[2] * targets.item(), reinterpret_cast<T*>(loss.data) + start[0],
                                args, piece.device()), op);
    });
  });
}

extern "C" PG_API int pg_cross_entropy_backward(const pg_tensor* tlogits, const pg_tensor* ttargets,
                                                const pg_tensor* tdloss, const pg_tensor* tdlogits, void* stream) {
  const char* op = "cross_entropy_backward";
  view logits, targets, dloss, dlogits;
  PG_TRY(parse_entropy(op, tlogits, ttargets, logits, targets));
  PG_TRY(parse(tdloss, op, "dloss", dloss));
  PG_TRY(parse(tdlogits, op, "dlogits", dlogits));
  PG_TRY(same_dtype(op, logits, dloss));
  PG_TRY(same_dtype(op, logits, dlogits));
  PG_TRY(check_rows(op, logits, dloss));
  PG_TRY(same_shape(op, logits, dlogits));
  PG_TRY(check_output(op, dlogits));
  PG_TRY(check_alias(op, dlogits, logits, true));
  PG_TRY(check_alias(op, dlogits, targets, false));
  PG_TRY(check_alias(op, dlogits, dloss, false));
  const int last = logits.ndim - 1;
  layout<4> batch;
  for (int d = 0; d < last; ++d) {
    const int64_t s[4] = {dlogits.stride[d], logits.stride[d], targets.stride[d], dloss.stride[d]};
    batch.push(logits.shape[d], s);
  }
  return dispatch(op, logits.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (batch.numel() == 0) return int(PG_OK);
    batch.normalize();
    PG_TRY(check_rank(op, batch.ndim));
    const int64_t vec = kVectorBytes / int64_t(sizeof(T));
    entropy_args args{logits.shape[last], logits.stride[last], dlogits.stride[last], targets.dtype == PG_I64, true};
    const view* both[2] = {&dlogits, &logits};
    args.vector = args.classes % vec == 0;
    for (int k = 0; k < 2; ++k) {
      const char* data = both[k]->data + batch.start[k] * int64_t(sizeof(T));
      args.vector = args.vector && both[k]->stride[last] == 1 &&
                    reinterpret_cast<uintptr_t>(data) % kVectorBytes == 0;
      for (int d = 0; d < batch.ndim; ++d) args.vector = args.vector && batch.stride[d][k] % vec == 0;
    }
    return for_chunks(batch, [&](const layout<4>& piece, const int64_t (&start)[4]) {
      return launched(PG_LAUNCH((entropy_backward<T>), unsigned(piece.numel()), kEntropyBlock, 0, stream,
                                reinterpret_cast<const T*>(logits.data) + start[1],
                                targets.data + start[2] * targets.item(),
                                reinterpret_cast<const T*>(dloss.data) + start[3],
                                reinterpret_cast<T*>(dlogits.data) + start[0], args, piece.device()), op);
    });
  });
}
