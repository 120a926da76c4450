// Gradient steps of logistic regression, one kernel each: w -= rate * x^T (sigmoid(x w) - y) / n.
// A step leaves partial gradients of its blocks; the next one adds them up, every block for itself and in
// the same order, so that no block waits for another within a step. A last kernel writes w.
#include "support/row.cuh"

namespace pgops {
namespace {

constexpr int kStepBlock = 512;
constexpr int kStepGroups = kStepBlock / kRowGroup;
constexpr int kStepItems = 8;                                     // features a lane keeps
constexpr int kStepRows = 2;                                      // rows a group has in flight
constexpr int kMostFeatures = kRowGroup * kStepItems;
constexpr int kMostBlocks = 128;

struct step_args {
  int64_t rows, features;
  int64_t x_row, x_feature, y_row, w_feature;
  double rate;
  int32_t blocks, step;
};

// What is carried from one step to the next, twice: a step reads one half and writes the other.
template <class C>
struct step_state {
  C* weights;  // [2][features], before the update by `partial`
  C* partial;  // [2][blocks][features]
};

// The weights before step `args.step` into `now`; `scratch` holds a value for each thread.
template <class T, class C>
__device__ __forceinline__ void weights_before(const T* w, const step_state<C>& state, const step_args& args, C* now,
                                               C* scratch) {
  const int n = int(args.features), t = int(threadIdx.x);
  if (args.step == 0) {
    if (t < n) now[t] = widen(w[t * args.w_feature]);
    __syncthreads();
    return;
  }
  const int half = (args.step - 1) & 1;
  const C* partial = state.partial + int64_t(half) * args.blocks * n;
  // Threads share a feature's blocks: 128 or 256 of them side by side, all loads in flight.
  const int wide = n <= kMostFeatures / 2 ? kMostFeatures / 2 : kMostFeatures;
  const int f = t % wide, part = t / wide, parts = kStepBlock / wide;
  C sum = C(0);
  if (f < n) {
    PG_UNROLL_N(8)
    for (int b = part; b < args.blocks; b += parts) sum += partial[int64_t(b) * n + f];
  }
  scratch[t] = sum;
  __syncthreads();
  if (t < n) {
    C total = C(0);
    for (int p = 0; p < parts; ++p) total += scratch[p * wide + t];
    now[t] = state.weights[half * n + t] - C(args.rate) / C(args.rows) * total;
  }
  __syncthreads();
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kStepBlock)
    logistic_step(const T* x, const T* y, const T* w, step_state<compute_t<T>> state,
                  const PG_GRID_CONSTANT step_args args) {
  using C = compute_t<T>;
  __shared__ C now[kMostFeatures];
  __shared__ C shared[kStepGroups][kMostFeatures];
  const int lane = int(threadIdx.x) % kRowGroup, group = int(threadIdx.x) / kRowGroup;
  const int n = int(args.features);
  const int64_t first = int64_t(blockIdx.x) * kStepGroups + group, stride = int64_t(args.blocks) * kStepGroups;
  C value[kStepRows][kStepItems], label[kStepRows];
  const auto fetch = [&](int64_t row0) {
    PG_UNROLL
    for (int r = 0; r < kStepRows; ++r) {
      const int64_t row = row0 + r * stride;
      label[r] = row < args.rows ? widen(y[row * args.y_row]) : C(0);
      PG_UNROLL
      for (int i = 0; i < kStepItems; ++i) {
        const int f = lane + i * kRowGroup;
        value[r][i] = row < args.rows && f < n ? widen(x[row * args.x_row + f * args.x_feature]) : C(0);
      }
    }
  };
  fetch(first);  // does not depend on the step before
  weights_before(w, state, args, now, &shared[0][0]);
  C weights[kStepItems], gradient[kStepItems];
  PG_UNROLL
  for (int i = 0; i < kStepItems; ++i) {
    const int f = lane + i * kRowGroup;
    weights[i] = f < n ? now[f] : C(0);
    gradient[i] = C(0);
  }
  if (blockIdx.x == 0 && int(threadIdx.x) < n) state.weights[(args.step & 1) * n + threadIdx.x] = now[threadIdx.x];
  for (int64_t row0 = first; row0 < args.rows; row0 += kStepRows * stride) {
    if (row0 != first) fetch(row0);
    PG_UNROLL
    for (int r = 0; r < kStepRows; ++r) {
      C dot = C(0);
      PG_UNROLL
      for (int i = 0; i < kStepItems; ++i) dot += value[r][i] * weights[i];
      dot = pg::warp_reduce<kRowGroup>(dot, pg::plus());
      const C error = C(1) / (C(1) + m::exp(-dot)) - label[r];  // of a missing row: its values are 0
      PG_UNROLL
      for (int i = 0; i < kStepItems; ++i) gradient[i] += error * value[r][i];
    }
  }
  PG_UNROLL
  for (int i = 0; i < kStepItems; ++i) shared[group][lane + i * kRowGroup] = gradient[i];
  __syncthreads();
  if (int(threadIdx.x) < n) {
    C sum = C(0);
    PG_UNROLL
    for (int g = 0; g < kStepGroups; ++g) sum += shared[g][threadIdx.x];
    state.partial[(int64_t(args.step & 1) * args.blocks + blockIdx.x) * n + threadIdx.x] = sum;
  }
}

template <class T>
__global__ void PG_LAUNCH_BOUNDS(kStepBlock)
    logistic_finish(T* w, step_state<compute_t<T>> state, const PG_GRID_CONSTANT step_args args) {
  __shared__ compute_t<T> now[kMostFeatures], scratch[kStepBlock];
  weights_before(w, state, args, now, scratch);
  if (int(threadIdx.x) < int(args.features)) w[threadIdx.x * args.w_feature] = narrow<T>(now[threadIdx.x]);
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
    step_args args{x.shape[0], x.shape[1], x.stride[0], x.stride[1], y.stride[0], w.stride[0], rate, 1, 0};
    const int64_t wanted = (args.rows + kStepRows * kStepGroups - 1) / (kStepRows * kStepGroups);
    args.blocks = int32_t(wanted < 1 ? 1 : wanted > kMostBlocks ? kMostBlocks : wanted);
    carver space(workspace);
    step_state<C> state;
    state.weights = space.take<C>(2 * args.features);
    state.partial = space.take<C>(2 * args.blocks * args.features);
    if (bytes != nullptr) {
      *bytes = space.used;
      return int(PG_OK);
    }
    PG_TRY(check_workspace(op, workspace, have, space.used));
    if (args.rows == 0 || args.features == 0 || steps == 0) return int(PG_OK);
    T* to = reinterpret_cast<T*>(w.data);
    for (; args.step < steps; ++args.step)
      PG_TRY(launched(PG_LAUNCH((logistic_step<T>), unsigned(args.blocks), kStepBlock, 0, stream,
                                reinterpret_cast<const T*>(x.data), reinterpret_cast<const T*>(y.data),
                                static_cast<const T*>(to), state, args), op));
    PG_TRY(launched(PG_LAUNCH((logistic_finish<T>), 1, kStepBlock, 0, stream, to, state, args), op));
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
