// Running maximum and sum of exponentials, the accumulator of logsumexp and softmax.
#pragma once

#include "reduce.cuh"

namespace pgops {

template <class C>
struct max_sum {
  C top, sum;  // log-sum-exp = top + log(sum); top = -inf means nothing yet
};

template <class C>
__device__ __forceinline__ C exp_shifted(C x, C top) {
  // -inf - -inf would be NaN: an empty share counts as zero.
  return x == limits<C>::lowest() ? C(0) : m::exp(x - top);
}

template <class T>
struct logsumexp_op {
  using C = compute_t<T>;
  using acc = max_sum<C>;
  static __device__ __forceinline__ acc identity() { return {limits<C>::lowest(), C(0)}; }
  static __device__ __forceinline__ acc merge(acc a, acc b) {
    const C top = m::max_nan(a.top, b.top);
    // The greater one keeps its sum: also right for +inf, where inf - inf is NaN.
    const C left = a.top == top ? a.sum : a.sum * exp_shifted(a.top, top);
    const C right = b.top == top ? b.sum : b.sum * exp_shifted(b.top, top);
    return {top, left + right};
  }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    C top = widen(v[0]);
    PG_UNROLL
    for (int i = 1; i < N; ++i) top = m::max_nan(top, widen(v[i]));
    C sum = C(0);
    PG_UNROLL
    for (int i = 0; i < N; ++i) {
      const C x = widen(v[i]);
      sum += x == top ? (x == limits<C>::lowest() ? C(0) : C(1)) : exp_shifted(x, top);
    }
    return {top, sum};
  }
  static __device__ __forceinline__ T finish(acc a, reduce_args) { return narrow<T>(value(a)); }
  static __device__ __forceinline__ C value(acc a) {
    return a.top == limits<C>::greatest() || a.top == limits<C>::lowest() ? a.top : a.top + m::log(a.sum);
  }
};

}  // namespace pgops
