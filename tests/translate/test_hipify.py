"""`portgpu hipify`: every option of hipify-clang and hipify-perl, and the spelling of their text."""

# ruff: noqa: E501 (texts of whole lines)

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from portgpu import mapping
from portgpu.cli import run as portgpu
from portgpu.translate import (
    Options,
    hipify_options,
    hipify_stats,
    hiptensor,
    roc_calls,
    translate,
)
from portgpu.translate.hipify_options import OPTIONS

CODE = "#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n"
HIP = "#include <hip/hip_runtime.h>\nvoid f() { hipFree(0); }\n"


def source(tmp_path: Path, text: str = CODE, name: str = "a.cu") -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def text(code: str, tool: str = "perl", path: str = "a.cu", **options: object) -> str:
    wanted = Options(compat=None, hipify=tool, **options)  # type: ignore[arg-type]
    result = translate(code.encode(), path, wanted).text
    assert translate(result, path, wanted).text == result  # twice is once
    return result.decode()


# --- launches -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("launch", "perl", "clang"),
    [
        ("k<<<g, b>>>(a, c)", "k, dim3(g), dim3(b), 0, 0, a, c", None),
        ("k<<<1,2>>>()", "k, dim3(1), dim3(2), 0, 0", None),
        ("k<<<1, 2>>>(  )", "k, dim3(1), dim3(2), 0, 0", None),
        ("k <<< 1, 2 >>> (a)", "k, dim3(1), dim3(2), 0, 0, a", None),
        ("k<<<dim3(1, 2), dim3(3), n * 4>>>(a)", "k, dim3(1, 2), dim3(3), n * 4, 0, a", None),
        ("k<<<g, b, 0, s>>>(a)", "k, dim3(g), dim3(b), 0, s, a", None),
        ("k<float><<<g, b>>>(a)", "HIP_KERNEL_NAME(k<float>), dim3(g), dim3(b), 0, 0, a", None),
        ("k<float, 4> <<<g, b>>>(a)", "HIP_KERNEL_NAME(k<float, 4>), dim3(g), dim3(b), 0, 0, a", None),
        ("ns::k<T<int>, 2><<<g, b>>>(a)", "HIP_KERNEL_NAME(ns::k<T<int>, 2>), dim3(g), dim3(b), 0, 0, a", None),
        ("t<<<g, b>>>(a)", "t, dim3(g), dim3(b), 0, 0, a", "HIP_KERNEL_NAME(t), dim3(g), dim3(b), 0, 0, a"),
        ("k<<<(n + 1) / 2, std::min(n, 3)>>>(f(a, b), c)", "k, dim3((n + 1) / 2), dim3(std::min(n, 3)), 0, 0, f(a, b), c", None),
        ("k<<<grid.x, block[0]>>>(a)", "k, dim3(grid.x), dim3(block[0]), 0, 0, a", None),
        ("k<<<1,\n      2>>>(a,\n           b)", "k, dim3(1), dim3(2), 0, 0, a,\n           b", None),
        ("k<<<1, /* threads */ 2>>>(a)", "k, dim3(1), /* threads */ dim3(2), 0, 0, a", None),
        ("k<3, a < b><<<1, 2>>>(a)", "HIP_KERNEL_NAME(k<3, a < b>), dim3(1), dim3(2), 0, 0, a", None),
        ("k<sizeof(a) < 4, 3><<<1, 2>>>(a)", "HIP_KERNEL_NAME(k<sizeof(a) < 4, 3>), dim3(1), dim3(2), 0, 0, a", None),
        ("k<x < A<3>::v, c < d><<<1, 2>>>(a)", "HIP_KERNEL_NAME(k<x < A<3>::v, c < d>), dim3(1), dim3(2), 0, 0, a", None),
        ("ns::t<<<1, 2>>>(a)", "ns::t, dim3(1), dim3(2), 0, 0, a", "HIP_KERNEL_NAME(ns::t), dim3(1), dim3(2), 0, 0, a"),
    ],
)  # fmt: skip
def test_launches(launch: str, perl: str, clang: str | None) -> None:
    code = "template <class T> __global__ void t(T x) {}\nvoid f() { " + launch + "; }\n"
    for tool, inside in (("perl", perl), ("clang", clang or perl)):
        found = text(code, tool, launches="convert")
        assert f"void f() {{ hipLaunchKernelGGL({inside}); }}" in found
        assert launch in text(code, tool)


MACROS = """#define NAME t<float>
#define CALL t<float><<<1, n>>>
#define LESS k<3, a < b><<<1, 2, 0, cudaStreamPerThread>>>
#define VALUES grid, dim3(2), 4
#define BRACKETS <<<1, 2>>>
#define ONE 256
#define LAUNCH(t, ...) t<<<1, 2>>>(__VA_ARGS__)
#define TWICE 1, 2
#undef TWICE
#define TWICE 3, 4
template <class T> __global__ void t(T x) {}
"""


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("CALL(a, b)", "hipLaunchKernelGGL(HIP_KERNEL_NAME(t<float>), dim3(1), dim3(n), 0, 0, a, b)"),
        ("CALL( a )", "hipLaunchKernelGGL(HIP_KERNEL_NAME(t<float>), dim3(1), dim3(n), 0, 0, a)"),
        ("CALL()", "hipLaunchKernelGGL(HIP_KERNEL_NAME(t<float>), dim3(1), dim3(n), 0, 0)"),
        ("LESS(a)", "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<3, a < b>), dim3(1), dim3(2), 0, hipStreamPerThread, a)"),
        ("k<<<VALUES>>>(a)", "hipLaunchKernelGGL(k, dim3(grid), dim3(2), 4, 0, a)"),
        ("k<int> BRACKETS(a)", "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int>), dim3(1), dim3(2), 0, 0, a)"),
        ("k BRACKETS()", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0)"),
        ("if (a < 3) k<3, a < b><<<1, 2>>>(a)", "if (a < 3) hipLaunchKernelGGL(HIP_KERNEL_NAME(k<3, a < b>), dim3(1), dim3(2), 0, 0, a)"),
        ("LAUNCH(k, a)", "LAUNCH(k, a)"),  # in the macro's body
        ("k<<<ONE>>>(a)", "k<<<ONE>>>(a)"),
        ("k<<<TWICE>>>(a)", "k<<<TWICE>>>(a)"),
    ],
)  # fmt: skip
def test_launches_of_which_a_macro_holds_a_part(launch: str, expected: str) -> None:
    for tool in ("perl", "clang"):
        found = text(MACROS + "void f() { " + launch + "; }\n", tool, launches="convert")
        assert "void f() { " + expected + "; }\n" in found
        assert (
            "\n#define LAUNCH(t, ...) hipLaunchKernelGGL(t, dim3(1), dim3(2), 0, 0, __VA_ARGS__)\n"
            in found
        )
    options = Options(compat=None, hipify="clang", launches="convert")
    findings = translate(
        (MACROS + "void f() { " + launch + "; }\n").encode(), "a.cu", options
    ).findings
    unclear = {f.line for f in findings if f.id == "PG1301"}
    assert (12 in unclear) == (launch in ("k<<<ONE>>>(a)", "k<<<TWICE>>>(a)"))
    for line, name in ((2, "CALL"), (3, "LESS"), (5, "BRACKETS")):
        assert (line in unclear) == (name not in launch)


