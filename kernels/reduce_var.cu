// Variance over axes: counts, means and squared deviations merge pairwise (Chan, Golub, LeVeque 1979).
#include "support/reduce.cuh"

namespace pgops {
namespace {

template <class C>
struct moments {
  C count, mean, m2;
};

template <class T>
struct var_op {
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
  // parameter: ddof; NaN where no degree of freedom is left, as NumPy.
  static __device__ __forceinline__ T finish(acc a, reduce_args args) {
    const C freedom = C(double(args.count) - args.parameter);
    return narrow<T>(a.m2 / (freedom > C(0) ? freedom : C(0)));
  }
};

int var(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes, int32_t ddof, void* workspace,
        size_t have, size_t* bytes, void* stream) {
  if (ddof < 0) return fail(PG_ERR_VALUE, "var: ddof is %d; it must not be negative", int(ddof));
  return reduce<var_op, float_types>("var", x, out, axes, naxes, reduce_empty::identity, ddof, workspace, have, bytes,
                                     stream);
}

}  // namespace
}  // namespace pgops

extern "C" PG_API int pg_var(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes,
                             int32_t ddof, void* workspace, size_t workspace_bytes, void* stream) {
  return pgops::var(x, out, axes, naxes, ddof, workspace, workspace_bytes, nullptr, stream);
}
extern "C" PG_API int pg_var_workspace(const pg_tensor* x, const pg_tensor* out, const int32_t* axes, int32_t naxes,
                                       int32_t ddof, size_t* bytes) {
  if (bytes == nullptr) return pgops::fail(PG_ERR_NULL, "var_workspace: bytes is NULL");
  return pgops::var(x, out, axes, naxes, ddof, nullptr, 0, bytes, nullptr);
}
