// Elementwise ops: out = Op(inputs...), any broadcastable shapes and layouts.
// An Op has `static R run(A...)` on compute types and `static constexpr int unroll`: 1 marks heavy
// arithmetic, of which there are fewer copies in a thread.
#pragma once

#include "layout.cuh"
#include "types.cuh"

namespace pgops {

constexpr int kMapBlock = 256;

// Elements of one vector access: 16 bytes of the wider type, four for heavy arithmetic.
template <class T, class R>
constexpr int most_vector = kVectorBytes / int(sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R));
template <class Op, class T, class R>
constexpr int map_vector = Op::unroll == 1 && most_vector<T, R> > 4 ? 4 : most_vector<T, R>;
// Elements a thread takes in strided kernels.
template <class Op>
constexpr int map_strided = Op::unroll == 1 ? 1 : 2;

template <class R, class V>
__device__ __forceinline__ R finish(V value) {
  if constexpr (std::is_same_v<V, bool>) return R(value);
  else return narrow<R>(value);
}

template <class Op, class T, class R>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock) unary_contiguous(const T* x, R* out, int64_t n, bool aligned) {
  constexpr int kVec = map_vector<Op, T, R>;
  constexpr int kTile = kMapBlock * kVec;
  const int64_t start = int64_t(blockIdx.x) * kTile;
  if (aligned && start + kTile <= n) {
    const pg::vec<T, kVec> in = pg::load_vec<kVec>(x + start + int(threadIdx.x) * kVec);
    pg::vec<R, kVec> result;
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) result[i] = finish<R>(Op::run(widen(in[i])));
    pg::store_vec<kVec>(out + start + int(threadIdx.x) * kVec, result);
  } else {
    const int64_t end = start + kTile < n ? start + kTile : n;
    for (int64_t i = start + threadIdx.x; i < end; i += kMapBlock) out[i] = finish<R>(Op::run(widen(x[i])));
  }
}

template <class Op, class T, class R>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    unary_strided(const T* x, R* out, uint32_t n, const PG_GRID_CONSTANT strided<2> map) {
  constexpr int kCount = map_strided<Op>;
  const uint32_t first = blockIdx.x * (kMapBlock * kCount) + threadIdx.x;
  T in[kCount];
  int64_t to[kCount];
  PG_UNROLL
  for (int u = 0; u < kCount; ++u) {
    const uint32_t i = first + uint32_t(u) * kMapBlock;
    int64_t at[2] = {0, 0};
    if (i < n) map.offsets(i, at);
    to[u] = at[0];
    in[u] = x[at[1]];
  }
  PG_UNROLL
  for (int u = 0; u < kCount; ++u)
    if (first + uint32_t(u) * kMapBlock < n) out[to[u]] = finish<R>(Op::run(widen(in[u])));
}

template <class Op, class T, class R>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    binary_contiguous(const T* a, const T* b, R* out, int64_t n, bool a_constant, bool b_constant, bool aligned) {
  constexpr int kVec = map_vector<Op, T, R>;
  constexpr int kTile = kMapBlock * kVec;
  const int64_t start = int64_t(blockIdx.x) * kTile;
  if (aligned && start + kTile <= n) {
    const int64_t at = start + int(threadIdx.x) * kVec;
    pg::vec<T, kVec> left, right;
    if (a_constant) {
      PG_UNROLL
      for (int i = 0; i < kVec; ++i) left[i] = *a;
    } else {
      left = pg::load_vec<kVec>(a + at);
    }
    if (b_constant) {
      PG_UNROLL
      for (int i = 0; i < kVec; ++i) right[i] = *b;
    } else {
      right = pg::load_vec<kVec>(b + at);
    }
    pg::vec<R, kVec> result;
    PG_UNROLL
    for (int i = 0; i < kVec; ++i) result[i] = finish<R>(Op::run(widen(left[i]), widen(right[i])));
    pg::store_vec<kVec>(out + at, result);
  } else {
    const int64_t end = start + kTile < n ? start + kTile : n;
    for (int64_t i = start + threadIdx.x; i < end; i += kMapBlock)
      out[i] = finish<R>(Op::run(widen(a[a_constant ? 0 : i]), widen(b[b_constant ? 0 : i])));
  }
}

template <class Op, class T, class R>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    binary_strided(const T* a, const T* b, R* out, uint32_t n, const PG_GRID_CONSTANT strided<3> map) {
  constexpr int kCount = map_strided<Op>;
  const uint32_t first = blockIdx.x * (kMapBlock * kCount) + threadIdx.x;
  T left[kCount], right[kCount];
  int64_t to[kCount];
  PG_UNROLL
  for (int u = 0; u < kCount; ++u) {
    const uint32_t i = first + uint32_t(u) * kMapBlock;
    int64_t at[3] = {0, 0, 0};
    if (i < n) map.offsets(i, at);
    to[u] = at[0];
    left[u] = a[at[1]];
    right[u] = b[at[2]];
  }
  PG_UNROLL
  for (int u = 0; u < kCount; ++u)
    if (first + uint32_t(u) * kMapBlock < n) out[to[u]] = finish<R>(Op::run(widen(left[u]), widen(right[u])));
}

// Checks K-1 inputs against the output, broadcasts them, and merges the common layout (operand 0: output).
template <int K>
int plan_map(const char* op, const view& out, view (&in)[K - 1], layout<K>& plan) {
  PG_TRY(check_output(op, out));
  for (int k = 0; k < K - 1; ++k) {
    PG_TRY(broadcast_to(op, in[k], out));
    PG_TRY(check_alias(op, out, in[k], true));
  }
  plan.ndim = 0;
  for (int d = 0; d < out.ndim; ++d) {
    int64_t s[K];
    s[0] = out.stride[d];
    for (int k = 1; k < K; ++k) s[k] = in[k - 1].stride[d];
    plan.push(out.shape[d], s);
  }
  if (plan.numel() == 0) return PG_OK;
  plan.normalize();
  return check_rank(op, plan.ndim);
}

