// Variance over axes.
#include "support/moments.cuh"

namespace pgops {
namespace {

template <class T>
struct var_op : moments_op<T> {
  using C = compute_t<T>;
  using acc = moments<C>;
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
