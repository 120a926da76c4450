// Layer norm and RMS norm over the last axis: one read, one write, row in registers up to 16384.
#pragma once

#include "moments.cuh"
#include "row.cuh"

namespace pgops {

struct norm_args {
  uint32_t rows;
  int64_t length;
  int64_t out_stride, x_stride, weight_stride, bias_stride;
  double eps;
  bool vector;
};

// How many elements of a row of n the group of lanes holds.
template <class Registers, int kLanes, int kItems>
__device__ __forceinline__ int group_count(int group, bool vector, int n) {
  if (n == kLanes * kItems) return kRowGroup * kItems;
  const int width = vector ? Registers::kVec : 1;
  int count = 0;
  for (int first = group * kRowGroup * width; first < n; first += kLanes * width)
    count += n - first < kRowGroup * width ? n - first : kRowGroup * width;
  return count;
}

// weight and bias may be null.
template <class T, int kLanes, int kItems, bool kRms>
__global__ void PG_LAUNCH_BOUNDS(row_block<kLanes>)
    norm_registers(const T* x, const T* weight, const T* bias, T* out, norm_args args,
                   const PG_GRID_CONSTANT strided<2> batch) {
  using C = compute_t<T>;
  using registers = row_registers<T, kLanes, kItems>;
  const int lane = int(threadIdx.x) % kLanes;
  const uint32_t row = blockIdx.x * (row_block<kLanes> / kLanes) + threadIdx.x / kLanes;
  if (row >= args.rows) return;
  const int n = int(args.length);
  int64_t at[2];
  batch.offsets(row, at);
  registers r;
  r.load(x + at[1], args.x_stride, n, lane, args.vector, C(0));
  constexpr int kVec = registers::kVec, kPieces = kItems / kVec;
  C mean = C(0), square = C(0);
  if constexpr (kRms) {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) square += r.v[i] * r.v[i];
    square = pg::warp_reduce<kRowGroup>(square, pg::plus());
    if constexpr (kLanes > kRowGroup) {
      __shared__ C shared[row_groups<kLanes>];
      square = pg::warp_reduce<row_groups<kLanes>>(exchange_groups<kLanes>(square, shared), pg::plus());
    }
  } else {
    // Mean and squared deviations of each group of lanes, then of all groups by one barrier.
    C sum = C(0);
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) sum += r.v[i];
    const C count = C(group_count<registers, kLanes, kItems>(lane / kRowGroup, args.vector, n));
    mean = count > C(0) ? pg::warp_reduce<kRowGroup>(sum, pg::plus()) / count : C(0);
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const C d = registers::inside(i, lane, args.vector, n) ? r.v[i] - mean : C(0);
      square += d * d;
    }
    square = pg::warp_reduce<kRowGroup>(square, pg::plus());
    if constexpr (kLanes > kRowGroup) {
      __shared__ moments<C> shared[row_groups<kLanes>];
      const auto other = exchange_groups<kLanes>(moments<C>{count, mean, square}, shared);
      mean = pg::warp_reduce<row_groups<kLanes>>(other.count * other.mean, pg::plus()) / C(n);
      const C d = other.mean - mean;
      square = pg::warp_reduce<row_groups<kLanes>>(other.m2 + other.count * d * d, pg::plus());
    }
  }
  const C scale = C(1) / m::sqrt(square / C(n) + C(args.eps));
  if (args.vector) {
    T* to = out + at[0];
    PG_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      const int place = registers::place(p * kVec, lane, true);
      if (place >= n) continue;
      pg::vec<T, kVec> w, b, y;
      if (weight != nullptr) w = pg::load_vec<kVec>(weight + place);
      if (bias != nullptr) b = pg::load_vec<kVec>(bias + place);
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) {
        C value = (r.v[p * kVec + j] - mean) * scale;
        if (weight != nullptr) value *= widen(w[j]);
        if (bias != nullptr) value += widen(b[j]);
        y[j] = narrow<T>(value);
      }
      pg::store_vec<kVec>(to + place, y);
    }
  } else {
    PG_UNROLL
    for (int i = 0; i < kItems; ++i) {
      const int place = registers::place(i, lane, false);
      if (place >= n) continue;
      C value = (r.v[i] - mean) * scale;
      if (weight != nullptr) value *= widen(weight[place * args.weight_stride]);
      if (bias != nullptr) value += widen(bias[place * args.bias_stride]);
      out[at[0] + place * args.out_stride] = narrow<T>(value);
    }
  }
}

