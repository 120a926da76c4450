// Count, mean and squared deviations, merged pairwise (Chan, Golub, LeVeque 1979); and mean squares.
#pragma once

#include "reduce.cuh"

namespace pgops {

template <class C>
struct moments {
  C count, mean, m2;
};

template <class T>
struct moments_op {
  using C = compute_t<T>;
  using acc = moments<C>;
  static __device__ __forceinline__ acc identity() { return {C(0), C(0), C(0)}; }
  static __device__ __forceinline__ acc merge(acc a, acc b) {
    const C n = a.count + b.count;
    const C share = n > C(0) ? b.count / n : C(0);
    const C delta = b.mean - a.mean;
    return {n, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
  }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    C sum = widen(v[0]);
    PG_UNROLL
    for (int i = 1; i < N; ++i) sum += widen(v[i]);
    const C mean = sum * C(1.0 / N);
    C m2 = C(0);
    PG_UNROLL
    for (int i = 0; i < N; ++i) {
      const C d = widen(v[i]) - mean;
      m2 += d * d;
    }
    return {C(N), mean, m2};
  }
};

template <class T>
struct squares_op {
  using C = compute_t<T>;
  using acc = C;
  static __device__ __forceinline__ acc identity() { return C(0); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return a + b; }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    C sum = C(0);
    PG_UNROLL
    for (int i = 0; i < N; ++i) {
      const C x = widen(v[i]);
      sum += x * x;
    }
    return sum;
  }
};

}  // namespace pgops
