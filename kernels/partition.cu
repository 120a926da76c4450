// partition and argpartition: sorts of the whole axis, so every place holds what a full sort puts there.
#include "support/tensor.cuh"

extern "C" {
PG_API int pg_sort(const pg_tensor*, const pg_tensor*, int32_t, int32_t, void*, size_t, void*);
PG_API int pg_sort_workspace(const pg_tensor*, const pg_tensor*, int32_t, int32_t, size_t*);
PG_API int pg_argsort(const pg_tensor*, const pg_tensor*, int32_t, int32_t, void*, size_t, void*);
PG_API int pg_argsort_workspace(const pg_tensor*, const pg_tensor*, int32_t, int32_t, size_t*);
}

namespace pgops {
namespace {

int check_kth(const char* op, const pg_tensor* tx, int64_t kth, int32_t axis) {
  view x;
  int a = 0;
  PG_TRY(parse(tx, op, "x", x));
  PG_TRY(normal_axis(op, x, axis, a));
  if (x.shape[a] == 0 && kth == 0) return PG_OK;
  if (kth >= -x.shape[a] && kth < x.shape[a]) return PG_OK;
  return fail(PG_ERR_VALUE, "%s: kth is %lld; axis %d has %lld elements", op, static_cast<long long>(kth), a,
              static_cast<long long>(x.shape[a]));
}

}  // namespace
}  // namespace pgops

#define PG_PARTITION(NAME, SORT)                                                                                     \
  extern "C" PG_API int pg_##NAME(const pg_tensor* x, const pg_tensor* out, int64_t kth, int32_t axis,               \
                                  void* workspace, size_t workspace_bytes, void* stream) {                           \
    PG_TRY(pgops::check_kth(#NAME, x, kth, axis));                                                                   \
    return pg_##SORT(x, out, axis, 0, workspace, workspace_bytes, stream);                                           \
  }                                                                                                                  \
  extern "C" PG_API int pg_##NAME##_workspace(const pg_tensor* x, const pg_tensor* out, int64_t kth, int32_t axis,   \
                                              size_t* bytes) {                                                       \
    PG_TRY(pgops::check_kth(#NAME, x, kth, axis));                                                                   \
    return pg_##SORT##_workspace(x, out, axis, 0, bytes);                                                            \
  }
PG_PARTITION(partition, sort)
PG_PARTITION(argpartition, argsort)
