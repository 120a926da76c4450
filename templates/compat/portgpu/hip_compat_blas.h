// cuBLAS calls whose pointers have another type in hipBLAS: hipblasHalf is a 16-bit integer in most
// versions, where CUDA takes __half.
#ifndef PORTGPU_HIP_COMPAT_BLAS_H
#define PORTGPU_HIP_COMPAT_BLAS_H

#include "hip_compat_half.h"
#include <hipblas/hipblas.h>

namespace pg_compat {

// Older hipBLAS has no text of a status.
PG_COMPAT_HOST const char* blas_status_name(hipblasStatus_t status) {
  switch (status) {
    case HIPBLAS_STATUS_SUCCESS: return "HIPBLAS_STATUS_SUCCESS";
    case HIPBLAS_STATUS_NOT_INITIALIZED: return "HIPBLAS_STATUS_NOT_INITIALIZED";
    case HIPBLAS_STATUS_ALLOC_FAILED: return "HIPBLAS_STATUS_ALLOC_FAILED";
    case HIPBLAS_STATUS_INVALID_VALUE: return "HIPBLAS_STATUS_INVALID_VALUE";
    case HIPBLAS_STATUS_MAPPING_ERROR: return "HIPBLAS_STATUS_MAPPING_ERROR";
    case HIPBLAS_STATUS_EXECUTION_FAILED: return "HIPBLAS_STATUS_EXECUTION_FAILED";
    case HIPBLAS_STATUS_INTERNAL_ERROR: return "HIPBLAS_STATUS_INTERNAL_ERROR";
    case HIPBLAS_STATUS_NOT_SUPPORTED: return "HIPBLAS_STATUS_NOT_SUPPORTED";
    case HIPBLAS_STATUS_ARCH_MISMATCH: return "HIPBLAS_STATUS_ARCH_MISMATCH";
    case HIPBLAS_STATUS_HANDLE_IS_NULLPTR: return "HIPBLAS_STATUS_HANDLE_IS_NULLPTR";
    default: return "HIPBLAS_STATUS_UNKNOWN";
  }
}

PG_COMPAT_HOST hipblasStatus_t hgemm(hipblasHandle_t handle, hipblasOperation_t ta,
                                     hipblasOperation_t tb, int m, int n, int k,
                                     const __half* alpha, const __half* a, int lda,
                                     const __half* b, int ldb, const __half* beta, __half* c,
                                     int ldc) {
  return hipblasHgemm(handle, ta, tb, m, n, k, reinterpret_cast<const hipblasHalf*>(alpha),
                      reinterpret_cast<const hipblasHalf*>(a), lda,
                      reinterpret_cast<const hipblasHalf*>(b), ldb,
                      reinterpret_cast<const hipblasHalf*>(beta),
                      reinterpret_cast<hipblasHalf*>(c), ldc);
}
PG_COMPAT_HOST hipblasStatus_t hgemm_batched(hipblasHandle_t handle, hipblasOperation_t ta,
                                             hipblasOperation_t tb, int m, int n, int k,
                                             const __half* alpha, const __half* const a[], int lda,
                                             const __half* const b[], int ldb, const __half* beta,
                                             __half* const c[], int ldc, int batches) {
  return hipblasHgemmBatched(handle, ta, tb, m, n, k, reinterpret_cast<const hipblasHalf*>(alpha),
                             reinterpret_cast<const hipblasHalf* const*>(a), lda,
                             reinterpret_cast<const hipblasHalf* const*>(b), ldb,
                             reinterpret_cast<const hipblasHalf*>(beta),
                             reinterpret_cast<hipblasHalf* const*>(c), ldc, batches);
}
PG_COMPAT_HOST hipblasStatus_t hgemm_strided_batched(
    hipblasHandle_t handle, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k,
    const __half* alpha, const __half* a, int lda, long long stride_a, const __half* b, int ldb,
    long long stride_b, const __half* beta, __half* c, int ldc, long long stride_c, int batches) {
  return hipblasHgemmStridedBatched(
      handle, ta, tb, m, n, k, reinterpret_cast<const hipblasHalf*>(alpha),
      reinterpret_cast<const hipblasHalf*>(a), lda, stride_a,
      reinterpret_cast<const hipblasHalf*>(b), ldb, stride_b,
      reinterpret_cast<const hipblasHalf*>(beta), reinterpret_cast<hipblasHalf*>(c), ldc, stride_c,
      batches);
}

}  // namespace pg_compat
#endif
