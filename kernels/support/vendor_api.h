/* Prototypes and constants of the vendors' libraries that are opened at run time, in types without their headers:
 * handles are pointers or int, enumerations int. tests/ops/test_seam_headers.py compares them with the real ones. */
#pragma once

#include <cstddef>

namespace pgops {
namespace vendor {

#if PG_TARGET_ROCM
// rocBLAS
constexpr int blas_none = 111, blas_transpose = 112;
constexpr int blas_f16 = 150, blas_f32 = 151, blas_f64 = 152, blas_bf16 = 168;
constexpr int blas_sum_f32 = blas_f32, blas_sum_f64 = blas_f64;
constexpr int blas_default_algorithm = 0;
using blas_gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
                          int, int, long long, const void*, const void*, int, int, long long, void*, int, int,
                          long long, int, int, int, int, unsigned);
// hipFFT
using fft_plan = void*;
#else
// cuBLAS
constexpr int blas_none = 0, blas_transpose = 1;
constexpr int blas_f16 = 2, blas_f32 = 0, blas_f64 = 1, blas_bf16 = 14;
constexpr int blas_sum_f32 = 68, blas_sum_f64 = 70;  // CUBLAS_COMPUTE_32F: no TF32
constexpr int blas_default_algorithm = -1;
constexpr int blas_no_reduced_sums = 16;  // of cublasSetMathMode: halves are summed in f32 also where a sum is split
using blas_gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
                          int, int, long long, const void*, void*, int, int, long long, int, int, int);
using blas_set_math = int (*)(void*, int);
// cuFFT
using fft_plan = int;
#endif

using blas_create = int (*)(void**);
using blas_set_stream = int (*)(void*, void*);
using blas_set_workspace = int (*)(void*, void*, size_t);
template <class T>
using blas_gemv = int (*)(void*, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);

// Codes of the transforms: complex, from real, to real; f32 and f64.
constexpr int fft_types[2][3] = {{0x29, 0x2a, 0x2c}, {0x69, 0x6a, 0x6c}};
constexpr int fft_forward = -1, fft_backward = 1;
using fft_create = int (*)(fft_plan*);
using fft_destroy = int (*)(fft_plan);
using fft_auto_allocation = int (*)(fft_plan, int);
using fft_make_plan = int (*)(fft_plan, int, int*, int*, int, int, int*, int, int, int, int, size_t*);
using fft_work_area = int (*)(fft_plan, void*);
using fft_set_stream = int (*)(fft_plan, void*);
using fft_complex = int (*)(fft_plan, void*, void*, int);
using fft_real = int (*)(fft_plan, void*, void*);

}  // namespace vendor
}  // namespace pgops
