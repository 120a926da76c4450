// cuSPARSE calls that older hipSPARSE lacks.
#ifndef PORTGPU_HIP_COMPAT_SPARSE_H
#define PORTGPU_HIP_COMPAT_SPARSE_H

#include "hip_compat.h"
#include <hipsparse/hipsparse.h>

#include <map>
#include <mutex>
#include <type_traits>

#if !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA) && hipsparseVersionMajor < 3
// hipSPARSE has handles of what is only read since ROCm 6.
typedef hipsparseSpMatDescr_t hipsparseConstSpMatDescr_t;
typedef hipsparseSpVecDescr_t hipsparseConstSpVecDescr_t;
typedef hipsparseDnMatDescr_t hipsparseConstDnMatDescr_t;
typedef hipsparseDnVecDescr_t hipsparseConstDnVecDescr_t;
PG_COMPAT_HOST hipsparseStatus_t hipsparseCreateConstDnVec(hipsparseConstDnVecDescr_t* v,
                                                           int64_t size, const void* values,
                                                           hipDataType type) {
  return hipsparseCreateDnVec(v, size, const_cast<void*>(values), type);
}
PG_COMPAT_HOST hipsparseStatus_t hipsparseCreateConstDnMat(hipsparseConstDnMatDescr_t* m,
                                                           int64_t rows, int64_t columns,
                                                           int64_t leading, const void* values,
                                                           hipDataType type,
                                                           hipsparseOrder_t order) {
  return hipsparseCreateDnMat(m, rows, columns, leading, const_cast<void*>(values), type, order);
}
PG_COMPAT_HOST hipsparseStatus_t hipsparseCreateConstSpVec(
    hipsparseConstSpVecDescr_t* v, int64_t size, int64_t count, const void* indices,
    const void* values, hipsparseIndexType_t index, hipsparseIndexBase_t base, hipDataType type) {
  return hipsparseCreateSpVec(v, size, count, const_cast<void*>(indices),
                              const_cast<void*>(values), index, base, type);
}
#define PG_COMPAT_CONST_COMPRESSED(NAME, CREATE)                                                  \
  PG_COMPAT_HOST hipsparseStatus_t NAME(                                                          \
      hipsparseConstSpMatDescr_t* m, int64_t rows, int64_t columns, int64_t count,                \
      const void* offsets, const void* indices, const void* values, hipsparseIndexType_t offset,  \
      hipsparseIndexType_t index, hipsparseIndexBase_t base, hipDataType type) {                  \
    return CREATE(m, rows, columns, count, const_cast<void*>(offsets),                            \
                  const_cast<void*>(indices), const_cast<void*>(values), offset, index, base,     \
                  type);                                                                          \
  }
PG_COMPAT_CONST_COMPRESSED(hipsparseCreateConstCsr, hipsparseCreateCsr)
PG_COMPAT_CONST_COMPRESSED(hipsparseCreateConstCsc, hipsparseCreateCsc)
#undef PG_COMPAT_CONST_COMPRESSED
PG_COMPAT_HOST hipsparseStatus_t hipsparseCreateConstCoo(
    hipsparseConstSpMatDescr_t* m, int64_t rows, int64_t columns, int64_t count,
    const void* row_indices, const void* column_indices, const void* values,
    hipsparseIndexType_t index, hipsparseIndexBase_t base, hipDataType type) {
  return hipsparseCreateCoo(m, rows, columns, count, const_cast<void*>(row_indices),
                            const_cast<void*>(column_indices), const_cast<void*>(values), index,
                            base, type);
}
#endif

namespace pg_compat {

// HIPSPARSE_ORDER_COL, called HIPSPARSE_ORDER_COLUMN before HIP 5.4.
static constexpr hipsparseOrder_t sparse_order_col = static_cast<hipsparseOrder_t>(1);

PG_COMPAT_HOST const char* sparse_status_name(hipsparseStatus_t status) {
  switch (status) {
    case HIPSPARSE_STATUS_SUCCESS: return "HIPSPARSE_STATUS_SUCCESS";
    case HIPSPARSE_STATUS_NOT_INITIALIZED: return "HIPSPARSE_STATUS_NOT_INITIALIZED";
    case HIPSPARSE_STATUS_ALLOC_FAILED: return "HIPSPARSE_STATUS_ALLOC_FAILED";
    case HIPSPARSE_STATUS_INVALID_VALUE: return "HIPSPARSE_STATUS_INVALID_VALUE";
    case HIPSPARSE_STATUS_ARCH_MISMATCH: return "HIPSPARSE_STATUS_ARCH_MISMATCH";
    case HIPSPARSE_STATUS_MAPPING_ERROR: return "HIPSPARSE_STATUS_MAPPING_ERROR";
    case HIPSPARSE_STATUS_EXECUTION_FAILED: return "HIPSPARSE_STATUS_EXECUTION_FAILED";
    case HIPSPARSE_STATUS_INTERNAL_ERROR: return "HIPSPARSE_STATUS_INTERNAL_ERROR";
    case HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
      return "HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED";
    case HIPSPARSE_STATUS_ZERO_PIVOT: return "HIPSPARSE_STATUS_ZERO_PIVOT";
    case HIPSPARSE_STATUS_NOT_SUPPORTED: return "HIPSPARSE_STATUS_NOT_SUPPORTED";
    case HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES: return "HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES";
    default: return "HIPSPARSE_STATUS_UNKNOWN";
  }
}

#if !defined(PGCPU)
namespace detail {
// Where the analysis of a triangular solve has its buffer: CUDA's solve remembers it, hipSPARSE's is
// told again (that of one right-hand side before ROCm 6 only).
struct sparse_buffers {
  std::mutex lock;
  std::map<const void*, void*> of;
};
inline sparse_buffers& known_buffers() {
  static sparse_buffers known;
  return known;
}
PG_COMPAT_HOST void keep_buffer(const void* descriptor, void* buffer) {
  const std::lock_guard<std::mutex> guard(known_buffers().lock);
  known_buffers().of[descriptor] = buffer;
}
PG_COMPAT_HOST void* kept_buffer(const void* descriptor) {
  const std::lock_guard<std::mutex> guard(known_buffers().lock);
  return known_buffers().of[descriptor];
}
template <class F>
struct parameters;
template <class R, class... P>
struct parameters<R (*)(P...)> {
  static constexpr int count = sizeof...(P);
};
template <class F, class D, class... A>
PG_COMPAT_HOST hipsparseStatus_t solve(std::true_type, F function, D descriptor, A... arguments) {
  return function(arguments..., descriptor, kept_buffer(descriptor));
}
template <class F, class D, class... A>
PG_COMPAT_HOST hipsparseStatus_t solve(std::false_type, F function, D descriptor, A... arguments) {
  return function(arguments..., descriptor);
}
template <int Count, class F, class D, class... A>
PG_COMPAT_HOST hipsparseStatus_t solve(F function, D descriptor, A... arguments) {
  return solve(std::integral_constant<bool, (parameters<F>::count > Count)>(), function, descriptor,
               arguments...);
}
}  // namespace detail

template <class M, class X, class Y>
PG_COMPAT_HOST hipsparseStatus_t spsv_analysis(hipsparseHandle_t handle, hipsparseOperation_t op,
                                               const void* alpha, M a, X x, Y y, hipDataType type,
                                               hipsparseSpSVAlg_t how, hipsparseSpSVDescr_t descr,
                                               void* buffer) {
  detail::keep_buffer(descr, buffer);
  return hipsparseSpSV_analysis(handle, op, alpha, a, x, y, type, how, descr, buffer);
}
template <class M, class X, class Y>
PG_COMPAT_HOST hipsparseStatus_t spsv_solve(hipsparseHandle_t handle, hipsparseOperation_t op,
                                            const void* alpha, M a, X x, Y y, hipDataType type,
                                            hipsparseSpSVAlg_t how, hipsparseSpSVDescr_t descr) {
  return detail::solve<9>(&hipsparseSpSV_solve, descr, handle, op, alpha, a, x, y, type, how);
}
template <class M, class X, class Y>
PG_COMPAT_HOST hipsparseStatus_t spsm_analysis(hipsparseHandle_t handle, hipsparseOperation_t op_a,
                                               hipsparseOperation_t op_b, const void* alpha, M a,
                                               X b, Y c, hipDataType type, hipsparseSpSMAlg_t how,
                                               hipsparseSpSMDescr_t descr, void* buffer) {
  detail::keep_buffer(descr, buffer);
  return hipsparseSpSM_analysis(handle, op_a, op_b, alpha, a, b, c, type, how, descr, buffer);
}
template <class M, class X, class Y>
PG_COMPAT_HOST hipsparseStatus_t spsm_solve(hipsparseHandle_t handle, hipsparseOperation_t op_a,
                                            hipsparseOperation_t op_b, const void* alpha, M a, X b,
                                            Y c, hipDataType type, hipsparseSpSMAlg_t how,
                                            hipsparseSpSMDescr_t descr) {
  return detail::solve<10>(&hipsparseSpSM_solve, descr, handle, op_a, op_b, alpha, a, b, c, type,
                           how);
}
#endif

}  // namespace pg_compat
#endif