inline unsigned blocks_for(int64_t n, int64_t per_block) { return unsigned((n + per_block - 1) / per_block); }

// Launches fn(first, count) so that no grid exceeds what 31 bits of block index can cover.
template <class Fn>
int for_grids(int64_t n, int64_t per_block, Fn fn) {
  const int64_t most = per_block * 0x7fffffff;
  for (int64_t first = 0; first < n; first += most)
    PG_TRY(fn(first, n - first < most ? n - first : most));
  return PG_OK;
}

template <class Op, class T, class R>
int launch_unary(const char* op, const layout<2>& plan, const view& x, const view& out, void* stream) {
  const int64_t n = plan.numel();
  if (n == 0) return PG_OK;
  const T* src = reinterpret_cast<const T*>(x.data);
  R* dst = reinterpret_cast<R*>(out.data);
  if (plan.contiguous(0) && plan.contiguous(1)) {
    constexpr int kVec = map_vector<Op, T, R>;
    src += plan.start[1];
    dst += plan.start[0];
    const bool aligned = aligned_for<T>(src, kVec) && aligned_for<R>(dst, kVec);
    constexpr int64_t kTile = kMapBlock * kVec;
    return for_grids(n, kTile, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((unary_contiguous<Op, T, R>), blocks_for(count, kTile), kMapBlock, 0, stream,
                                src + first, dst + first, count, aligned), op);
    });
  }
  return for_chunks(plan, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((unary_strided<Op, T, R>), blocks_for(count, kMapBlock * map_strided<Op>), kMapBlock, 0,
                              stream, src + start[1], dst + start[0], uint32_t(count), piece.device()), op);
  });
}

template <class Op, class T, class R>
int launch_binary(const char* op, const layout<3>& plan, const view& a, const view& b, const view& out,
                  void* stream) {
  const int64_t n = plan.numel();
  if (n == 0) return PG_OK;
  const T* left = reinterpret_cast<const T*>(a.data);
  const T* right = reinterpret_cast<const T*>(b.data);
  R* dst = reinterpret_cast<R*>(out.data);
  const bool ac = plan.constant(1), bc = plan.constant(2);
  if (plan.contiguous(0) && (ac || plan.contiguous(1)) && (bc || plan.contiguous(2))) {
    constexpr int kVec = map_vector<Op, T, R>;
    left += plan.start[1];
    right += plan.start[2];
    dst += plan.start[0];
    const bool aligned = (ac || aligned_for<T>(left, kVec)) && (bc || aligned_for<T>(right, kVec)) &&
                         aligned_for<R>(dst, kVec);
    constexpr int64_t kTile = kMapBlock * kVec;
    return for_grids(n, kTile, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((binary_contiguous<Op, T, R>), blocks_for(count, kTile), kMapBlock, 0, stream,
                                left + (ac ? 0 : first), right + (bc ? 0 : first), dst + first, count, ac, bc,
                                aligned), op);
    });
  }
  return for_chunks(plan, [&](const layout<3>& piece, const int64_t (&start)[3]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((binary_strided<Op, T, R>), blocks_for(count, kMapBlock * map_strided<Op>), kMapBlock, 0,
                              stream, left + start[1], right + start[2], dst + start[0], uint32_t(count),
                              piece.device()), op);
  });
}

// Result: void means the input's type.
template <class Op, class Types, class Result = void>
int unary(const char* op, const pg_tensor* tx, const pg_tensor* tout, void* stream) {
  view out, in[1];
  PG_TRY(parse(tx, op, "x", in[0]));
  PG_TRY(parse(tout, op, "out", out));
  return dispatch(op, in[0].dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
    PG_TRY(want_dtype(op, out, type_code<R>::value));
    layout<2> plan;
    PG_TRY(plan_map<2>(op, out, in, plan));
    return launch_unary<Op, T, R>(op, plan, in[0], out, stream);
  });
}

template <class Op, class Types, class Result = void>
int binary(const char* op, const pg_tensor* ta, const pg_tensor* tb, const pg_tensor* tout, void* stream,
           const char* a_name = "a", const char* b_name = "b") {
  view out, in[2];
  PG_TRY(parse(ta, op, a_name, in[0]));
  PG_TRY(parse(tb, op, b_name, in[1]));
  PG_TRY(parse(tout, op, "out", out));
  PG_TRY(same_dtype(op, in[0], in[1]));
  return dispatch(op, in[0].dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
    PG_TRY(want_dtype(op, out, type_code<R>::value));
    layout<3> plan;
    PG_TRY(plan_map<3>(op, out, in, plan));
    return launch_binary<Op, T, R>(op, plan, in[0], in[1], out, stream);
  });
}

}  // namespace pgops

#define PG_UNARY(NAME, OP, TYPES, ...)                                                         \
  extern "C" PG_API int pg_##NAME(const pg_tensor* x, const pg_tensor* out, void* stream) {    \
    return pgops::unary<OP, TYPES, ##__VA_ARGS__>(#NAME, x, out, stream);                      \
  }
#define PG_BINARY(NAME, OP, TYPES, ...)                                                        \
  extern "C" PG_API int pg_##NAME(const pg_tensor* a, const pg_tensor* b, const pg_tensor* out, \
                                  void* stream) {                                              \
    return pgops::binary<OP, TYPES, ##__VA_ARGS__>(#NAME, a, b, out, stream);                  \
  }
