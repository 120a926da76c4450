#pragma once
#include "../hip/hip_complex.h"
#include "../hip/hip_fp16.h"
#include "../hip/library_types.h"
#include "../../pgcpu/single.h"

#include <complex>

typedef hipComplex hipblasComplex;
typedef hipDoubleComplex hipblasDoubleComplex;
typedef __half hipblasHalf;
typedef long long hipblasStride;
#define PGCPU_BLAS(name) hipblas##name
#define PGCPU_BLAS_C(name) HIPBLAS_##name
#define PGCPU_BLAS_TEXT(name) "HIPBLAS_" #name
#define PGCPU_BLAS_STATUSES(X) \
  X(SUCCESS, 0) X(NOT_INITIALIZED, 1) X(ALLOC_FAILED, 2) X(INVALID_VALUE, 3) X(MAPPING_ERROR, 4) X(EXECUTION_FAILED, 5) \
  X(INTERNAL_ERROR, 6) X(NOT_SUPPORTED, 7) X(ARCH_MISMATCH, 8) X(HANDLE_IS_NULLPTR, 9) X(INVALID_ENUM, 10) X(UNKNOWN, 11)
#define PGCPU_BLAS_I(P, name) hipblasI##P##name
#define PGCPU_BLAS_STREAM hipStream_t
#define PGCPU_BLAS_COMPLEX hipComplex
#define PGCPU_BLAS_DOUBLE_COMPLEX hipDoubleComplex
#define PGCPU_BLAS_HALF __half
#define PGCPU_BLAS_R_32F HIP_R_32F
#define PGCPU_BLAS_R_64F HIP_R_64F
#define PGCPU_BLAS_R_16F HIP_R_16F
#define PGCPU_BLAS_R_16B HIP_R_16BF
#define PGCPU_BLAS_R_8I HIP_R_8I
#define PGCPU_BLAS_R_32I HIP_R_32I
#include "../../pgcpu/blas.inc"
#undef PGCPU_BLAS
#undef PGCPU_BLAS_C
#undef PGCPU_BLAS_TEXT
#undef PGCPU_BLAS_STATUSES
#undef PGCPU_BLAS_STREAM

typedef hipDataType hipblasDatatype_t;
constexpr hipDataType HIPBLAS_R_32F = HIP_R_32F, HIPBLAS_R_64F = HIP_R_64F, HIPBLAS_R_16F = HIP_R_16F,
                      HIPBLAS_R_8I = HIP_R_8I, HIPBLAS_R_32I = HIP_R_32I, HIPBLAS_R_16B = HIP_R_16BF;
enum hipblasGemmAlgo_t { HIPBLAS_GEMM_DEFAULT = 160 };
enum hipblasMath_t { HIPBLAS_DEFAULT_MATH = 0, HIPBLAS_XF32_XDL_MATH = 1, HIPBLAS_PEDANTIC_MATH = 2, HIPBLAS_TF32_TENSOR_OP_MATH = 3, HIPBLAS_TENSOR_OP_MATH = 4 };
enum hipblasComputeType_t {
  HIPBLAS_COMPUTE_16F = 0, HIPBLAS_COMPUTE_16F_PEDANTIC = 1, HIPBLAS_COMPUTE_32F = 2, HIPBLAS_COMPUTE_32F_PEDANTIC = 3,
  HIPBLAS_COMPUTE_32F_FAST_16F = 4, HIPBLAS_COMPUTE_32F_FAST_16BF = 5, HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
  HIPBLAS_COMPUTE_64F = 7, HIPBLAS_COMPUTE_64F_PEDANTIC = 8, HIPBLAS_COMPUTE_32I = 9, HIPBLAS_COMPUTE_32I_PEDANTIC = 10,
};
static inline hipblasStatus_t hipblasSetMathMode(hipblasHandle_t, hipblasMath_t) { return HIPBLAS_STATUS_SUCCESS; }
static inline hipblasStatus_t hipblasGetMathMode(hipblasHandle_t, hipblasMath_t* m) {
  *m = HIPBLAS_DEFAULT_MATH;
  return HIPBLAS_STATUS_SUCCESS;
}
static inline hipblasStatus_t hipblasSetWorkspace(hipblasHandle_t, void*, size_t) { return HIPBLAS_STATUS_SUCCESS; }
static inline hipblasStatus_t hipblasGetVersion(hipblasHandle_t, int* v) {
  *v = 30000;
  return HIPBLAS_STATUS_SUCCESS;
}
static inline const char* hipblasStatusToString(hipblasStatus_t s) { return hipblasStatusText(s); }
namespace pgcpu::blas {
inline int scalar_type(hipblasComputeType_t c) {
  return c <= 1 ? HIP_R_16F : c == 7 || c == 8 ? HIP_R_64F : c >= 9 ? HIP_R_32I : HIP_R_32F;
}
inline int scalar_type(hipDataType c) { return c; }
}  // namespace pgcpu::blas
template <class Compute, class Algorithm>
static inline hipblasStatus_t hipblasGemmEx(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k,
                                            const void* alpha, const void* a, hipDataType at, int lda, const void* b,
                                            hipDataType bt, int ldb, const void* beta, void* c, hipDataType ct, int ldc,
                                            Compute compute, Algorithm) {
  return hipblasAnyGemm(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1,
                        ::pgcpu::blas::scalar_type(compute));
}
template <class Compute, class Algorithm>
static inline hipblasStatus_t hipblasGemmStridedBatchedEx(
    hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k, const void* alpha, const void* a,
    hipDataType at, int lda, long long sa, const void* b, hipDataType bt, int ldb, long long sb, const void* beta, void* c,
    hipDataType ct, int ldc, long long sc, int count, Compute compute, Algorithm) {
  return hipblasAnyGemm(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, count,
                        ::pgcpu::blas::scalar_type(compute));
}
