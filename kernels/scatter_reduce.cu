// scatter_mul, scatter_min and scatter_max along an axis, in place and deterministic.
#include "support/math.cuh"
#include "support/scatter.cuh"

namespace pgops {
namespace {

template <class T>
struct mul_op {
  using acc = std::conditional_t<is_float<T>, compute_t<T>, uint64_t>;
  static __device__ __forceinline__ acc lift(T x) { return acc(widen(x)); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return a * b; }
  static __device__ __forceinline__ T finish(acc a) {
    if constexpr (is_float<T>) return narrow<T>(a);
    else return T(a);
  }
};

template <class T, bool kMax>
struct extreme_op {
  using acc = compute_t<T>;
  static __device__ __forceinline__ acc lift(T x) { return widen(x); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return kMax ? m::max_nan(a, b) : m::min_nan(a, b); }
  static __device__ __forceinline__ T finish(acc a) { return narrow<T>(a); }
};
template <class T>
using min_op = extreme_op<T, false>;
template <class T>
using max_op = extreme_op<T, true>;

}  // namespace
}  // namespace pgops

PG_SCATTER(scatter_mul, pgops::scatter_op<pgops::mul_op, pgops::combine_types>)
PG_SCATTER(scatter_min, pgops::scatter_op<pgops::min_op, pgops::combine_types>)
PG_SCATTER(scatter_max, pgops::scatter_op<pgops::max_op, pgops::combine_types>)
