// Running minimum and maximum along an axis; NaN wins from where it stands.
#include "support/scan.cuh"

namespace pgops {
namespace {

template <class T, bool kMax>
struct running_op {
  using acc = compute_t<T>;
  static __device__ __forceinline__ acc identity() { return kMax ? limits<acc>::lowest() : limits<acc>::greatest(); }
  static __device__ __forceinline__ acc lift(T x) { return widen(x); }
  static __device__ __forceinline__ acc merge(acc a, acc b) { return kMax ? m::max_nan(a, b) : m::min_nan(a, b); }
  static __device__ __forceinline__ T finish(acc a) { return narrow<T>(a); }
};
template <class T>
using cummin_op = running_op<T, false>;
template <class T>
using cummax_op = running_op<T, true>;

}  // namespace
}  // namespace pgops

using namespace pgops;

PG_SCAN(cummin, cummin_op)
PG_SCAN(cummax, cummax_op)
