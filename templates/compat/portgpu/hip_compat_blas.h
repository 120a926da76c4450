// cuBLAS calls whose arguments have another type in some version of hipBLAS: halves are 16-bit integers
// and complex numbers a class of its own, and before ROCm 6 types of data have other names.
#ifndef PORTGPU_HIP_COMPAT_BLAS_H
#define PORTGPU_HIP_COMPAT_BLAS_H

#include "hip_compat_half.h"
#include <hipblas/hipblas.h>

// PG_COMPAT_BLAS(hipblasCgemm)(...) takes arguments of CUDA's types in every version.
#if defined(PGCPU) || defined(PG_COMPAT_NVIDIA)
#define PG_COMPAT_BLAS(function) function
namespace pg_compat_older {}
#else
#define PG_COMPAT_BLAS(function) pg_compat::blas(function)
#include <type_traits>

#if hipblasVersionMajor < 2
#include <hip/hip_complex.h>
// hipBLAS has these since ROCm 6.
enum hipblasComputeType_t {
  HIPBLAS_COMPUTE_16F,
  HIPBLAS_COMPUTE_16F_PEDANTIC,
  HIPBLAS_COMPUTE_32F,
  HIPBLAS_COMPUTE_32F_PEDANTIC,
  HIPBLAS_COMPUTE_32F_FAST_16F,
  HIPBLAS_COMPUTE_32F_FAST_16BF,
  HIPBLAS_COMPUTE_32F_FAST_TF32,
  HIPBLAS_COMPUTE_64F,
  HIPBLAS_COMPUTE_64F_PEDANTIC,
  HIPBLAS_COMPUTE_32I,
  HIPBLAS_COMPUTE_32I_PEDANTIC
};
#endif
#if hipblasVersionMajor < 2 || (hipblasVersionMajor == 2 && hipblasVersionMinor < 1)
enum hipblasMath_t {
  HIPBLAS_DEFAULT_MATH,
  HIPBLAS_XF32_XDL_MATH,
  HIPBLAS_PEDANTIC_MATH,
  HIPBLAS_TF32_TENSOR_OP_MATH,
  HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION,
  HIPBLAS_TENSOR_OP_MATH
};
#endif

// What newer versions have: theirs, which are no templates, are preferred where they are.
namespace pg_compat_older {
// The mode allows other precisions and demands none.
template <class Handle>
hipblasStatus_t hipblasSetMathMode(Handle handle, hipblasMath_t) {
  return handle ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_NOT_INITIALIZED;
}
template <class Handle>
hipblasStatus_t hipblasGetMathMode(Handle handle, hipblasMath_t* mode) {
  *mode = HIPBLAS_DEFAULT_MATH;
  return handle ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_NOT_INITIALIZED;
}
// hipBLAS finds its memory itself.
template <class Handle>
hipblasStatus_t hipblasSetWorkspace(Handle handle, void*, size_t) {
  return handle ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_NOT_INITIALIZED;
}
template <class Handle>
hipblasStatus_t hipblasGetVersion(Handle handle, int* version) {
  *version = hipblasVersionMajor * 10000 + hipblasVersionMinor * 100;
  return handle ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_NOT_INITIALIZED;
}
}  // namespace pg_compat_older

