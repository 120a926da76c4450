// Small aligned arrays, loaded and stored in one instruction where the target can.
#ifndef PG_VEC_H
#define PG_VEC_H

#include "bits.h"

namespace pg {
namespace detail {
PG_HDFN constexpr int vec_alignment(int bytes) {
  return power_of_two_divisor(bytes) > 16 ? 16 : power_of_two_divisor(bytes);
}
}  // namespace detail

// N values of T, aligned to its size (at most 16 bytes, the largest power of two that divides it).
template <class T, int N>
struct alignas(detail::vec_alignment(static_cast<int>(sizeof(T)) * N)) vec {
  static_assert(N >= 1, "pg::vec needs at least one element");
  T data[N];
  PG_HDFN T& operator[](int i) { return data[i]; }
  PG_HDFN const T& operator[](int i) const { return data[i]; }
  PG_HDFN static constexpr int size() { return N; }
};

// How many T fit into one 16-byte access.
template <class T>
constexpr int vec_width = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));

// Whether p may be used for accesses of N elements.
template <int N, class T>
PG_HDFN bool is_vec_aligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % alignof(vec<T, N>) == 0;
}

}  // namespace pg

#endif
