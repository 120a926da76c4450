// Matrix fragments: C += A * B on 16 x 16 x 16 pieces of half or bfloat16 with float sums, by the matrix
// units where the device has them. PG_HAS_MMA says so in the pass that asks; elsewhere the same functions
// are plain loops over shared memory. Included by itself.
#ifndef PG_MMA_H
#define PG_MMA_H

#include "types.h"
#include "warp.h"
#include "detail/mma.h"

namespace pg {
namespace mma {

// Consecutive threads of a block that hold a fragment together. All of them must call each function
// below; a block has a multiple of 64 threads, in x. For device code: the wave of an AMD device is
// known in its own pass only.
constexpr int lanes = detail::mma_lanes;
// Elements of C that a lane holds.
constexpr int count = 256 / lanes;

// A and B: 16 x 16 elements of T. Where there are no matrix units a fragment is a view of the shared
// memory it was loaded from, so that memory must stay as it is until the fragment has been used.
template <class T>
struct a {
  detail::mma_operand<T> part;
};
template <class T>
struct b {
  detail::mma_operand<T> part;
};
// C: element i of the calling lane stands in row(i) and column(i).
struct c {
  float v[count];
  PG_FN float& operator[](int i) { return v[i]; }
  PG_FN const float& operator[](int i) const { return v[i]; }
};
PG_FN c zero() {
  c sums;
  PG_UNROLL
  for (int i = 0; i < count; ++i) sums.v[i] = 0.0f;
  return sums;
}
PG_FN int row(int i) { return detail::mma_row(i); }
PG_FN int column(int i) { return detail::mma_column(i); }
// A lane holds elements of `own_rows` rows of C: own(i) says of which of them element i is, own_row(o) which row
// of C that one is. The `row_lanes` neighbours that pg::warp_reduce<row_lanes> spans hold the rest of these rows.
constexpr int own_rows = detail::mma_own_rows, row_lanes = detail::mma_row_lanes;
PG_FN constexpr int own(int i) { return detail::mma_own(i); }
PG_FN int own_row(int o) { return detail::mma_own_row(o); }

// Element (r, k) of A is p[r * stride + k]; transposed: p[k * stride + r]. `p` is in shared memory and
// aligned to 16 bytes, stride is a multiple of 8.
template <class T>
PG_FN a<T> load_a(const T* p, int stride) { return {detail::mma_load_a<false>(p, stride)}; }
template <class T>
PG_FN a<T> load_a_transposed(const T* p, int stride) { return {detail::mma_load_a<true>(p, stride)}; }
// Element (k, n) of B is p[k * stride + n]; transposed: p[n * stride + k].
template <class T>
PG_FN b<T> load_b(const T* p, int stride) { return {detail::mma_load_b<false>(p, stride)}; }
template <class T>
PG_FN b<T> load_b_transposed(const T* p, int stride) { return {detail::mma_load_b<true>(p, stride)}; }

// A of sums, rounded to T. `scratch`: 16 lines of 16 elements in shared memory, aligned and `stride` apart as above,
// which are the fragment's alone until it has been used; where registers do, they are not touched.
template <class T>
PG_FN a<T> to_a(const c& sums, T* scratch, int stride PG_SITE) {
  return {detail::mma_to_a(sums.v, scratch, stride PG_AT)};
}

// sums += left * right.
template <class T>
PG_FN void multiply_add(c& sums, const a<T>& left, const b<T>& right) {
  detail::mma_multiply_add(sums.v, left.part, right.part);
}

}  // namespace mma

// Host: whether the current device has matrix units for this (the CPU target says yes to its loops).
inline bool mma_supported() { return detail::mma_supported(); }

}  // namespace pg

#endif