namespace pg_compat {
namespace detail {
// A type of data, or what to compute in (older interfaces have one type for both), as `To`.
PG_COMPAT_HOST hipDataType blas_data(hipDataType t) { return t; }
PG_COMPAT_HOST hipDataType blas_data(hipblasComputeType_t t) {
  switch (t) {
    case HIPBLAS_COMPUTE_16F:
    case HIPBLAS_COMPUTE_16F_PEDANTIC: return HIP_R_16F;
    case HIPBLAS_COMPUTE_64F:
    case HIPBLAS_COMPUTE_64F_PEDANTIC: return HIP_R_64F;
    case HIPBLAS_COMPUTE_32I:
    case HIPBLAS_COMPUTE_32I_PEDANTIC: return HIP_R_32I;
    default: return HIP_R_32F;
  }
}
template <class To>
struct blas_type_as {  // hipBLAS's own enum of before ROCm 7, whose numbers HIP's are not
  static To from(hipDataType t) {
    switch (static_cast<int>(t)) {
      case 0: return static_cast<To>(151);
      case 1: return static_cast<To>(152);
      case 2: return static_cast<To>(150);
      case 3: return static_cast<To>(160);
      case 4: return static_cast<To>(154);
      case 5: return static_cast<To>(155);
      case 6: return static_cast<To>(153);
      case 7: return static_cast<To>(164);
      case 8: return static_cast<To>(161);
      case 9: return static_cast<To>(165);
      case 10: return static_cast<To>(162);
      case 11: return static_cast<To>(166);
      case 12: return static_cast<To>(163);
      case 13: return static_cast<To>(167);
      case 14: return static_cast<To>(168);
      case 15: return static_cast<To>(169);
      default: return static_cast<To>(t);
    }
  }
  static To from(hipblasComputeType_t t) { return from(blas_data(t)); }
};
template <>
struct blas_type_as<hipDataType> {
  static hipDataType from(hipDataType t) { return t; }
  static hipDataType from(hipblasComputeType_t t) { return blas_data(t); }
};
template <>
struct blas_type_as<hipblasComputeType_t> {
  static hipblasComputeType_t from(hipblasComputeType_t t) { return t; }
  static hipblasComputeType_t from(hipDataType t) {
    if (t == HIP_R_16F) return HIPBLAS_COMPUTE_16F;
    if (t == HIP_R_64F || t == HIP_C_64F) return HIPBLAS_COMPUTE_64F;
    return t == HIP_R_32I ? HIPBLAS_COMPUTE_32I : HIPBLAS_COMPUTE_32F;
  }
};
template <class To>
struct blas_type {
  To value;
  template <class T, class = typename std::enable_if<std::is_enum<T>::value>::type>
  blas_type(T t) : value(blas_type_as<To>::from(t)) {}
  operator To() const { return value; }
};

// A pointer, or one to pointers, to numbers for which hipBLAS has a type of its own.
template <class P>
struct blas_pointee {
  using type = typename std::remove_cv<P>::type;
  static constexpr int depth = 0;
};
template <class P>
struct blas_pointee<P*> {
  using type = typename blas_pointee<typename std::remove_cv<P>::type>::type;
  static constexpr int depth = 1 + blas_pointee<typename std::remove_cv<P>::type>::depth;
};
template <class P>
struct blas_has_own {  // or fewer `const` than CUDA's array of pointers
  using T = typename blas_pointee<P>::type;
  static constexpr bool value =
      std::is_pointer<P>::value &&
      (std::is_same<T, hipblasHalf>::value || std::is_same<T, hipblasBfloat16>::value ||
       std::is_same<T, hipblasComplex>::value || std::is_same<T, hipblasDoubleComplex>::value ||
       (std::is_void<T>::value && blas_pointee<P>::depth == 2));
};
template <class A, class B>
struct blas_twins {
  static constexpr bool value = sizeof(A) == sizeof(B);
};
template <class T>
struct blas_twins<T, T> {
  static constexpr bool value = true;
};
template <class T>
struct blas_twins<void, T> {
  static constexpr bool value = true;  // any array of pointers is one of untyped ones
};
template <>
struct blas_twins<void, void> {
  static constexpr bool value = true;
};
template <class P, bool>
struct blas_pointer {
  using type = P;
};
template <class P>
struct blas_either {
  P value;
  blas_either(P p) : value(p) {}
  template <class V, class = typename std::enable_if<
                         blas_pointee<V>::depth == blas_pointee<P>::depth &&
                         blas_twins<typename blas_pointee<P>::type,
                                    typename blas_pointee<V>::type>::value>::type>
  blas_either(V v) : value((P)v) {}
  operator P() const { return value; }
};
template <class P>
struct blas_pointer<P, true> {
  using type = blas_either<P>;
};

template <class P>
struct blas_argument : blas_pointer<P, blas_has_own<P>::value> {};
template <>
struct blas_argument<hipDataType> {
  using type = blas_type<hipDataType>;
};
template <>
struct blas_argument<hipblasComputeType_t> {
  using type = blas_type<hipblasComputeType_t>;
};
#if hipblasVersionMajor < 2 || (hipblasVersionMajor == 2 && !defined(HIPBLAS_V2))
template <>
struct blas_argument<hipblasDatatype_t> {
  using type = blas_type<hipblasDatatype_t>;
};
#endif
template <class... P>
struct blas_call {
  hipblasStatus_t (*function)(P...);
  hipblasStatus_t operator()(typename blas_argument<P>::type... arguments) const {
    return function(arguments...);
  }
};
}  // namespace detail

template <class... P>
PG_COMPAT_HOST detail::blas_call<P...> blas(hipblasStatus_t (*function)(P...)) {
  return detail::blas_call<P...>{function};
}

}  // namespace pg_compat
#endif

namespace pg_compat {

PG_COMPAT_HOST hipblasStatus_t blas_set_math_mode(hipblasHandle_t handle, hipblasMath_t mode) {
  using namespace pg_compat_older;
  return hipblasSetMathMode(handle, mode);
}
PG_COMPAT_HOST hipblasStatus_t blas_get_math_mode(hipblasHandle_t handle, hipblasMath_t* mode) {
  using namespace pg_compat_older;
  return hipblasGetMathMode(handle, mode);
}
PG_COMPAT_HOST hipblasStatus_t blas_set_workspace(hipblasHandle_t handle, void* p, size_t bytes) {
  using namespace pg_compat_older;
  return hipblasSetWorkspace(handle, p, bytes);
}
PG_COMPAT_HOST hipblasStatus_t blas_get_version(hipblasHandle_t handle, int* version) {
  using namespace pg_compat_older;
  return hipblasGetVersion(handle, version);
}

// Products in float of other types, which CUDA has under a name of their own.
PG_COMPAT_HOST hipblasStatus_t sgemm_ex(hipblasHandle_t handle, hipblasOperation_t ta,
                                        hipblasOperation_t tb, int m, int n, int k,
                                        const float* alpha, const void* a, hipDataType type_a,
                                        int lda, const void* b, hipDataType type_b, int ldb,
                                        const float* beta, void* c, hipDataType type_c, int ldc) {
  return PG_COMPAT_BLAS(hipblasGemmEx)(handle, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b,
                                       ldb, beta, c, type_c, ldc, HIPBLAS_COMPUTE_32F,
                                       HIPBLAS_GEMM_DEFAULT);
}


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