@pytest.mark.parametrize("call", ["k<<<1, 2>>>", "CALL", "k<<<VALUES>>>", "k BRACKETS"])
def test_launches_with_a_directive_among_the_arguments_stay(call: str) -> None:
    code = MACROS + f"void f() {{ {call}(\n#ifdef X\n  a\n#else\n  b\n#endif\n  ); }}\n"
    for tool in ("perl", "clang"):
        assert f"{call}(\n#ifdef X\n  a\n#else\n  b\n#endif\n  ); }}" in text(
            code, tool, launches="convert"
        )
    options = Options(compat=None, hipify="clang", launches="convert")
    assert any(f.id == "PG1301" for f in translate(code.encode(), "a.cu", options).findings)


def test_a_template_behind_a_macro_is_marked() -> None:
    code = MACROS + "void f() { NAME<<<1, 2>>>(a); }\n"
    assert "hipLaunchKernelGGL(HIP_KERNEL_NAME(NAME), " in text(code, "clang", launches="convert")
    assert "hipLaunchKernelGGL(NAME, " in text(code, "perl", launches="convert")


# --- includes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "perl", "clang"),
    [
        # The runtime: both spellings of quotes stay; hipify-clang drops the second main header.
        ("#include <cuda.h>\n#include <cuda_runtime.h>\nint x;\n",
         "#include <hip/hip_runtime.h>\n#include <hip/hip_runtime.h>\nint x;\n",
         "#include <hip/hip_runtime.h>\n\nint x;\n"),
        ('#include "cuda_runtime.h"\n', '#include "hip/hip_runtime.h"\n', '#include "hip/hip_runtime.h"\n'),
        ("#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n",
         "#include <hip/hip_runtime.h>\n\n", "#include <hip/hip_runtime.h>\n\n"),
        # Comments and continued lines between the words, and the extensions of compilers.
        ('#include /* a */ <cuda.h>\n#/*b*/include/*c*/"cublas_v2.h" // d\n#  include \\\n  <cufft.h>\n#import <curand.h>\n',) +
        ('#include /* a */ <hip/hip_runtime.h>\n#/*b*/include/*c*/"hipblas.h" // d\n#  include \\\n  <hipfft/hipfft.h>\n#import <hiprand/hiprand.h>\n',) * 2,
        # An API's second main header, and every other header of hipRAND's device code.
        ('#include <cuda.h>\n#include <cublas.h>\n#include "cublas_v2.h"\n#include <curand_kernel.h>\n#include <curand_uniform.h>\n',
         '#include <hip/hip_runtime.h>\n#include <hipblas.h>\n#include "hipblas.h"\n#include <hiprand/hiprand_kernel.h>\n#include <hiprand/hiprand_kernel.h>\n',
         "#include <hip/hip_runtime.h>\n#include <hipblas.h>\n\n#include <hiprand/hiprand_kernel.h>\n\n"),
        ("#include <cuda.h>\n#include <cusolverDn.h>\n#include <cusolver_common.h>\n#include <nvrtc.h>\n#include <driver_types.h>\n#include <vector_types.h>\n",
         "#include <hip/hip_runtime.h>\n#include <hipsolver.h>\n#include <hipsolver.h>\n#include <hiprtc.h>\n#include <hip/driver_types.h>\n#include <hip/hip_vector_types.h>\n",
         "#include <hip/hip_runtime.h>\n#include <hipsolver.h>\n\n#include <hiprtc.h>\n#include <hip/driver_types.h>\n#include <hip/hip_vector_types.h>\n"),
        # None of CUDA's: hipify-perl's goes first of all, hipify-clang's before the first include.
        ("// (c)\n#include <stdio.h>\n__global__ void k() {}\n",
         '#include "hip/hip_runtime.h"\n// (c)\n#include <stdio.h>\n__global__ void k() {}\n',
         "// (c)\n\n#include <hip/hip_runtime.h>\n#include <stdio.h>\n__global__ void k() {}\n"),
        ("#pragma once\n__device__ int k();\n",
         '#include "hip/hip_runtime.h"\n#pragma once\n__device__ int k();\n',
         "#pragma once\n#include <hip/hip_runtime.h>\n\n__device__ int k();\n"),
        ("#ifndef A_H\n#define A_H\n__global__ void k();\n#endif\n",
         '#include "hip/hip_runtime.h"\n#ifndef A_H\n#define A_H\n__global__ void k();\n#endif\n',
         "#ifndef A_H\n#include <hip/hip_runtime.h>\n\n#define A_H\n__global__ void k();\n#endif\n"),
        ("__global__ void k() {}\r\n", '#include "hip/hip_runtime.h"\r\n__global__ void k() {}\r\n',
         "\r\n#include <hip/hip_runtime.h>\r\n__global__ void k() {}\r\n"),
        # Host code alone: hipify-perl adds nothing.
        ("void f() { cudaFree(p); }\n", "void f() { hipFree(p); }\n",
         "\n#include <hip/hip_runtime.h>\nvoid f() { hipFree(p); }\n"),
        ("#include <cuda_runtime_api.h>\nvoid f() { cudaFree(p); }\n",
         "#include <hip/hip_runtime_api.h>\nvoid f() { hipFree(p); }\n",
         "\n#include <hip/hip_runtime.h>\n#include <hip/hip_runtime_api.h>\nvoid f() { hipFree(p); }\n"),
        # Nothing of CUDA's: hipify-clang adds its header all the same, "#if !defined" is no guard to it.
        ("/* (c) */\n#ifndef A_H\n#define A_H\nint x;\n#endif\n",) * 2 + ("/* (c) */\n#ifndef A_H\n#include <hip/hip_runtime.h>\n\n#define A_H\nint x;\n#endif\n",),
        ("int main() {}\n", "int main() {}\n", "\n#include <hip/hip_runtime.h>\nint main() {}\n"),
        ("", "", "\n#include <hip/hip_runtime.h>\n"),
        ("#include <caffe2/core/common_cudnn.h>\n#include <cuda.h>\nvoid f(CUDAContext c) { c.cuda_stream(); }\n",) +
        ("#include <caffe2/core/hip/common_miopen.h>\n#include <hip/hip_runtime.h>\nvoid f(HIPContext c) { c.hip_stream(); }\n",) * 2,
        ("#include <cuda.h>\nint cuda_stream;\n",) + ("#include <hip/hip_runtime.h>\nint cuda_stream;\n",) * 2,
        # Already there.
        ('#include "hip/hip_runtime.h"\n__global__ void k() {}\n',) + ('#include "hip/hip_runtime.h"\n__global__ void k() {}\n',) * 2,
    ],
)  # fmt: skip
def test_includes(code: str, perl: str, clang: str) -> None:
    assert text(code, "perl") == perl
    assert text(code, "clang") == clang


