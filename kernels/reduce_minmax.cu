// Minimum and maximum over axes; NaN wins.
#include "support/reduce.cuh"

namespace pgops {
namespace {

template <class T, bool kMax>
struct extreme_op {
  using acc = compute_t<T>;
  static __device__ __forceinline__ acc identity() { return kMax ? limits<acc>::lowest() : limits<acc>::greatest(); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return kMax ? m::max_nan(a, b) : m::min_nan(a, b); }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    acc a = widen(v[0]);
    PG_UNROLL
    for (int i = 1; i < N; ++i) a = merge(a, widen(v[i]));
    return a;
  }
  static __device__ __forceinline__ T finish(acc a, reduce_args) { return narrow<T>(a); }
};
template <class T>
using min_op = extreme_op<T, false>;
template <class T>
using max_op = extreme_op<T, true>;

using extreme_types = built_types<types<float, half, bfloat16, int32_t>,
                                  types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_REDUCE(min, min_op, extreme_types, reduce_empty::error, 0)
PG_REDUCE(max, max_op, extreme_types, reduce_empty::error, 0)
