// Elementwise ops of one operand that carry parameters: as elementwise.cuh, with the op as an argument.
#pragma once

#include "elementwise.cuh"

namespace pgops {

template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    with_contiguous(const T* x, T* out, int64_t n, const PG_GRID_CONSTANT Op op, bool aligned) {
  constexpr int kVec = kVectorBytes / int(sizeof(T));
  const int64_t at = (int64_t(blockIdx.x) * kMapBlock + threadIdx.x) * kVec;
  if (aligned && at + kVec <= n) {
    auto v = pg::load_vec<kVec>(x + at);
    PG_UNROLL
    for (int j = 0; j < kVec; ++j) v[j] = narrow<T>(op(widen(v[j])));
    pg::store_vec<kVec>(out + at, v);
  } else {
    for (int64_t i = at; i < at + kVec && i < n; ++i) out[i] = narrow<T>(op(widen(x[i])));
  }
}

template <class Op, class T>
__global__ void PG_LAUNCH_BOUNDS(kMapBlock)
    with_strided(const T* x, T* out, uint32_t n, const PG_GRID_CONSTANT Op op,
                 const PG_GRID_CONSTANT strided<2> map) {
  const uint32_t i = blockIdx.x * kMapBlock + threadIdx.x;
  if (i >= n) return;
  int64_t at[2];
  map.offsets(i, at);
  out[at[0]] = narrow<T>(op(widen(x[at[1]])));
}

template <class Op, class T>
int launch_with(const char* name, const Op& op, const layout<2>& plan, const view& x, const view& out, void* stream) {
  const int64_t n = plan.numel();
  if (n == 0) return PG_OK;
  const T* from = reinterpret_cast<const T*>(x.data);
  T* to = reinterpret_cast<T*>(out.data);
  if (plan.contiguous(0) && plan.contiguous(1)) {
    constexpr int kVec = kVectorBytes / int(sizeof(T));
    constexpr int64_t kPerBlock = int64_t(kMapBlock) * kVec;
    from += plan.start[1];
    to += plan.start[0];
    const bool aligned = aligned_for<T>(from, kVec) && aligned_for<T>(to, kVec);
    return for_grids(n, kPerBlock, [&](int64_t first, int64_t count) {
      return launched(PG_LAUNCH((with_contiguous<Op, T>), blocks_for(count, kPerBlock), kMapBlock, 0, stream,
                                from + first, to + first, count, op, aligned), name);
    });
  }
  return for_chunks(plan, [&](const layout<2>& piece, const int64_t (&start)[2]) {
    const int64_t count = piece.numel();
    return launched(PG_LAUNCH((with_strided<Op, T>), blocks_for(count, kMapBlock), kMapBlock, 0, stream,
                              from + start[1], to + start[0], uint32_t(count), op, piece.device()), name);
  });
}

// make(tag<T>{}) gives the op for an element type.
template <class Types, class Make>
int unary_with(const char* name, const pg_tensor* tx, const pg_tensor* tout, Make make, void* stream) {
  view out, in[1];
  PG_TRY(parse(tx, name, "x", in[0]));
  PG_TRY(parse(tout, name, "out", out));
  PG_TRY(same_dtype(name, in[0], out));
  return dispatch(name, out.dtype, Types{}, [&](auto t) {
    using T = typename decltype(t)::type;
    layout<2> plan;
    PG_TRY(plan_map<2>(name, out, in, plan));
    const auto op = make(t);
    return launch_with<decltype(op), T>(name, op, plan, in[0], out, stream);
  });
}

}  // namespace pgops
