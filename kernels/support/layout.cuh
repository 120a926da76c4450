// Layouts of K operands walked together: merged dimensions on the host, fast offsets in kernels.
#pragma once

#include "portgpu.h"
#include "tensor.cuh"

namespace pgops {

// Division of n < 2^31 by a constant known at launch: one multiply, one add, one shift.
struct fast_div {
  uint32_t divisor = 1, magic = 0, shift = 0;
  fast_div() = default;
  explicit fast_div(uint32_t d) : divisor(d) {
    while (shift < 32 && (uint64_t(1) << shift) < d) ++shift;
    magic = uint32_t(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - d)) / d + 1);
  }
  __device__ __forceinline__ uint32_t div(uint32_t n) const {
    return (uint32_t((uint64_t(n) * magic) >> 32) + n) >> shift;
  }
};

// What kernels get: offsets (in elements) of K operands for a linear index in C order.
template <int K>
struct strided {
  int ndim = 0;
  fast_div size[kMaxDims];
  int64_t stride[kMaxDims][K];

  __device__ __forceinline__ void offsets(uint32_t index, int64_t (&at)[K]) const {
    for (int k = 0; k < K; ++k) at[k] = 0;
    for (int d = ndim - 1; d > 0; --d) {
      const uint32_t next = size[d].div(index);
      const uint32_t place = index - next * size[d].divisor;
      for (int k = 0; k < K; ++k) at[k] += int64_t(place) * stride[d][k];
      index = next;
    }
    if (ndim > 0)
      for (int k = 0; k < K; ++k) at[k] += int64_t(index) * stride[0][k];
  }
};

constexpr int64_t kChunk = int64_t(1) << 30;  // elements one launch of an indexed kernel covers

// Host form: dimensions outermost first, operand 0 leads the order.
template <int K>
struct layout {
  int ndim = 0;
  int64_t size[PG_MAX_NDIM];
  int64_t stride[PG_MAX_NDIM][K];
  int64_t start[K] = {};  // element offset of each operand, nonzero after reversing a dimension

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= size[d];
    return n;
  }
  void push(int64_t extent, const int64_t (&s)[K]) {
    size[ndim] = extent;
    for (int k = 0; k < K; ++k) stride[ndim][k] = s[k];
    ++ndim;
  }
  // Drops extents of 1 and joins neighbours that every operand steps through as one.
  void merge() {
    int n = 0;
    for (int d = 0; d < ndim; ++d) {
      if (size[d] == 1) continue;
      bool joins = n > 0;
      for (int k = 0; joins && k < K; ++k) joins = stride[n - 1][k] == stride[d][k] * size[d];
      if (joins) {
        size[n - 1] *= size[d];
        for (int k = 0; k < K; ++k) stride[n - 1][k] = stride[d][k];
      } else {
        size[n] = size[d];
        for (int k = 0; k < K; ++k) stride[n][k] = stride[d][k];
        ++n;
      }
    }
    ndim = n;
  }
  // Free order: reverse what operand 0 walks backwards, largest stride of operand 0 outermost, then merge.
  void normalize() {
    for (int d = 0; d < ndim; ++d)
      if (stride[d][0] < 0)
        for (int k = 0; k < K; ++k) {
          start[k] += (size[d] - 1) * stride[d][k];
          stride[d][k] = -stride[d][k];
        }
    for (int i = 1; i < ndim; ++i)
      for (int j = i; j > 0 && stride[j][0] > stride[j - 1][0]; --j) swap_dims(j, j - 1);
    merge();
  }
  void swap_dims(int a, int b) {
    const int64_t s = size[a];
    size[a] = size[b];
    size[b] = s;
    for (int k = 0; k < K; ++k) {
      const int64_t t = stride[a][k];
      stride[a][k] = stride[b][k];
      stride[b][k] = t;
    }
  }
  bool contiguous(int k) const { return ndim == 0 || (ndim == 1 && stride[0][k] == 1); }
  bool constant(int k) const { return ndim == 0 || (ndim == 1 && stride[0][k] == 0); }

  strided<K> device() const {
    strided<K> s;
    s.ndim = ndim;
    for (int d = 0; d < ndim; ++d) {
      s.size[d] = fast_div(uint32_t(size[d]));
      for (int k = 0; k < K; ++k) s.stride[d][k] = stride[d][k];
    }
    return s;
  }
};

inline int check_rank(const char* op, int ndim) {
  if (ndim <= kMaxDims) return PG_OK;
  return fail(PG_ERR_SIZE, "%s: the arrays have %d dimensions that cannot be merged; at most %d are supported", op,
              ndim, kMaxDims);
}

// Calls fn(layout, start) for pieces of at most kChunk elements; start holds element offsets.
template <int K, class Fn>
int for_chunks(const layout<K>& whole, Fn fn) {
  int64_t inner = 1;
  int d = whole.ndim;
  while (d > 0 && inner * whole.size[d - 1] <= kChunk) inner *= whole.size[--d];
  if (d == 0) return fn(whole, whole.start);
  const int64_t step = kChunk / inner;  // indices of dimension d-1 that one launch covers
  int64_t at[PG_MAX_NDIM] = {};
  for (;;) {
    layout<K> piece;
    for (int k = 0; k < K; ++k) piece.start[k] = whole.start[k];
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < K; ++k) piece.start[k] += at[i] * whole.stride[i][k];
    const int64_t left = whole.size[d - 1] - at[d - 1];
    piece.push(left < step ? left : step, whole.stride[d - 1]);
    for (int i = d; i < whole.ndim; ++i) piece.push(whole.size[i], whole.stride[i]);
    piece.merge();
    PG_TRY(fn(piece, piece.start));
    at[d - 1] += step;
    int i = d - 1;
    while (at[i] >= whole.size[i]) {
      if (i == 0) return PG_OK;
      at[i] = 0;
      ++at[--i];
    }
  }
}

}  // namespace pgops
