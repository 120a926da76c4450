// One gradient step of logistic regression in one kernel: w -= rate * x^T (sigmoid(x w) - y) / n.
// Blocks leave partial gradients; the last one to finish adds them up in a fixed order and updates w.
#include "support/row.cuh"

namespace pgops {
namespace {

constexpr int kStepGroups = kRowBlock / kRowGroup;
constexpr int kStepItems = 8;                                     // features a lane keeps
constexpr int64_t kMostFeatures = int64_t(kRowGroup) * kStepItems;
constexpr int kMostBlocks = 128;

struct step_args {
  int64_t rows, features;
  int64_t x_row, x_feature, y_row, w_feature;
  double rate;
  int32_t blocks;
};

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kRowBlock)
    logistic_step(const T* x, const T* y, T* w, compute_t<T>* partial, uint32_t* done, step_args args) {
  using C = compute_t<T>;
  __shared__ C shared[kStepGroups][kMostFeatures];
  __shared__ bool is_last;
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) / kRowGroup;
  const int n = int(args.features);
  C weights[kStepItems], gradient[kStepItems];
  PG_UNROLL
  for (int i = 0; i < kStepItems; ++i) {
    const int f = lane + i * kRowGroup;
    weights[i] = f < n ? widen(w[f * args.w_feature]) : C(0);
    gradient[i] = C(0);
  }
  for (int64_t row = int64_t(blockIdx.x) * kStepGroups + group; row < args.rows;
       row += int64_t(args.blocks) * kStepGroups) {
    C value[kStepItems], dot = C(0);
    PG_UNROLL
    for (int i = 0; i < kStepItems; ++i) {
      const int f = lane + i * kRowGroup;
      value[i] = f < n ? widen(x[row * args.x_row + f * args.x_feature]) : C(0);
      dot += value[i] * weights[i];
    }
    dot = pg::warp_reduce<kRowGroup>(dot, pg::plus());
    const C error = C(1) / (C(1) + m::exp(-dot)) - widen(y[row * args.y_row]);
    PG_UNROLL
    for (int i = 0; i < kStepItems; ++i) gradient[i] += error * value[i];
  }
  PG_UNROLL
  for (int i = 0; i < kStepItems; ++i) shared[group][lane + i * kRowGroup] = gradient[i];
  __syncthreads();
  for (int f = int(threadIdx.x); f < n; f += kRowBlock) {
    C sum = shared[0][f];
    for (int g = 1; g < kStepGroups; ++g) sum += shared[g][f];
    partial[int64_t(blockIdx.x) * n + f] = sum;
  }
  pg::fence_device();
  __syncthreads();
  if (threadIdx.x == 0) is_last = pg::atomic_add(done, 1u) == uint32_t(args.blocks - 1);
  __syncthreads();
  if (!is_last) return;
  pg::fence_device();
  const volatile C* each = partial;
  const C scale = C(args.rate) / C(args.rows);
  for (int f = int(threadIdx.x); f < n; f += kRowBlock) {
    C sum = C(0);
    PG_UNROLL_N(8)
    for (int b = 0; b < args.blocks; ++b) sum += each[int64_t(b) * n + f];
    w[f * args.w_feature] = narrow<T>(widen(w[f * args.w_feature]) - scale * sum);
  }
  if (threadIdx.x == 0) *done = 0;  // ready for the next step
}

int logistic(const pg_tensor* tx, const pg_tensor* ty, const pg_tensor* tw, double rate, int32_t steps,
             void* workspace, size_t have, size_t* bytes, void* stream) {
  const char* op = "logistic_step";
  view x, y, w;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(ty, op, "y", y));
  PG_TRY(parse(tw, op, "w", w));
  PG_TRY(same_dtype(op, x, y));
  PG_TRY(same_dtype(op, x, w));
  if (x.ndim != 2 || y.ndim != 1 || w.ndim != 1 || y.shape[0] != x.shape[0] || w.shape[0] != x.shape[1])
    return fail(PG_ERR_SHAPE, "%s: shapes %s, %s, %s are not (rows, features), (rows), (features)", op,
                shape_text(x).text, shape_text(y).text, shape_text(w).text);
  if (x.shape[1] > kMostFeatures)
    return fail(PG_ERR_SIZE, "%s: %lld features; at most %lld are supported", op,
                static_cast<long long>(x.shape[1]), static_cast<long long>(kMostFeatures));
  if (steps < 0) return fail(PG_ERR_VALUE, "%s: steps is %d; it must not be negative", op, int(steps));
  PG_TRY(check_output(op, w));
  PG_TRY(check_alias(op, w, x, false));
  PG_TRY(check_alias(op, w, y, false));
  return dispatch(op, x.dtype, built_types<types<float>, types<double>>{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using C = compute_t<T>;
    step_args args{x.shape[0], x.shape[1], x.stride[0], x.stride[1], y.stride[0], w.stride[0], rate, 1};
    const int64_t wanted = (args.rows + 2 * kStepGroups - 1) / (2 * kStepGroups);
    args.blocks = int32_t(wanted < 1 ? 1 : wanted > kMostBlocks ? kMostBlocks : wanted);
    carver space(workspace);
    uint32_t* done = space.take<uint32_t>(1);
    C* partial = space.take<C>(args.blocks * args.features);
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, space.used));
    if (args.rows == 0 || args.features == 0 || steps == 0) return int(PG_OK);
    PG_TRY(launched(pg::memset(done, 0, sizeof *done, stream), op));
    for (int32_t s = 0; s < steps; ++s)
      PG_TRY(launched(PG_LAUNCH((logistic_step<T>), unsigned(args.blocks), kRowBlock, 0, stream,
                                reinterpret_cast<const T*>(x.data), reinterpret_cast<const T*>(y.data),
                                reinterpret_cast<T*>(w.data), partial, done, args), op));
    return int(PG_OK);
  });
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_logistic_step(const pg_tensor* x, const pg_tensor* y, const pg_tensor* w, double rate,
                                       int32_t steps, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::logistic(x, y, w, rate, steps, workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_logistic_step_workspace(const pg_tensor* x, const pg_tensor* y, const pg_tensor* w,
                                                 double rate, int32_t steps, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "logistic_step_workspace: bytes is NULL");
  return pgops::logistic(x, y, w, rate, steps, nullptr, 0, bytes, nullptr);
}
