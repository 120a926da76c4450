"""The seams' own prototypes against the vendors' headers, where those are installed.

Folders with headers besides the usual ones: PORTGPU_TEST_HEADERS, separated as in PATH.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from portgpu import resources

SAME = """
#include <type_traits>
template <class A, class B>  // passed alike: both pointers, or numbers of one size and kind
constexpr bool alike = std::is_pointer_v<A>
    ? std::is_pointer_v<B>
    : !std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
          std::is_floating_point_v<A> == std::is_floating_point_v<B>;
template <class F, class G> struct same;
template <class R, class... A, class S, class... B>
struct same<R (*)(A...), S (*)(B...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return alike<R, S> && (alike<A, B> && ...);
  }
};
#define CALL(theirs, ours) static_assert(same<decltype(&theirs), ours>::value(), #theirs)
#define CODE(theirs, ours) static_assert(int(theirs) == ours, #theirs)
using namespace pgops::vendor;
"""
FFT = """
CALL({0}Create, fft_create);
CALL({0}Destroy, fft_destroy);
CALL({0}SetAutoAllocation, fft_auto_allocation);
CALL({0}MakePlanMany, fft_make_plan);
CALL({0}SetWorkArea, fft_work_area);
CALL({0}SetStream, fft_set_stream);
CALL({0}ExecC2C, fft_complex);
CALL({0}ExecZ2Z, fft_complex);
CALL({0}ExecR2C, fft_real);
CALL({0}ExecC2R, fft_real);
CALL({0}ExecD2Z, fft_real);
CALL({0}ExecZ2D, fft_real);
static_assert(sizeof({0}Handle) == sizeof(fft_plan));
CODE({1}_C2C, fft_types[0][0]); CODE({1}_R2C, fft_types[0][1]); CODE({1}_C2R, fft_types[0][2]);
CODE({1}_Z2Z, fft_types[1][0]); CODE({1}_D2Z, fft_types[1][1]); CODE({1}_Z2D, fft_types[1][2]);
CODE({2}_FORWARD, fft_forward); CODE({2}_{3}, fft_backward); CODE({1}_SUCCESS, 0);
"""
ROCBLAS = """
CALL(rocblas_create_handle, blas_create);
CALL(rocblas_set_stream, blas_set_stream);
CALL(rocblas_set_workspace, blas_set_workspace);
CALL(rocblas_gemm_strided_batched_ex, blas_gemm);
CALL(rocblas_sgemv, blas_gemv<float>);
CALL(rocblas_dgemv, blas_gemv<double>);
CODE(rocblas_operation_none, blas_none); CODE(rocblas_operation_transpose, blas_transpose);
CODE(rocblas_datatype_f16_r, blas_f16); CODE(rocblas_datatype_f32_r, blas_f32);
CODE(rocblas_datatype_f64_r, blas_f64); CODE(rocblas_datatype_bf16_r, blas_bf16);
CODE(rocblas_gemm_algo_standard, blas_default_algorithm); CODE(rocblas_status_success, 0);
"""
CUBLAS = """
CALL(cublasCreate_v2, blas_create);
CALL(cublasSetStream_v2, blas_set_stream);
CALL(cublasSetWorkspace_v2, blas_set_workspace);
CALL(cublasSetMathMode, blas_set_math);
// One of several overloads in C++.
constexpr cublasStatus_t (*gemm)(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
    cudaDataType, int, long long, const void*, cudaDataType, int, long long, const void*, void*,
    cudaDataType, int, long long, int, cublasComputeType_t, cublasGemmAlgo_t) =
    &cublasGemmStridedBatchedEx;
static_assert(same<decltype(+gemm), blas_gemm>::value());
CALL(cublasSgemv_v2, blas_gemv<float>);
CALL(cublasDgemv_v2, blas_gemv<double>);
CODE(CUBLAS_OP_N, blas_none); CODE(CUBLAS_OP_T, blas_transpose);
CODE(CUDA_R_16F, blas_f16); CODE(CUDA_R_32F, blas_f32);
CODE(CUDA_R_64F, blas_f64); CODE(CUDA_R_16BF, blas_bf16);
CODE(CUBLAS_COMPUTE_32F, blas_sum_f32); CODE(CUBLAS_COMPUTE_64F, blas_sum_f64);
CODE(CUBLAS_GEMM_DEFAULT, blas_default_algorithm); CODE(CUBLAS_STATUS_SUCCESS, 0);
CODE(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, blas_no_reduced_sums);
"""
CHECKS = {
    "rocblas/rocblas.h": (1, ROCBLAS),
    "hipfft/hipfft.h": (1, FFT.format("hipfft", "HIPFFT", "HIPFFT", "BACKWARD")),
    "cublas_v2.h": (0, CUBLAS),
    "cufft.h": (0, FFT.format("cufft", "CUFFT", "CUFFT", "INVERSE")),
}


def folders() -> list[Path]:
    named = os.environ.get("PORTGPU_TEST_HEADERS", "").split(os.pathsep)
    usual = ["/opt/rocm/include", "/usr/include", "/usr/local/cuda/include"]
    return [path for path in map(Path, [*named, *usual]) if str(path) != "." and path.is_dir()]


@pytest.mark.parametrize("header", CHECKS)
def test_prototypes(header: str, tmp_path: Path) -> None:
    holders = [folder for folder in folders() if (folder / header).is_file()]
    if not holders:
        pytest.skip(f"{header} is not installed; PORTGPU_TEST_HEADERS names its folder")
    rocm, checks = CHECKS[header]
    source = tmp_path / "check.cpp"
    define = "#define __HIP_PLATFORM_AMD__ 1\n" if rocm else ""
    source.write_text(
        f"#define PG_TARGET_ROCM {rocm}\n{define}#include <{header}>\n"
        f'#include "support/vendor_api.h"\n{SAME}{checks}'
    )
    # /usr/include is searched anyway, and must not come before the library's own folders.
    places = [f"-isystem{folder}" for folder in folders() if str(folder) != "/usr/include"]
    command = ["c++", "-std=c++17", "-fsyntax-only", *places, f"-I{resources.kernels()}", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
