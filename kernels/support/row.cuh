// Ops along one axis that keep a row in registers: one read, one write.
#pragma once

#include "elementwise.cuh"
#include "layout.cuh"
#include "math.cuh"
#include "types.cuh"

namespace pgops {

constexpr int kRowBlock = 256;
constexpr int kRowGroup = PG_WARP_SIZE_MIN;  // lanes that share a short row
constexpr int kLongRowBlock = 512;           // threads of the kernels that read long rows twice

template <int kLanes>
constexpr int row_block = kLanes > kRowBlock ? kLanes : kRowBlock;

// kItems elements of a row for each of kLanes threads, in compute precision.
template <class T, int kLanes, int kItems>
struct row_registers {
  using C = compute_t<T>;
  static constexpr int kVec = kVectorBytes / int(sizeof(T)) < kItems ? kVectorBytes / int(sizeof(T)) : kItems;
  C v[kItems];

  // Index in the row of item i. Whole 16-byte pieces per thread, or neighbours for neighbouring threads.
  static __device__ __forceinline__ int place(int i, int lane, bool vector) {
    return vector ? (i / kVec * kLanes + lane) * kVec + i % kVec : i * kLanes + lane;
  }
  // Whether item i is in a row of n elements; one test for each 16-byte piece.
  static __device__ __forceinline__ bool inside(int i, int lane, bool vector, int n) {
    return place(vector ? i / kVec * kVec : i, lane, vector) < n;
  }
  __device__ __forceinline__ void load(const T* row, int64_t stride, int n, int lane, bool vector, C fill) {
    if (vector) {
      pg::vec<T, kVec> raw[kItems / kVec];
      PG_UNROLL
      for (int i = 0; i < kItems / kVec; ++i) {
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) raw[i][j] = narrow<T>(fill);
        if (place(i * kVec, lane, true) < n) raw[i] = pg::load_vec<kVec>(row + place(i * kVec, lane, true));
      }
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) v[i] = widen(raw[i / kVec][i % kVec]);
    } else {
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int p = place(i, lane, false);
        v[i] = p < n ? widen(row[p * stride]) : fill;
      }
    }
  }
  __device__ __forceinline__ void store(T* row, int64_t stride, int n, int lane, bool vector) const {
    if (vector) {
      PG_UNROLL
      for (int i = 0; i < kItems / kVec; ++i) {
        pg::vec<T, kVec> raw;
        PG_UNROLL
        for (int j = 0; j < kVec; ++j) raw[j] = narrow<T>(v[i * kVec + j]);
        if (place(i * kVec, lane, true) < n) pg::store_vec<kVec>(row + place(i * kVec, lane, true), raw);
      }
    } else {
      PG_UNROLL
      for (int i = 0; i < kItems; ++i) {
        const int p = place(i, lane, false);
        if (p < n) row[p * stride] = narrow<T>(v[i]);
      }
    }
  }
};

// Over the kLanes threads of a row; the result reaches all of them.
template <int kLanes, class V, class Op>
__device__ __forceinline__ V row_reduce(V value, Op op, V identity) {
  if constexpr (kLanes <= kRowGroup) return pg::warp_reduce<kLanes>(value, op);
  else return pg::block_reduce<kLanes>(value, op, identity);
}

// What the groups of lanes of a row have made, by one barrier: lane g % kGroups gets the value of group g.
// `shared` is for one use in a kernel.
template <int kLanes>
constexpr int row_groups = kLanes > kRowGroup ? kLanes / kRowGroup : 1;
template <int kLanes, class V>
__device__ __forceinline__ V exchange_groups(V value, V* shared) {
  if (threadIdx.x % kRowGroup == 0) shared[threadIdx.x / kRowGroup] = value;
  __syncthreads();
  return shared[threadIdx.x % row_groups<kLanes>];
}

template <int kLanes, int kItems>
struct row_config {
  static constexpr int lanes = kLanes, items = kItems, block = row_block<kLanes>, rows_per_block = block / kLanes;
};

constexpr int64_t kMostRegisterRow = 512 * 32;

// Calls fn(row_config) with the smallest one that holds rows of n <= kMostRegisterRow elements.
template <class Fn>
int dispatch_row(int64_t n, Fn&& fn) {
  if (n <= kRowGroup * 8) return fn(row_config<kRowGroup, 8>{});
  if (n <= kRowGroup * 32) return fn(row_config<kRowGroup, 32>{});
  if (n <= 256 * 8) return fn(row_config<256, 8>{});
  if (n <= 256 * 16) return fn(row_config<256, 16>{});
  if (n <= 256 * 32) return fn(row_config<256, 32>{});
  return fn(row_config<512, 32>{});
}

// Host: x and out of one shape seen as rows along an axis. Operands: out, x.
struct row_plan {
  layout<2> batch;
  int64_t length = 0, rows = 0;
  int64_t out_stride = 1, x_stride = 1;  // along the axis
  bool aligned = false;                  // both arrays start at multiples of 16 bytes
  bool vector = false;                   // 16-byte accesses are possible in every row
};

inline int plan_rows(const char* op, const view& x, const view& out, int axis, row_plan& plan) {
  PG_TRY(same_dtype(op, x, out));
  PG_TRY(same_shape(op, x, out));
  PG_TRY(check_output(op, out));
  PG_TRY(check_alias(op, out, x, true));
  plan.length = x.shape[axis];
  plan.out_stride = out.stride[axis];
  plan.x_stride = x.stride[axis];
  for (int d = 0; d < x.ndim; ++d) {
    const int64_t s[2] = {out.stride[d], x.stride[d]};
    if (d != axis) plan.batch.push(x.shape[d], s);
  }
  plan.rows = plan.batch.numel();
  if (plan.rows == 0 || plan.length == 0) return PG_OK;
  plan.batch.normalize();
  PG_TRY(check_rank(op, plan.batch.ndim));
  if (plan.length == 1) plan.out_stride = plan.x_stride = 1;
  const int64_t vec = kVectorBytes / x.item();
  const auto aligned = [&](const view& v, int64_t start) {
    return reinterpret_cast<uintptr_t>(v.data + start * v.item()) % kVectorBytes == 0;
  };
  plan.aligned = aligned(out, plan.batch.start[0]) && aligned(x, plan.batch.start[1]);
  plan.vector = plan.out_stride == 1 && plan.x_stride == 1 && plan.length % vec == 0 && plan.aligned;
  for (int d = 0; d < plan.batch.ndim; ++d)
    for (int k = 0; k < 2; ++k) plan.vector = plan.vector && plan.batch.stride[d][k] % vec == 0;
  return PG_OK;
}

}  // namespace pgops