# --- calls and names ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("cudaMallocHost(&p, n);", "hipHostMalloc(&p, n, hipHostMallocDefault);"),
        ("cudaMallocHost((void**)&p, n, cudaHostAllocMapped);", "hipHostMalloc((void**)&p, n, hipHostMallocMapped);"),
        ("cudaHostAlloc(&p, n, cudaHostAllocDefault);", "hipHostAlloc(&p, n, hipHostMallocDefault);"),
        ("cudaMemcpyToSymbol(c, p, 4);", "hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4);"),
        ("cudaMemcpyFromSymbol(p, c, 4);", "hipMemcpyFromSymbol(p, HIP_SYMBOL(c), 4);"),
        ("cudaGetSymbolAddress(&p, c);", "hipGetSymbolAddress(&p, HIP_SYMBOL(c));"),
        ("cudaGetSymbolSize(&n, c);", "hipGetSymbolSize(&n, HIP_SYMBOL(c));"),
        ("cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1);", "hipFuncSetCacheConfig(reinterpret_cast<const void*>(k), hipFuncCachePreferL1);"),
        ("cudaFuncGetAttributes(&a, k);", "hipFuncGetAttributes(&a, reinterpret_cast<const void*>(k));"),
        ("cudaLaunchKernel((void*)k, g, b, a);", "hipLaunchKernel(reinterpret_cast<const void*>((void*)k), g, b, a);"),
        ("cudaLaunchCooperativeKernel(k<int, 2>, g, b, a, 0, s);", "hipLaunchCooperativeKernel(reinterpret_cast<const void*>(k<int, 2>), g, b, a, 0, s);"),
        ("cudaFuncSetSharedMemConfig(k, cudaSharedMemBankSizeEightByte);", "hipFuncSetSharedMemConfig(reinterpret_cast<const void*>(k), hipSharedMemBankSizeEightByte);"),
        ("cudaFuncSetAttribute(reinterpret_cast<const void*>(k), a, 1);", "hipFuncSetAttribute(reinterpret_cast<const void*>(k), a, 1);"),
        ("cuOccupancyMaxPotentialBlockSize(&g, &b, f, nullptr, 0, n);", "hipModuleOccupancyMaxPotentialBlockSize(&g, &b, f, 0, n);"),
        ("cuOccupancyMaxPotentialBlockSizeWithFlags(&g, &b, f, cb, 0, n, x);", "hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&g, &b, f, 0, n, x);"),
        ("cudaGraphMemcpyNodeSetParamsToSymbol(n, c, p, 4, 0, k);", "hipGraphMemcpyNodeSetParamsToSymbol(n, HIP_SYMBOL(c), p, 4, 0, k);"),
        ("cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, n, p, c, 4, 0, k);", "hipGraphExecMemcpyNodeSetParamsFromSymbol(e, n, p, HIP_SYMBOL(c), 4, 0, k);"),
        ("nvrtcCompileProgram(p, 1, o);", "hiprtcCompileProgram(p, 1, o);"),
        ("cudaThreadSynchronize();", "hipDeviceSynchronize();"),
        ("cublasSgemm(h, CUBLAS_OP_N);", "hipblasSgemm(h, HIPBLAS_OP_N);"),
        ("cudaDataType t = CUDA_R_32F;", "hipDataType t = HIP_R_32F;"),
        ("cufftExecC2C(p, a, b, CUFFT_FORWARD);", "hipfftExecC2C(p, a, b, HIPFFT_FORWARD);"),
        ("__shfl_down_sync(m, v, 1);", "__shfl_down_sync(m, v, 1);"),
        ("cub::DeviceReduce::Sum(a);", "hipcub::DeviceReduce::Sum(a);"),
        ("extern __shared__ float s[];", "extern __shared__ float s[];"),
        # Where the tools err, ours does not.
        ('puts("cudaFree"); // cudaFree', 'puts("cudaFree"); // cudaFree'),
        ("s.cudaFree = 1; p->cudaMalloc();", "s.cudaFree = 1; p->cudaMalloc();"),
        ('auto r = R"(cudaFree)";', 'auto r = R"(cudaFree)";'),
    ],
)  # fmt: skip
def test_calls(code: str, expected: str) -> None:
    for tool in ("perl", "clang"):
        found = text("#include <cuda_runtime.h>\nvoid f() { " + code + "\n}\n", tool)
        assert found == "#include <hip/hip_runtime.h>\nvoid f() { " + expected + "\n}\n"


@pytest.mark.parametrize(
    ("version", "names", "header"),
    [
        ("", "hipblasCcopy_v2 hipblasScopy hipblasZgeam_v2_64 hipblasGemmEx_v2 hipblasScnrm2_v2", "hipblas.h"),
        ("6.4", "hipblasCcopy_v2 hipblasScopy hipblasZgeam_v2_64 hipblasGemmEx_v2 hipblasScnrm2_v2", "hipblas/hipblas.h"),
        ("7.0", "hipblasCcopy hipblasScopy hipblasZgeam_64 hipblasGemmEx hipblasScnrm2", "hipblas/hipblas.h"),
        ("5.2", "hipblasCcopy hipblasScopy hipblasZgeam_64 hipblasGemmEx hipblasScnrm2", "hipblas/hipblas.h"),
    ],
)  # fmt: skip
def test_hipblas_of_each_version(version: str, names: str, header: str) -> None:
    code = "#include <cublas_v2.h>\nauto x = {cublasCcopy, cublasScopy_v2, cublasZgeam_64, cublasGemmEx, cublasScnrm2_v2};\n"
    found = text(code, "perl", hip_version=version)
    assert found == f"#include <{header}>\nauto x = {{{', '.join(names.split())}}};\n"