// Rows too long for registers: read twice, the second time mostly from cache.
template <class T, bool kRms>
__global__ void PG_LAUNCH_BOUNDS(kLongRowBlock)
    norm_looped(const T* x, const T* weight, const T* bias, T* out, norm_args args,
                const PG_GRID_CONSTANT strided<2> batch) {
  using C = compute_t<T>;
  using Op = std::conditional_t<kRms, squares_op<T>, moments_op<T>>;
  int64_t at[2];
  batch.offsets(blockIdx.x, at);
  const T* from = x + at[1];
  strided<1> along;
  along.ndim = 1;
  along.stride[0][0] = args.x_stride;
  auto s = reduce_range<Op>(from, 0, args.length, int(threadIdx.x), kLongRowBlock, args.x_stride == 1, along, false);
  s = pg::block_reduce<kLongRowBlock>(s, merger<Op>(), Op::identity());
  C mean = C(0), square;
  if constexpr (kRms) {
    square = s;
  } else {
    mean = s.mean;
    square = s.m2;
  }
  const C scale = C(1) / m::sqrt(square / C(args.length) + C(args.eps));
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  if (args.vector) {
    for (int64_t i = int64_t(threadIdx.x) * kVec; i < args.length; i += kLongRowBlock * kVec) {
      auto v = pg::load_vec<kVec>(from + i);
      pg::vec<T, kVec> w, b;
      if (weight != nullptr) w = pg::load_vec<kVec>(weight + i);
      if (bias != nullptr) b = pg::load_vec<kVec>(bias + i);
      PG_UNROLL
      for (int j = 0; j < kVec; ++j) {
        C y = (widen(v[j]) - mean) * scale;
        if (weight != nullptr) y *= widen(w[j]);
        if (bias != nullptr) y += widen(b[j]);
        v[j] = narrow<T>(y);
      }
      pg::store_vec<kVec>(out + at[0] + i, v);
    }
  } else {
    for (int64_t i = threadIdx.x; i < args.length; i += kLongRowBlock) {
      C y = (widen(from[i * args.x_stride]) - mean) * scale;
      if (weight != nullptr) y *= widen(weight[i * args.weight_stride]);
      if (bias != nullptr) y += widen(bias[i * args.bias_stride]);
      out[at[0] + i * args.out_stride] = narrow<T>(y);
    }
  }
}

// A weight or bias of x's last extent; leaves `v.data` null when the tensor is not given.
inline int parse_affine(const char* op, const pg_tensor* t, const char* name, const view& x, const view& out,
                        view& v) {
  if (t == nullptr) return PG_OK;
  PG_TRY(parse(t, op, name, v));
  PG_TRY(same_dtype(op, x, v));
  if (v.ndim != 1 || v.shape[0] != x.shape[x.ndim - 1])
    return fail(PG_ERR_SHAPE, "%s: '%s' has shape %s; one value for each of the %lld last-axis elements is needed", op,
                name, shape_text(v).text, static_cast<long long>(x.shape[x.ndim - 1]));
  return check_alias(op, out, v, false);
}

template <bool kRms>
int norm(const char* op, const pg_tensor* tx, const pg_tensor* tweight, const pg_tensor* tbias, const pg_tensor* tout,
         double eps, void* stream) {
  view x, out, weight, bias;
  int axis = 0;
  row_plan plan;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(normal_axis(op, x, -1, axis));
  PG_TRY(parse_affine(op, tweight, "weight", x, out, weight));
  PG_TRY(parse_affine(op, tbias, "bias", x, out, bias));
  if (!(eps >= 0)) return fail(PG_ERR_VALUE, "%s: eps is %g; it must not be negative", op, eps);
  PG_TRY(plan_rows(op, x, out, axis, plan));
  return dispatch(op, x.dtype, float_types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    if (plan.rows == 0 || plan.length == 0) return int(PG_OK);
    const auto steady = [&](const view& v) {  // fits 16-byte accesses, or is not there
      return v.data == nullptr || (v.stride[0] == 1 && reinterpret_cast<uintptr_t>(v.data) % kVectorBytes == 0);
    };
    norm_args args{};
    args.length = plan.length;
    args.out_stride = plan.out_stride;
    args.x_stride = plan.x_stride;
    args.weight_stride = weight.stride[0];
    args.bias_stride = bias.stride[0];
    args.eps = eps;
    args.vector = plan.vector && steady(weight) && steady(bias);
    const T* w = reinterpret_cast<const T*>(weight.data);
    const T* b = reinterpret_cast<const T*>(bias.data);
    return for_chunks(plan.batch, [&](const layout<2>& piece, const int64_t (&start)[2]) {
      const T* from = reinterpret_cast<const T*>(x.data) + start[1];
      T* to = reinterpret_cast<T*>(out.data) + start[0];
      args.rows = uint32_t(piece.numel());
      if (plan.length > kMostRegisterRow)
        return launched(PG_LAUNCH((norm_looped<T, kRms>), args.rows, kLongRowBlock, 0, stream, from, w, b, to, args,
                                  piece.device()), op);
      return dispatch_row(plan.length, [&](auto config) {
        using c = decltype(config);
        return launched(PG_LAUNCH((norm_registers<T, c::lanes, c::items, kRms>),
                                  blocks_for(args.rows, c::rows_per_block), c::block, 0, stream, from, w, b, to, args,
                                  piece.device()), op);
      });
    });
  });
}

}  // namespace pgops
