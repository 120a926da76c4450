// any and all over axes.
#include "support/reduce.cuh"

namespace pgops {
namespace {

// Zero is false. In words, not truth values: AMD keeps each of those in a pair of scalar registers.
template <class T, bool kAll>
struct logic_op {
  using acc = uint32_t;
  static __device__ __forceinline__ acc identity() { return kAll ? 1u : 0u; }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return !kAll ? a | b : a < b ? a : b; }
  static __device__ __forceinline__ acc word(T x) {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(acc)) return acc(x);
    else return widen(x) != compute_t<T>(0) ? 1u : 0u;
  }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    acc a = identity();
    PG_UNROLL
    for (int i = 0; i < N; ++i) a = merge(a, word(v[i]));
    return a;
  }
  static __device__ __forceinline__ bool finish(acc a, reduce_args) { return a != 0; }
};
template <class T>
using any_op = logic_op<T, false>;
template <class T>
using all_op = logic_op<T, true>;

using logic_types = built_types<types<bool>, types<float, half, bfloat16, double, uint8_t, int8_t, uint16_t, int16_t,
                                                   int32_t, uint32_t, int64_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_REDUCE(any, any_op, logic_types, reduce_empty::identity, 0, bool)
PG_REDUCE(all, all_op, logic_types, reduce_empty::identity, 0, bool)