def test_no_shim_of_ours_in_their_text() -> None:
    code = "#include <cuda.h>\n#include <cusparse.h>\n"
    code += "auto a = cuMemcpyHtoD(d, s, n), b = cuMemcpyHtoDAsync_v2(d, s, n, t);\n"
    code += "int c = CUSPARSE_ORDER_COL, w = CUB_PTX_WARP_THREADS;\n"
    for tool in ("perl", "clang"):
        found = text(code, tool)
        assert "a = hipMemcpyHtoD(d, s, n), b = hipMemcpyHtoDAsync(d, s, n, t);" in found
        asm = 'asm volatile("mov.u32 %0, %laneid;" : "=r"(x));'
        kernel = f"__global__ void k() {{ int x; {asm} }}\n"
        assert kernel in text("#include <cuda.h>\n" + kernel, tool)
        told = translate(kernel.encode(), "a.cu", Options(compat=None, hipify=tool)).findings
        assert "PG1201" in [f.id for f in told]
        assert "int c = HIPSPARSE_ORDER_COL, w = HIPCUB_WARP_THREADS;" in found
    every = "".join(f"auto x = f({name});\n" for name in mapping.load().names)
    assert "pg_compat" not in text(every)


def test_guards_keep_their_meaning_for_the_project() -> None:
    code = "#ifdef __CUDACC__\n#if defined(__CUDA_ARCH__) && CUDA_VERSION > 9\nint x;\n#endif\n#endif\n"
    assert text(code, path="a.h") == code.replace("__CUDACC__", "__HIPCC__")


@pytest.mark.parametrize(
    ("code", "expected", "kept"),
    [
        ("cublasSgemm(h, CUBLAS_OP_T);", "rocblas_sgemm(h, rocblas_operation_transpose);", ""),
        ("cublasInit();", "rocblas_initialize();", ""),
        ("cublasHgemm(h);", "rocblas_hgemm(h);", ""),
        ("cudaDataType t = CUDA_R_32F;", "rocblas_datatype t = rocblas_datatype_f32_r;", "hipDataType t = HIP_R_32F;"),
        ("cusparseDestroy(h);", "rocsparse_destroy_handle(h);", ""),
        ("curandState_t s; curand_init(1, 2, 3, &s);", "rocrand_state_xorwow s; rocrand_init(1, 2, 3, &s);", ""),
        ("cudaMalloc(&p, 1);", "hipMalloc(&p, 1);", ""),
        ("auto o = CUSPARSE_ORDER_COL;", "auto o = rocsparse_order_column;", ""),
        # A function of hipBLAS does not take rocBLAS's handle.
        ("cublasSgetrfBatched(h);", "cublasSgetrfBatched(h);", ""),
    ],
)  # fmt: skip
def test_roc(code: str, expected: str, kept: str) -> None:
    whole = "void f() { " + code + " }\n"
    assert text(whole, roc=True) == "void f() { " + expected + " }\n"
    assert text(whole, roc=True, hip_types=True) == "void f() { " + (kept or expected) + " }\n"


def test_cudnn_is_hipdnn_unless_miopen_is_wanted() -> None:
    """The spellings of HIPIFY's tables, the irregular ones too."""
    code = "#include <cudnn.h>\ncudnnHandle_t h;\nint a = CUDNN_ACTIVATION_IDENTITY;\n"
    plain = code.replace("<cudnn.h>", "<hipDNN.h>").replace("cudnnHandle_t", "hipdnnHandle_t")
    plain = plain.replace("CUDNN_ACTIVATION_IDENTITY", "HIPDNN_ACTIVATION_PATHTRU")
    theirs = code.replace("<cudnn.h>", "<miopen/miopen.h>").replace(
        "cudnnHandle_t", "miopenHandle_t"
    )
    theirs = theirs.replace("CUDNN_ACTIVATION_IDENTITY", "miopenActivationPASTHRU")
    for tool in ("clang", "perl"):
        assert text(code, tool).endswith(plain)
        assert text(code, tool, miopen=True).endswith(theirs)
        assert text(code, tool, roc=True).endswith(theirs)
    found = translate(
        b"int a = cudnnBackendFinalize(d);", "a.cu", Options(hipify="clang", compat=None)
    )
    assert [f.id for f in found.findings] == ["PG1601"]


def test_cutensor_is_hiptensor() -> None:
    code = (
        "#include <cutensor.h>\nvoid f(S s) {\n  cutensorHandle_t h; cutensorCreate(&h); s.cutensorCreate();\n"
        '  if (x == CUTENSOR_STATUS_SUCCESS) puts("cutensorCreate");\n  cutensorGetCudartVersion();\n'
        "  auto t = CUTENSOR_COMPUTE_DESC_32F, u = CUTENSOR_R_16BF, v = CUTENSOR_OP_SOFT_SIGN;\n}\n"
    )
    for tool in ("perl", "clang"):
        found = text(code, tool)
        assert "#include <hiptensor/hiptensor.h>" in found
        assert "hiptensorHandle_t h; hiptensorCreate(&h); s.cutensorCreate();" in found
        assert 'HIPTENSOR_STATUS_SUCCESS) puts("cutensorCreate");' in found
        assert "hiptensorGetHiprtVersion();" in found
        assert (
            "HIPTENSOR_COMPUTE_DESC_32F, u = HIPTENSOR_R_16BF, v = CUTENSOR_OP_SOFT_SIGN" in found
        )
    names = hiptensor.names()
    assert all(new.lower().startswith(b"hiptensor") for new in names.values())
    assert all(old.lower().startswith(b"cutensor") for old in names)


# --- options ------------------------------------------------------------------------------------

# The options of the two documentation pages of ROCm.
CLANG = re.findall(
    r"\S+",
    """-- -D -I --amap --clang-resource-directory --csv --cuda-gpu-arch --cuda-kernel-execution-syntax
--cuda-path --default-preprocessor --doc-format --doc-roc --examine --experimental --extra-arg
--extra-arg-before --hip-kernel-execution-syntax --inplace --local-headers --local-headers-recursive
--md --miopen --no-backup --no-output --no-undocumented-features -o --o-dir --o-hipify-perl-dir
--o-python-map-dir --o-stats -p --perl --print-stats --print-stats-csv --python --roc --save-temps
--skip-excluded-preprocessor-conditional-blocks --temp-dir --use-hip-data-types -v --versions --help
--help-list --version""",
)
PERL = re.findall(
    r"\S+",
    """-cuda-kernel-execution-syntax -examine -exclude-dirs -exclude-files -experimental -help
-hip-kernel-execution-syntax -inplace -no-output -o -print-stats -quiet-warnings -roc -version
-whitelist""",
)


