// Sum, product and mean over axes.
#include "support/reduce.cuh"

namespace pgops {
namespace {

template <class T>
struct sum_op {
  using acc = accumulate_t<T>;
  static __device__ __forceinline__ acc identity() { return acc(0); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return acc(wrapped(a) + wrapped(b)); }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    acc a = acc(widen(v[0]));
    PG_UNROLL
    for (int i = 1; i < N; ++i) a = merge(a, acc(widen(v[i])));
    return a;
  }
  // parameter 1: mean
  static __device__ __forceinline__ T finish(acc a, reduce_args args) {
    if constexpr (is_float<T>) return narrow<T>(args.parameter != 0 ? a / acc(args.count) : a);
    else return T(a);
  }

 private:
  using wrap_t = std::conditional_t<std::is_floating_point_v<acc>, acc, uint64_t>;
  static __device__ __forceinline__ wrap_t wrapped(acc a) { return wrap_t(a); }
};

template <class T>
struct prod_op {
  // Modulo 2^32 where that is enough: a product of 64 bits takes several multiplications.
  using acc = std::conditional_t<std::is_integral_v<T> && sizeof(T) <= 4, uint32_t, accumulate_t<T>>;
  static __device__ __forceinline__ acc identity() { return acc(1); }
  static __device__ __forceinline__ acc merge(acc a, acc b) {
    if constexpr (std::is_floating_point_v<acc>) return a * b;
    else return acc(uint64_t(a) * uint64_t(b));
  }
  template <int N>
  static __device__ __forceinline__ acc lift(const pg::vec<T, N>& v, int64_t) {
    acc a = acc(widen(v[0]));
    PG_UNROLL
    for (int i = 1; i < N; ++i) a = merge(a, acc(widen(v[i])));
    return a;
  }
  static __device__ __forceinline__ T finish(acc a, reduce_args) {
    if constexpr (is_float<T>) return narrow<T>(a);
    else return T(a);
  }
};

using sum_types = built_types<types<float, half, bfloat16, int32_t>,
                              types<double, uint8_t, int8_t, int16_t, uint16_t, uint32_t, int64_t, uint64_t>>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_REDUCE(sum, sum_op, sum_types, reduce_empty::identity, 0)
PG_REDUCE(prod, prod_op, sum_types, reduce_empty::identity, 0)
PG_REDUCE(mean, sum_op, float_types, reduce_empty::identity, 1)
