// Running log-sum-exp along an axis.
#include "support/scan.cuh"

namespace pgops {
namespace {

template <class C>
struct running_lse {
  C top, sum;  // top + log(sum)
};

template <class T>
struct logcumsumexp_op {
  using C = compute_t<T>;
  using acc = running_lse<C>;
  static __device__ __forceinline__ acc identity() { return {limits<C>::lowest(), C(0)}; }
  static __device__ __forceinline__ acc lift(T x) { return {widen(x), C(1)}; }
  // exp of x <= 0. The fast one's relative error grows with -x, but the result shrinks faster.
  static __device__ __forceinline__ C shrink(C x) {
    if constexpr (std::is_same_v<C, float>) return pg::fast::exp(x);
    else return m::exp(x);
  }
  // One exponential: the greater operand keeps its sum. Equal ones, also infinite, need no scaling.
  static __device__ __forceinline__ acc merge(acc a, acc b) {
    const bool a_greater = a.top >= b.top;
    const C top = m::max_nan(a.top, b.top);
    const C less = a_greater ? b.top : a.top;
    const C factor = less == top ? C(1) : shrink(less - top);
    return {top, a_greater ? a.sum + b.sum * factor : a.sum * factor + b.sum};
  }
  static __device__ __forceinline__ T finish(acc a) {
    if constexpr (is_half<T>) return narrow<T>(a.top + pg::fast::log(a.sum));
    else return narrow<T>(a.top + m::log(a.sum));
  }
};

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_logcumsumexp(const pg_tensor* x, const pg_tensor* out, int32_t axis, int32_t exclusive,
                                      int32_t reverse, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::scan<pgops::logcumsumexp_op, pgops::float_types>("logcumsumexp", x, out, axis, exclusive, reverse,
                                                                 workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_logcumsumexp_workspace(const pg_tensor* x, const pg_tensor* out, int32_t axis,
                                                int32_t exclusive, int32_t reverse, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "logcumsumexp_workspace: bytes is NULL");
  return pgops::scan<pgops::logcumsumexp_op, pgops::float_types>("logcumsumexp", x, out, axis, exclusive, reverse,
                                                                 nullptr, 0, bytes, nullptr);
}
