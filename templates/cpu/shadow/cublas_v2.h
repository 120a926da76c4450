#pragma once
#include "cuComplex.h"
#include "cuda_fp16.h"
#include "library_types.h"
#include "../pgcpu/single.h"

#include <complex>

#define PGCPU_BLAS(name) cublas##name
#define PGCPU_BLAS_C(name) CUBLAS_##name
#define PGCPU_BLAS_TEXT(name) "CUBLAS_" #name
#define PGCPU_BLAS_STATUSES(X) \
  X(SUCCESS, 0) X(NOT_INITIALIZED, 1) X(ALLOC_FAILED, 3) X(INVALID_VALUE, 7) X(ARCH_MISMATCH, 8) X(MAPPING_ERROR, 11) \
  X(EXECUTION_FAILED, 13) X(INTERNAL_ERROR, 14) X(NOT_SUPPORTED, 15) X(LICENSE_ERROR, 16)
#define PGCPU_BLAS_I(P, name) cublasI##P##name
#define PGCPU_BLAS_STREAM cudaStream_t
#define PGCPU_BLAS_COMPLEX cuComplex
#define PGCPU_BLAS_DOUBLE_COMPLEX cuDoubleComplex
#define PGCPU_BLAS_HALF __half
#define PGCPU_BLAS_R_32F CUDA_R_32F
#define PGCPU_BLAS_R_64F CUDA_R_64F
#define PGCPU_BLAS_R_16F CUDA_R_16F
#define PGCPU_BLAS_R_16B CUDA_R_16BF
#define PGCPU_BLAS_R_8I CUDA_R_8I
#define PGCPU_BLAS_R_32I CUDA_R_32I
#include "../pgcpu/blas.inc"
#undef PGCPU_BLAS
#undef PGCPU_BLAS_C
#undef PGCPU_BLAS_TEXT
#undef PGCPU_BLAS_STATUSES
#undef PGCPU_BLAS_STREAM

typedef cublasContext* cublasHandle;
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC = 71, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
typedef cudaDataType cublasDataType_t;
static inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* v) {
  *v = 130000;
  return CUBLAS_STATUS_SUCCESS;
}
static inline const char* cublasGetStatusString(cublasStatus_t s) { return cublasStatusText(s); }
static inline const char* cublasGetStatusName(cublasStatus_t s) { return cublasStatusText(s); }
namespace pgcpu::blas {
// The type of alpha and beta.
inline int scalar_type(cublasComputeType_t c) {
  return c <= 65 ? CUDA_R_16F : c == 70 || c == 71 ? CUDA_R_64F : c == 72 || c == 73 ? CUDA_R_32I : CUDA_R_32F;
}
inline int scalar_type(cudaDataType c) { return c; }
}  // namespace pgcpu::blas
template <class Compute>
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType at, int lda, const void* b,
                                          cudaDataType bt, int ldb, const void* beta, void* c, cudaDataType ct, int ldc,
                                          Compute compute, cublasGemmAlgo_t) {
  return cublasAnyGemm(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1,
                       ::pgcpu::blas::scalar_type(compute));
}
template <class Compute>
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha, const void* a,
    cudaDataType at, int lda, long long sa, const void* b, cudaDataType bt, int ldb, long long sb, const void* beta, void* c,
    cudaDataType ct, int ldc, long long sc, int count, Compute compute, cublasGemmAlgo_t) {
  return cublasAnyGemm(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count,
                       ::pgcpu::blas::scalar_type(compute));
}
static inline cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                           const float* alpha, const void* a, cudaDataType at, int lda, const void* b,
                                           cudaDataType bt, int ldb, const float* beta, void* c, cudaDataType ct, int ldc) {
  return cublasAnyGemm(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, CUDA_R_32F);
}
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm
