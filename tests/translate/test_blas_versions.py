"""cuBLAS calls by both routes, with stand-ins for hipBLAS as it was, is and will be.

Each stand-in has the types of one generation of hipBLAS and prints what a function was given.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.shadow import render_shadow
from tests.translate.test_compile import compile_ok

_COMMON = """#pragma once
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>
typedef void* hipblasHandle_t;
enum hipblasOperation_t { HIPBLAS_OP_N = 111, HIPBLAS_OP_T, HIPBLAS_OP_C };
enum hipblasGemmAlgo_t { HIPBLAS_GEMM_DEFAULT = 160 };
#define STATUS(name) HIPBLAS_STATUS_##name
enum hipblasStatus_t { STATUS(SUCCESS), STATUS(NOT_INITIALIZED), STATUS(ALLOC_FAILED),
  STATUS(INVALID_VALUE), STATUS(MAPPING_ERROR), STATUS(EXECUTION_FAILED), STATUS(INTERNAL_ERROR),
  STATUS(NOT_SUPPORTED), STATUS(ARCH_MISMATCH), STATUS(HANDLE_IS_NULLPTR) };
typedef uint16_t hipblasHalf;
struct hipblasBfloat16 { uint16_t data; };
#define GEMM hipblasHandle_t, hipblasOperation_t, hipblasOperation_t, int, int, int
inline hipblasStatus_t hipblasHgemm(GEMM, const hipblasHalf*, const hipblasHalf*, int,
    const hipblasHalf*, int, const hipblasHalf*, hipblasHalf*, int) { return STATUS(SUCCESS); }
inline hipblasStatus_t hipblasHgemmBatched(GEMM, const hipblasHalf*, const hipblasHalf* const*, int,
    const hipblasHalf* const*, int, const hipblasHalf*, hipblasHalf* const*, int, int) {
  return STATUS(SUCCESS);
}
inline hipblasStatus_t hipblasHgemmStridedBatched(GEMM, const hipblasHalf*, const hipblasHalf*, int,
    long long, const hipblasHalf*, int, long long, const hipblasHalf*, hipblasHalf*, int, long long,
    int) { return STATUS(SUCCESS); }
"""
_BODY = """
inline hipblasStatus_t hipblasGemmEx(GEMM, const void*, const void*, TYPE a, int, const void*,
                                     TYPE b, int, const void*, void*, TYPE c, int, COMPUTE how,
                                     hipblasGemmAlgo_t) {
  std::printf("gemm %d %d %d %d\\n", int(a), int(b), int(c), int(how));
  return STATUS(SUCCESS);
}
inline hipblasStatus_t hipblasGemmBatchedEx(GEMM, const void*, const void* a[], TYPE, int,
                                            const void* b[], TYPE, int, const void*, void* c[],
                                            TYPE, int, int, COMPUTE how, hipblasGemmAlgo_t) {
  std::printf("batched %d %d %d\\n", int(how), a[0] == b[0], c[0] == nullptr);
  return STATUS(SUCCESS);
}
inline hipblasStatus_t hipblasScalEx(hipblasHandle_t, int, const void*, TYPE t, void*, TYPE, int,
                                     TYPE how) {
  std::printf("scal %d %d\\n", int(t), int(how));
  return STATUS(SUCCESS);
}
inline hipblasStatus_t hipblasCaxpy(hipblasHandle_t, int, const hipblasComplex* alpha,
                                    const hipblasComplex* x, int, hipblasComplex*, int) {
  float v[2];
  __builtin_memcpy(v, alpha, sizeof(v));
  std::printf("axpy %g %g %d\\n", v[0], v[1], x != nullptr);
  return STATUS(SUCCESS);
}
inline hipblasStatus_t hipblasDznrm2(hipblasHandle_t, int, const hipblasDoubleComplex*, int,
                                     double* r) {
  *r = 3;
  return STATUS(SUCCESS);
}
"""
_OWN_COMPLEX = """
struct hipblasComplex { float x, y; };
struct hipblasDoubleComplex { double x, y; };
"""
_NUMBERS = """
enum hipblasDatatype_t { HIPBLAS_R_16F = 150, HIPBLAS_R_32F, HIPBLAS_R_64F, HIPBLAS_C_16F,
  HIPBLAS_C_32F, HIPBLAS_C_64F, HIPBLAS_R_8I = 160, HIPBLAS_R_32I = 162, HIPBLAS_R_16B = 168 };
"""
_COMPUTE = """
enum hipblasComputeType_t { HIPBLAS_COMPUTE_16F, HIPBLAS_COMPUTE_16F_PEDANTIC, HIPBLAS_COMPUTE_32F,
  HIPBLAS_COMPUTE_32F_PEDANTIC, HIPBLAS_COMPUTE_32F_FAST_16F, HIPBLAS_COMPUTE_32F_FAST_16BF,
  HIPBLAS_COMPUTE_32F_FAST_TF32, HIPBLAS_COMPUTE_64F, HIPBLAS_COMPUTE_64F_PEDANTIC,
  HIPBLAS_COMPUTE_32I, HIPBLAS_COMPUTE_32I_PEDANTIC };
"""
_MATH = """
enum hipblasMath_t { HIPBLAS_DEFAULT_MATH, HIPBLAS_TENSOR_OP_MATH = 5 };
inline hipblasStatus_t hipblasSetMathMode(hipblasHandle_t, hipblasMath_t mode) {
  std::printf("mode %d\\n", int(mode));
  return STATUS(SUCCESS);
}
"""
_HIP_COMPLEX = """
#include <hip/hip_complex.h>
typedef hipFloatComplex hipblasComplex;
typedef hipDoubleComplex hipblasDoubleComplex;
"""
_TYPES = "#define TYPE {}\n#define COMPUTE {}\n"


def _version(major: int, minor: int) -> str:
    return f"#define hipblasVersionMajor {major}\n#define hipblasVersionMinor {minor}\n"


# Generation -> its header, and the numbers for: half, float, computing in float and in half.
_OLD = (150, 151, 151, 150)
_NEW = (2, 0, 2, 0)
_HIPBLAS = {
    "rocm5": (
        _version(1, 1) + _OWN_COMPLEX + _NUMBERS + _TYPES.format(*["hipblasDatatype_t"] * 2),
        _OLD,
        False,
    ),
    "rocm6": (
        _version(2, 2)
        + _COMPUTE
        + _MATH
        + "#include <hip/hip_complex.h>\n"
        + _OWN_COMPLEX
        + _NUMBERS
        + _TYPES.format(*["hipblasDatatype_t"] * 2)
        + "#ifdef HIPBLAS_V2\n#error this is the interface without\n#endif\n",
        _OLD,
        True,
    ),
    "rocm7": (
        _version(3, 0)
        + _COMPUTE
        + _MATH
        + _HIP_COMPLEX
        + _TYPES.format("hipDataType", "hipblasComputeType_t"),
        _NEW,
        True,
    ),
}
_PROGRAM = """
#include <cublas_v2.h>
#include <cuda_fp16.h>
int main() {
  int place = 0;
  cublasHandle_t h = reinterpret_cast<cublasHandle_t>(&place);
  float one = 1;
  __half* x = nullptr;
  const void* const in[1] = {&place};
  void* const out[1] = {nullptr};
  cuComplex alpha = make_cuComplex(2, 3), *z = &alpha;
  cuDoubleComplex* zz = nullptr;
  double norm = 0;
  int version = 0;
  cublasComputeType_t how = CUBLAS_COMPUTE_16F;
  bool ok = cublasSetMathMode(h, CUBLAS_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS;
  ok = ok && cublasGetVersion(h, &version) == CUBLAS_STATUS_SUCCESS && version > 0;
  ok = ok && cublasSetWorkspace(h, nullptr, 0) == CUBLAS_STATUS_SUCCESS;
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, &one,
               x, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, &one,
               x, CUDA_R_16F, 1, how, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, &one,
               x, CUDA_R_16F, 1, CUDA_R_32F, CUBLAS_GEMM_DFALT);
  cublasSgemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1,
                &one, x, CUDA_R_16F, 1);
  cublasGemmBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, in, CUDA_R_16F, 1, in, CUDA_R_16F,
                      1, &one, out, CUDA_R_16F, 1, 1, CUBLAS_COMPUTE_32F_FAST_TF32,
                      CUBLAS_GEMM_DEFAULT);
  cublasScalEx(h, 1, &one, CUDA_R_32F, x, CUDA_R_16F, 1, CUDA_R_32F);
  cublasCaxpy(h, 1, &alpha, z, 1, z, 1);
  cublasDznrm2(h, 1, zz, 1, &norm);
  return ok && norm == 3 ? 0 : 1;
}
"""


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("generation", sorted(_HIPBLAS))
def test_calls_mean_the_same_with_every_hipblas(tmp_path: Path, generation: str) -> None:
    text, (half, single, in_single, in_half), has_math = _HIPBLAS[generation]
    header = tmp_path / "include" / "hipblas" / "hipblas.h"
    header.parent.mkdir(parents=True)
    header.write_text(_COMMON + text + _BODY)
    tf32 = in_single if half == 150 else 6
    expected = ["mode 5"] if has_math else []
    expected += [
        f"gemm {half} {half} {single} {in_single}",
        f"gemm {half} {half} {half} {in_half}",
        f"gemm {half} {half} {half} {in_single}",
        f"gemm {half} {half} {half} {in_single}",
        f"batched {tf32} 1 1",
        f"scal {single} {single}",
        "axpy 2 3 1",
    ]
    source, out = tmp_path / "host.cpp", tmp_path / "hip" / "host.cpp"
    source.write_text(_PROGRAM)
    shadow = tmp_path / "shadow"
    render_shadow("rocm", shadow)
    assert portgpu(["translate", str(source), "-o", str(out), "-q"]) in (0, 1)
    ways = {
        source: [f"@{shadow / 'portgpu-rocm-host.rsp'}", "-UHIPBLAS_V2"],
        out: ["-D__HIP_PLATFORM_AMD__=1"],
    }
    for path, options in ways.items():
        program = tmp_path / f"program-{path.parent.name}"
        include = ["-isystem", str(tmp_path / "include")]
        command = ["g++", "-std=c++17", "-w", *options, *include, str(path), "-o", str(program)]
        compile_ok([*command, "-lamdhip64"])
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        assert done.stdout.split("\n")[:-1] == expected, path