def test_every_documented_option_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert {w.lstrip("-") for w in CLANG + PERL} - {""} <= OPTIONS.keys()
    assert portgpu(["hipify", "--help"]) == 0
    shown = capsys.readouterr().out
    for option in OPTIONS.values():
        assert f"  --{option.name}" in shown and option.help in shown
    # What has no effect says so.
    for name in ("cuda-path", "cuda-gpu-arch", "temp-dir", "save-temps", "x"):
        assert OPTIONS[name].help.startswith("Accepted")


@pytest.mark.parametrize(
    "name", sorted(n for n, o in OPTIONS.items() if o.help.startswith("Accepted"))
)
def test_options_that_change_nothing_take_their_value(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    words = [f"--{name}=v"] if OPTIONS[name].value else [f"-{name}"]
    assert portgpu(["hipify-perl", str(source(tmp_path)), *words]) == 0
    assert capfdbinary.readouterr().out.decode() == HIP


def test_words_are_read_as_both_tools_read_them() -> None:
    words = hipify_options.parse(
        ["-D", "A", "-DB=2", "-Iinc", "-I", "more", "--INPLACE", "-print-stats-c", "-o=x", "a.cu",
         "--roc=false", "-std=c++17", "-Wall", "--extra-arg=-DC", "--", "-DD", "-UA", "-isystem", "sys"]
    )  # fmt: skip
    assert words.inputs == ["a.cu"] and words.last("o") == "x" and words.clang
    assert words.values["D"] == ["B=2", "D", "C"] and words.values["I"] == ["inc", "more", "sys"]
    assert words.has("inplace") and words.has("print-stats-csv") and not words.has("roc")


def test_names_of_the_tools_choose_their_habits(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = source(tmp_path)
    assert portgpu(["hipify-perl", str(path)]) == 0
    assert capfdbinary.readouterr().out.decode() == HIP
    assert portgpu(["hipify-clang", str(path)]) == 0
    assert not capfdbinary.readouterr().out and (tmp_path / "a.cu.hip").read_text() == HIP
    assert portgpu(["hipify-perl", str(tmp_path / "none.cu")]) == 2
    assert portgpu(["hipify-clang", str(tmp_path / "none.cu")]) == 1


def test_hip_launch_syntax_wins(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = source(tmp_path, "void f() { k<<<1, 2>>>(); }\n", "a.cpp")
    both = ["-hip-kernel-execution-syntax", "-cuda-kernel-execution-syntax"]
    assert portgpu(["hipify", str(path), *both]) == 0
    assert b"hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);" in capfdbinary.readouterr().out
    assert portgpu(["hipify", str(path), both[1]]) == 0
    assert b"k<<<1, 2>>>();" in capfdbinary.readouterr().out


def test_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source(tmp_path, name="one/a.cu")
    source(tmp_path, name="two/a.cu")
    assert portgpu(["hipify", "one/a.cu", "two/a.cu", "-o-dir", "out"]) == 0
    assert {p.relative_to("out").as_posix() for p in Path("out").rglob("*.hip")} == {
        "a.cu.hip", "two/a.cu.hip"
    }  # fmt: skip
    assert portgpu(["hipify", "one/a.cu", "-o-dir", "out", "-o", "b.cpp"]) == 0
    assert Path("out/b.cpp").read_text() == HIP
    before = sorted(Path().rglob("*"))
    assert portgpu(["hipify", "one/a.cu", "--no-output"]) == 0
    assert portgpu(["hipify", "one/a.cu", "-examine"]) == 0
    assert portgpu(["hipify", "one/a.cu", "-o", "-"]) == 0
    assert sorted(Path().rglob("*")) == before


def test_in_place(tmp_path: Path) -> None:
    path = source(tmp_path)
    assert portgpu(["hipify-clang", "-inplace", str(path)]) == 0
    assert portgpu(["hipify-clang", "-inplace", str(path)]) == 0  # nothing to do: keeps the backup
    assert path.read_text() == HIP and Path(f"{path}.prehip").read_text() == CODE
    other = source(tmp_path, name="b.cu")
    assert portgpu(["hipify-clang", "-inplace", "-no-backup", str(other)]) == 0
    assert other.read_text() == HIP and not Path(f"{other}.prehip").exists()


def test_in_place_again_loses_no_edit(tmp_path: Path) -> None:
    """hipify-perl starts again from FILE.prehip, but only while FILE is what it made of it."""
    code = CODE + "void g() { k<<<1, 2>>>(); }\n"
    path = source(tmp_path, code)
    kept = Path(f"{path}.prehip")
    assert portgpu(["hipify-perl", "-inplace", str(path)]) == 0
    assert portgpu(["hipify-perl", "-inplace", "-hip-kernel-execution-syntax", str(path)]) == 0
    assert "hipLaunchKernelGGL" in path.read_text() and kept.read_text() == code
    assert portgpu(["hipify-perl", "-inplace", str(path)]) == 0  # and back
    assert "k<<<1, 2>>>" in path.read_text() and kept.read_text() == code
    edited = path.read_text() + "// mine\n"
    path.write_text(edited)
    assert portgpu(["hipify-perl", "-inplace", str(path)]) == 0
    assert path.read_text() == edited and kept.read_text() == code
    for tool in ("hipify-perl", "hipify-clang"):
        now = path.read_text() + f"void {tool[7:]}() {{ cudaFree(1); }}\n"
        path.write_text(now)
        assert portgpu([tool, "-inplace", str(path)]) == 0
        assert "// mine" in path.read_text() and "cudaFree(1)" not in path.read_text()
        assert kept.read_text() == code
        assert now in [p.read_text() for p in tmp_path.glob("a.cu.prehip?")]


def test_exit_codes_are_those_of_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """LLVM's tools end with 1 whatever is wrong with the command line."""
    monkeypatch.chdir(tmp_path)
    source(tmp_path)
    wrong = [["-wrong"], ["-whatever"], ["--nonsense"], ["-o"], ["-inplace", "-o", "x"], ["-foo"],
             ["-gross"], ["-more"], ["-doc-roc=x"]]  # fmt: skip
    for words in wrong:
        assert portgpu(["hipify-perl", "a.cu", *words]) == 2, words
        assert portgpu(["hipify-clang", "a.cu", *words]) == 1, words
    assert portgpu(["hipify-perl"]) == 2 and portgpu(["hipify-clang"]) == 1
    assert portgpu(["hipify", "-o-dir=x"]) == 1  # hipify-clang's option
    assert portgpu(["hipify", "--doc-roc=joint"]) == 1 and portgpu(["hipify"]) == 2
    # A compiler's options are hipify-clang's.
    for word in ("-std=c++17", "-Wall", "-O2", "-m64", "-fno-exceptions", "-g"):
        assert portgpu(["hipify-clang", "a.cu", word, "-o", "-"]) == 0
    for word in ("-std=c++17", "-Wall", "-O2", "-m64", "-fno-exceptions", "-g"):
        assert portgpu(["hipify-perl", "a.cu", word]) == 2
    Path("wide.cu").write_bytes(CODE.encode("utf-16"))
    Path("object.cu").write_bytes(b"\x7fELF" + bytes(60))
    capfdbinary.readouterr()
    for name in ("wide.cu", "object.cu"):
        assert portgpu(["hipify-perl", name]) == portgpu(["hipify-clang", name]) == 1
        assert portgpu(["hipify-perl", "-quiet-warnings", "-inplace", name]) == 1
        out, err = capfdbinary.readouterr()
        assert not out and err.count(b"PG1803") == 3
    assert not list(tmp_path.glob("*.cu.*"))


def test_what_cannot_be_read_does_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").symlink_to("nowhere")
    Path("b.cu").symlink_to("b.cu")
    os.mkfifo("c.cu")
    source(tmp_path, name="d.cu")
    Path(".#d.cu").symlink_to("user@host")
    assert portgpu(["hipify-clang", "."]) == 1 and portgpu(["hipify-perl", "."]) == 2
    assert Path("d.cu.hip").read_text() == HIP
    shown = capfd.readouterr().err
    assert "a symbolic link to nowhere" in shown and "leads back to itself" in shown
    source(tmp_path, name="l" * 251 + ".cu")  # no room for .hip
    source(tmp_path, name="m.cu")
    assert portgpu(["hipify-clang", "."]) == 9
    assert Path("m.cu.hip").read_text() == HIP and "too long" in capfd.readouterr().err
    Path("empty").mkdir()
    assert portgpu(["hipify-clang", "empty"]) == 1 and portgpu(["hipify-perl", "empty"]) == 2


@pytest.mark.parametrize("word", sorted(set(CLANG + PERL) - {"--"}))
def test_every_option_has_one_dash_or_two(tmp_path: Path, word: str) -> None:
    """And "=" or the next word for its value."""
    name = word.lstrip("-")
    option = OPTIONS[name]
    for dash in ("-", "--"):
        for separate in (False, True):
            words = [f"{dash}{name}"]
            if option.value:
                words = [*words, "1"] if separate else [f"{dash}{name}=1"]
            found = hipify_options.parse(words)
            assert found.inputs == [] and found.compiler == []
            assert found.has(name) and found.last(name) == ("1" if option.value else "")
            if not option.value:  # LLVM's reader
                assert hipify_options.parse([f"{dash}{name}=true"]).has(name)
                assert not hipify_options.parse([f"{dash}{name}=false"]).has(name)


def test_folders_as_the_tree_scripts_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """hipconvertinplace-perl.sh and hipexamine-perl.sh: whole folders, in place or statistics alone."""
    for name in ("a.cu", "sub/b.cuh", "sub/c.cpp", "skip/d.cu", "e.cu"):
        source(tmp_path, name=name)
    words = ["-exclude-dirs=skip", "-exclude-files=e.cu"]
    assert portgpu(["hipify", "-examine", str(tmp_path), *words]) == 0
    shown = capsys.readouterr().err
    assert shown.count("' statistics:\n  CONVERTED refs count: 2\n") == 3
    total = "[HIPIFY] info: file 'GLOBAL' statistics:\n  CONVERTED refs count: 6\n"
    assert total in shown and shown.endswith("  cuda_runtime.h => hip/hip_runtime.h: 3\n")
    assert "  cudaFree => hipFree: 3\n" in shown
    assert portgpu(["hipify", "-inplace", "-print-stats", str(tmp_path), *words]) == 0
    assert (tmp_path / "sub/b.cuh").read_text() == HIP and (tmp_path / "e.cu").read_text() == CODE
    assert (tmp_path / "skip/d.cu").read_text() == CODE


@pytest.mark.parametrize(
    ("condition", "flags", "live"),
    [
        ("#if 0", [], False),
        ("#ifdef HAVE", [], False),
        ("#ifdef HAVE", ["-DHAVE"], True),
        ("#if HAVE", ["-DHAVE=0"], False),
        ("#if HAVE > 2 && defined(__CUDACC__)", ["-D", "HAVE=3"], True),
        ("#if !defined(HAVE) || (HAVE + 1) % 2", ["--extra-arg=-DHAVE=3"], False),
        ("#if CUDA_VERSION >= 9000", [], True),  # not known: translated
        ("#if MINE && UNKNOWN_VERSION > 1", [], False),
        ("#ifndef HAVE", ["--", "-DHAVE"], False),
        ("#if 0", ["--amap"], True),
    ],
)
def test_excluded_blocks(tmp_path: Path, condition: str, flags: list[str], live: bool) -> None:
    path = source(tmp_path, f"{condition}\nint e = cudaFree(p);\n#endif\nint f = cudaFree(q);\n")
    for option in ("--default-preprocessor", "--skip-excluded-preprocessor-conditional-blocks"):
        out = tmp_path / "out"
        assert portgpu(["hipify", str(path), "-o", str(out), option, *flags]) == 0
        found = out.read_text()
        assert ("e = hipFree" in found) == live and "f = hipFree" in found


def test_warnings_can_be_silenced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = source(tmp_path, "void f() { cudaFrob(1); cudaNope(2); }\n", "a.cpp")
    assert portgpu(["hipify", str(path), "-no-output"]) == 0  # warnings do not fail
    shown = capsys.readouterr().err
    assert re.search(
        r'^  warning: .*a\.cpp:1: unsupported identifier "cudaFrob"', shown, re.MULTILINE
    )
    assert portgpu(["hipify", str(path), "-no-output", "-whitelist=cudaFrob,x"]) == 0
    shown = capsys.readouterr().err
    assert "cudaFrob" not in shown and "cudaNope" in shown
    assert portgpu(["hipify", str(path), "-no-output", "-quiet-warnings"]) == 0
    assert capsys.readouterr().err == ""
    device = source(tmp_path, "void f() { __nanosleep(3); }\n", "c.cu")
    assert portgpu(["hipify-perl", str(device), "-no-output"]) == 0
    shown = capsys.readouterr().err
    assert (
        'c.cu:1: unsupported device function "__nanosleep": void f() { __nanosleep(3); }' in shown
    )
    assert portgpu(["hipify-clang", str(device), "-no-output"]) == 0
    shown = capsys.readouterr().err
    assert "c.cu:1:12: warning: CUDA identifier is unsupported in HIP. [PG1001]\n" in shown
    assert shown.endswith("\nvoid f() { __nanosleep(3); }\n           ^\n")
    new = source(tmp_path, "void f() { __syncwarp(); }\n", "b.cu")
    assert portgpu(["hipify", str(new), "-no-output"]) == 0
    assert "PG1004" in capsys.readouterr().err
    assert portgpu(["hipify", str(new), "-no-output", "-experimental"]) == 0
    assert capsys.readouterr().err == ""
    assert portgpu(["hipify", str(path), "-no-output", "-v"]) == 0
    assert "2 edits" not in capsys.readouterr().err


def test_statistics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "#include <cuda_runtime.h>\nvoid f() { cudaFree(0); cudaFree(1);\n k<<<1, 2>>>(); cudaFrob(); }\n"
    for name in ("a.cu", "b.cu"):
        source(tmp_path, code, name)
    assert portgpu(["hipify-clang", "a.cu", "-print-stats", "-hip-kernel-execution-syntax"]) == 0
    shown = capsys.readouterr().err
    for line in (
        "[HIPIFY] info: file 'a.cu' statistics:", "  CONVERTED refs count: 4",
        "  UNCONVERTED refs count: 1", "  CONVERSION %: 80.0", "  TOTAL lines of code: 3",
        "  CHANGED lines of code: 3", "[HIPIFY] info: CONVERTED refs by type:", "  memory: 2",
        "  include_cuda_main_header: 1", "  kernel_launch: 1", "  CUDA RT API: 4", "  cudaFree: 2",
        "[HIPIFY] info: UNCONVERTED refs by names:", "  cudaFrob: 1",
    ):  # fmt: skip
        assert line in shown.split("\n"), line
    assert portgpu(["hipify-clang", "a.cu", "-print-stats-csv"]) == 0
    assert "CONVERTED refs count;3\n" in Path("a.cu.csv").read_text()
    assert "\nCUDA ref name;Count\ncudaFree;2\n" in Path("a.cu.csv").read_text()
    assert portgpu(["hipify", "a.cu", "b.cu", "--print-stats-csv", "-o-dir", "d"]) == 0
    assert "PROCESSED files;2\n" in Path("d/sum_stat.csv").read_text()
    assert portgpu(["hipify", "a.cu", "-o-stats=s.csv", "-o-dir=d"]) == 0  # asks for the statistics
    assert Path("d/s.csv").is_file()
    capsys.readouterr()
    assert portgpu(["hipify-perl", "a.cu", "-examine"]) == 0
    shown = capsys.readouterr().err
    assert shown.endswith(
        "\n[HIPIFY] info: file 'a.cu' statistics:\n  CONVERTED refs count: 3\n"
        "  TOTAL lines of code: 3\n  WARNINGS: 1\n[HIPIFY] info: CONVERTED refs by names:\n"
        "  cudaFree => hipFree: 2\n  cuda_runtime.h => hip/hip_runtime.h: 1\n"
    )
    assert set(hipify_stats.types()) >= {
        "memory",
        "stream",
        "graph",
        "type",
        "numeric_literal",
        "device_function",
    }


def test_local_headers(tmp_path: Path) -> None:
    path = source(
        tmp_path, '#include "b.h"\n#include "inc.h"\nvoid f() { cudaFree(0); MINE(1); }\n', "s/a.cu"
    )
    source(tmp_path, '#pragma once\n#include "c.h"\nvoid g() { cudaFree(1); }\n', "s/b.h")
    source(tmp_path, "void h() { cudaFree(2); }\n", "s/c.h")
    source(tmp_path, "#define cudaFree(x) my_free(x)\n", "i/inc.h")
    out = tmp_path / "out"
    assert portgpu(["hipify", str(path), f"-o-dir={out}", f"-I{tmp_path / 'i'}"]) == 0
    assert "cudaFree(0)" in (out / "a.cu.hip").read_text()  # a macro of inc.h
    (tmp_path / "i/inc.h").write_text("int x;\n")
    assert portgpu(["hipify", str(path), f"-o-dir={out}", "-local-headers"]) == 0
    assert '#include "b.h.hip"' in (out / "a.cu.hip").read_text()
    assert "hipFree(1)" in (out / "b.h.hip").read_text() and not (out / "c.h.hip").exists()
    assert portgpu(["hipify", str(path), f"-o-dir={out}", "-local-headers-recursive"]) == 0
    assert "hipFree(2)" in (out / "c.h.hip").read_text()


def test_compile_database(tmp_path: Path) -> None:
    path = source(
        tmp_path,
        '#ifdef HAVE\nint e = cudaFree(p);\n#endif\n#include "inc.h"\nint f = cudaMalloc(q);\n',
    )
    source(tmp_path, "#define cudaMalloc mine\n", "i/inc.h")
    entry = {"directory": str(tmp_path), "file": "a.cu", "command": "nvcc -DHAVE -Ii -c a.cu"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    flags = ["-p", str(tmp_path), "--default-preprocessor", "-o", str(tmp_path / "o")]
    assert portgpu(["hipify", str(path), *flags]) == 0
    assert (
        "e = hipFree" in (tmp_path / "o").read_text()
        and "f = cudaMalloc" in (tmp_path / "o").read_text()
    )
    (tmp_path / "compile_commands.json").write_text("[]")
    assert portgpu(["hipify", str(path), *flags]) == 0
    (tmp_path / "compile_commands.json").write_text("[1")
    assert portgpu(["hipify", str(path), *flags]) == 1


def test_generators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert portgpu(["hipify", "--md", "--doc-roc=joint"]) == 0
    page = Path("CUBLAS_API_supported_by_HIP_and_ROC.md").read_text()
    assert "|`cublasSgemm`|" in page and "`rocblas_sgemm`" in page
    assert portgpu(["hipify", "--csv", "--doc-format=compact"]) == 0
    lines = Path("CUDA_Runtime_API_functions_supported_by_HIP.csv").read_text().splitlines()
    assert lines[0] == "CUDA,HIP" and "cudaMalloc,hipMalloc" in lines
    assert portgpu(["hipify", "--python", "--o-python-map-dir=py"]) == 0
    names: dict[str, object] = {}
    exec(Path("py/cuda_to_hip_mappings.py").read_text(), names)
    maps = names["CUDA_TO_HIP_MAPPINGS"]
    assert isinstance(maps, list)
    assert {**maps[0], **maps[1]}["cudaMalloc"] == ("hipMalloc", "CONV_MEMORY", "API_RUNTIME")
    assert portgpu(["hipify", "--perl", "--o-hipify-perl-dir=bin"]) == 0
    script = Path("bin/hipify-perl")
    assert os.access(script, os.X_OK)
    assert portgpu(["hipify", "--versions"]) == 0 and "CUDA: 11.8, 12.9" in capsys.readouterr().out
    assert portgpu(["hipify", "--version"]) == 0


def test_the_written_hipify_perl_starts_ours(tmp_path: Path) -> None:
    from shutil import which

    if which("perl") is None:
        pytest.skip("no perl here")
    assert portgpu(["hipify", "--perl", f"--o-hipify-perl-dir={tmp_path}"]) == 0
    folder = str(Path(sys.executable).parent)
    done = subprocess.run(
        [str(tmp_path / "hipify-perl"), str(source(tmp_path))], capture_output=True, text=True,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, check=False,
    )  # fmt: skip
    if "cannot start portgpu" in done.stderr:
        pytest.skip("portgpu is not installed as a command")
    assert done.returncode == 0 and done.stdout == HIP


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("cusparseSpMV(h, op, &a, A, x, &b, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer);",
         "rocsparse_spmv(h, op, &a, A, x, &b, y, rocsparse_datatype_f32_r, rocsparse_spmv_alg_default, rocsparse_spmv_stage_compute, nullptr, buffer);"),
        ("cusparseSpMM_bufferSize(h, o, o, &a, A, B, &b, C, CUDA_R_64F, alg, &size);",
         "rocsparse_spmm(h, o, o, &a, A, B, &b, C, rocsparse_datatype_f64_r, alg, rocsparse_spmm_stage_buffer_size, &size, nullptr);"),
        ("cusparseScsrsm2_analysis(h, 0, ta, tb, m, n, nnz, &a, d, v, r, c, B, ldb, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, p);",
         "rocsparse_scsrsm_analysis(h, ta, tb, m, n, nnz, &a, d, v, r, c, B, ldb, info, rocsparse_analysis_policy_force, rocsparse_solve_policy_auto, p);"),
        ("cublasGemmEx(h, t, t, m, n, k, &a, A, CUDA_R_16F, la, B, CUDA_R_16F, lb, &b, C, CUDA_R_16F, lc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);",
         "rocblas_gemm_ex(h, t, t, m, n, k, &a, A, rocblas_datatype_f16_r, la, B, rocblas_datatype_f16_r, lb, &b, C, rocblas_datatype_f16_r, lc,"
         " C, rocblas_datatype_f16_r, lc, rocblas_datatype_f32_r, rocblas_gemm_algo_standard, 0, 0);"),
        ("cusolverDnSpotrf(h, CUBLAS_FILL_MODE_LOWER, n, A, lda, work, size, info);",
         "rocsolver_spotrf(h, rocblas_fill_lower, n, A, lda, info);"),
        ("cusparseSgtsvInterleavedBatch(h, 0, m, dl, d, du, x, count, p);",
         "rocsparse_sgtsv_interleaved_batch(h, rocsparse_gtsv_interleaved_alg_default, m, dl, d, du, x, count, count, p);"),
    ],
)  # fmt: skip
def test_roc_arguments(code: str, expected: str) -> None:
    assert text("void f() { " + code + " }\n", roc=True) == "void f() { " + expected + " }\n"


def test_roc_calls_that_do_not_fit_are_reported() -> None:
    options = Options(compat=None, hipify="perl", roc=True)
    for code in (
        "cusparseScsric02_bufferSize(h, m, nnz, d, v, r, c, info, &size);",  # int* against size_t*
        "cusparseSgtsvInterleavedBatch(h, 0, m, dl, d, du, x, count(), p);",  # called twice
        "cusparseSpMV(h, op);",
    ):
        found = translate(code.encode(), "a.cpp", options).findings
        assert [f.id for f in found] == ["PG1003"], code


def test_forms_of_roc_calls_add_up() -> None:
    """Every form names arguments that the call has, and a row with a roc name."""
    tables = mapping.load()
    for name, form in roc_calls.forms().items():
        row = tables.get(name.decode())
        assert row is not None and row.roc
        places = set(form.insert) | set(form.drop)
        places |= {int(t[1:]) for texts in form.insert.values() for t in texts if t[0] == "="}
        assert all(1 <= place <= form.arguments for place in places)
        assert bool(places) != bool(form.differs)


EFFECTS = {
    "roc": ("cublasSgemm(h);", "rocblas_sgemm(h);", []),
    "translate-to-roc": ("cublasSgemm(h);", "rocblas_sgemm(h);", []),
    "use-hip-data-types": ("int t = CUDA_R_32F;", "int t = HIP_R_32F;", ["-roc"]),
    "miopen": ("cudnnHandle_t h;", "miopenHandle_t h;", []),
    "translate-to-miopen": ("cudnnHandle_t h;", "miopenHandle_t h;", []),
    "hipdnn": ("cudnnHandle_t h;", "hipdnnHandle_t h;", []),
    "hip-kernel-execution-syntax": (
        "k<<<1, 2>>>();",
        "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);",
        ["-cuda-kernel-execution-syntax"],
    ),
    "kernel-execution-syntax": (
        "k<<<1, 2>>>();",
        "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);",
        [],
    ),
    "cuda-kernel-execution-syntax": ("k<<<1, 2>>>();", "k<<<1, 2>>>();", []),
    "extra-arg-before=-DcudaFree": ("cudaFree(0);", "cudaFree(0);", []),
    "extra-arg=-DcudaFree": ("cudaFree(0);", "cudaFree(0);", []),
    "D=cudaFree": ("cudaFree(0);", "cudaFree(0);", []),
}


@pytest.mark.parametrize("option", EFFECTS)
@pytest.mark.parametrize("dash", ["-", "--"])
@pytest.mark.parametrize("tool", ["hipify", "hipify-perl", "hipify-clang"])
def test_options_change_the_text(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], option: str, dash: str, tool: str
) -> None:
    code, expected, besides = EFFECTS[option]
    path = source(tmp_path, f"#include <cuda_runtime.h>\nvoid f() {{ {code} }}\n", "a.cpp")
    assert portgpu([tool, str(path), *besides, f"{dash}{option}", "-o", "-"]) == 0
    assert f"void f() {{ {expected} }}\n" in capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize("option", ["help", "help-hidden", "help-list", "h"])
def test_help_goes_before_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    for tool in ("hipify", "hipify-perl", "hipify-clang"):
        for dash in ("-", "--"):
            assert portgpu([tool, f"{dash}{option}", "no-such-file.cu"]) == 0
            assert "--hip-kernel-execution-syntax" in capsys.readouterr().out


def test_hip_version_narrows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = source(tmp_path, "void f() { int e = cudaMallocAsync(p, 1, s); }\n", "a.cpp")
    for version, told in (("5.0", True), ("6.3", False)):
        assert portgpu(["hipify", str(path), f"--hip-version={version}", "-no-output"]) == 0
        assert ("PG1004" in capsys.readouterr().err) == told
