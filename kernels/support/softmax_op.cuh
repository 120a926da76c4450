// Running maximum and sum of exponentials, the accumulator of logsumexp and softmax.
#pragma once

#include "reduce.cuh"

namespace pgops {

template <class C>
struct max_sum {
  C top, sum;  // log-sum-exp = top + log(sum). top is finite, so that infinities and NaN end up in sum
};

template <class C>
__device__ __forceinline__ constexpr C most_finite() {
  if constexpr (std::is_same_v<C, float>) return 3.40282347e+38f;
  else return 1.7976931348623157e+308;
}

struct finite_max {  // NaN and infinities aside
  template <class C>
  __device__ __forceinline__ C operator()(C a, C b) const { return pg::fmax(a, b); }
};

// exp for results that are rounded to T.
template <class T>
__device__ __forceinline__ compute_t<T> exp_for(compute_t<T> x) {
  if constexpr (is_half<T>) return pg::fast::exp(x);
  else return m::exp(x);
}

template <class C>
__device__ __forceinline__ C exp_shifted(C x, C top) {
  // -inf - -inf would be NaN: an empty share counts as zero.
  return x == limits<C>::lowest() ? C(0) : m::exp(x - top);
}

template <class T>
struct logsumexp_op {
  using C = compute_t<T>;
  using acc = max_sum<C>;
  static __device__ __forceinline__ acc identity() { return {-most_finite<C>(), C(0)}; }
  static __device__ __forceinline__ acc merge(acc a, acc b) {
    const C top = pg::fmax(a.top, b.top);
    return {top, a.sum * exp_for<T>(a.top - top) + b.sum * exp_for<T>(b.top - top)};
  }
  template <int N, int K>
  static __device__ __forceinline__ acc absorb(acc a, const pg::vec<T, N> (&v)[K]) {
    if constexpr (N * K > 16) {  // halves: fewer of them widened at a time
      pg::vec<T, N> part[K / 2];
      PG_UNROLL
      for (int k = 0; k < 2; ++k) {
        PG_UNROLL
        for (int i = 0; i < K / 2; ++i) part[i] = v[k * (K / 2) + i];
        a = absorb(a, part);
      }
      return a;
    } else {
      C top = a.top;
      PG_UNROLL
      for (int i = 0; i < N * K; ++i) top = pg::fmax(top, widen(v[i / N][i % N]));
      top = top < most_finite<C>() ? top : most_finite<C>();
      C sum = a.sum * exp_for<T>(a.top - top);
      PG_UNROLL
      for (int i = 0; i < N * K; ++i) sum += exp_for<T>(widen(v[i / N][i % N]) - top);
      return {top, sum};
    }
  }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    const pg::vec<T, N> one[1] = {v};
    return absorb(identity(), one);
  }
  static __device__ __forceinline__ T finish(acc a, reduce_args) { return narrow<T>(value(a)); }
  static __device__ __forceinline__ C value(acc a) { return a.top + m::log(a.sum); }
};

}  // namespace pgops
