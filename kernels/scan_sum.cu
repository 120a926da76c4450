// Running sum and product along an axis.
#include "support/scan.cuh"

namespace pgops {
namespace {

template <class C>
using wrap_t = std::conditional_t<std::is_floating_point_v<C>, C, uint64_t>;

template <class T>
struct cumsum_op {
  using acc = compute_t<T>;
  static __device__ __forceinline__ acc identity() { return acc(0); }
  static __device__ __forceinline__ acc lift(T x) { return widen(x); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return acc(wrap_t<acc>(a) + wrap_t<acc>(b)); }
  static __device__ __forceinline__ T finish(acc a) { return narrow<T>(a); }
};
template <class T>
struct cumprod_op {
  using acc = compute_t<T>;
  static __device__ __forceinline__ acc identity() { return acc(1); }
  static __device__ __forceinline__ acc lift(T x) { return widen(x); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return acc(wrap_t<acc>(a) * wrap_t<acc>(b)); }
  static __device__ __forceinline__ T finish(acc a) { return narrow<T>(a); }
};

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_SCAN(cumsum, cumsum_op)
PG_SCAN(cumprod, cumprod_op)
