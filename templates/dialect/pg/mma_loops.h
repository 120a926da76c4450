// Matrix fragments without matrix units: views of shared memory, and a loop.
#ifndef PG_MMA_LOOPS_H
#define PG_MMA_LOOPS_H

#include "types.h"
#include "warp.h"

namespace pg {
namespace detail {

constexpr int mma_lanes = PG_WARP_SIZE_MIN, mma_own_rows = 1, mma_row_lanes = 2;

template <class T>
struct mma_operand {
  const T* at;
  int side, k;  // strides
};

// A lane has half a row.
PG_FN int mma_row(int) { return lane_id<mma_lanes>() / 2; }
PG_FN int mma_column(int i) { return lane_id<mma_lanes>() % 2 * 8 + i; }
PG_FN constexpr int mma_own(int) { return 0; }
PG_FN int mma_own_row(int) { return mma_row(0); }

template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_a(const T* p, int stride) {
  return {p, Transposed ? 1 : stride, Transposed ? stride : 1};
}
template <bool Transposed, class T>
PG_FN mma_operand<T> mma_load_b(const T* p, int stride) {
  return {p, Transposed ? stride : 1, Transposed ? 1 : stride};
}
template <class T>
PG_FN mma_operand<T> mma_to_a(const float (&c)[8], T* scratch, int stride PG_SITE) {
  sync_warp<mma_lanes>(PG_ONLY_AT);
  PG_UNROLL
  for (int i = 0; i < 8; ++i) scratch[mma_row(i) * stride + mma_column(i)] = from_float<T>(c[i]);
  sync_warp<mma_lanes>(PG_ONLY_AT);
  return mma_load_a<false>(scratch, stride);
}
template <class T>
PG_FN void mma_multiply_add(float (&c)[8], const mma_operand<T>& a, const mma_operand<T>& b) {
  const T* const left = a.at + mma_row(0) * a.side;
  const T* const right = b.at + mma_column(0) * b.side;
  for (int k = 0; k < 16; ++k) {
    const float x = to_float(left[k * a.k]);
    PG_UNROLL
    for (int i = 0; i < 8; ++i) c[i] += x * to_float(right[k * b.k + i * b.side]);
  }
}

}  // namespace detail
}  // namespace pg

#endif
