"""Host files of a project, which g++ or clang++ compiles and not hipcc, by both routes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.shadow import render_shadow
from tests.translate.test_compile import compile_ok

_RUNTIME = """
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct Timer { cudaEvent_t start; Timer() { cudaEventCreate(&start); } };
int run(int device) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, device);
  int lanes = 0;
  cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device);
  float4 q = make_float4(1, 2, 3, 4);
  void* d = nullptr;
  float* h = nullptr;
  cudaMalloc(&d, 4);
  cudaHostAlloc(&h, 4, cudaHostAllocDefault);
  cudaMallocManaged(&h, 4);
  cudaPointerAttributes where;
  cudaPointerGetAttributes(&where, d);
  if (where.type == cudaMemoryTypeUnregistered) return 1;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, s);
  cudaMemPrefetchAsync(h, 4, device, s);
  std::printf("%s %d %zu\\n", p.name, p.warpSize, p.sharedMemPerBlockOptin);
  return static_cast<int>(q.x) + lanes + p.multiProcessorCount;
}
"""
_LIBRARIES = """
#include <cuda.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <library_types.h>
#include <cooperative_groups.h>
#include <cusparse.h>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <nvrtc.h>
namespace cg = cooperative_groups;
float use() {
  cusparseHandle_t sparse;
  cusparseCreate(&sparse);
  CUdevice device;
  cuInit(0);
  cuDeviceGet(&device, 0);
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "", "a.cu", 0, nullptr, nullptr);
  nvtxRangePushA("part");
  nvtxRangePop();
  __half h = __float2half(1.0f);
  __nv_bfloat16 b = __float2bfloat16(1.5f);
  __nv_fp8_e4m3 e(2.0f);
  cuComplex z = make_cuComplex(1, 2);
  cudaDataType_t type = CUDA_R_16BF;
  return __half2float(h) + __bfloat162float(b) + float(e) + cuCrealf(z) + CUDART_PI_F + int(type);
}
"""


def _both_routes(folder: Path, source: Path, compiler: str, *options: str) -> None:
    shadow, out = folder / "shadow", folder / "hip" / source.name
    render_shadow("rocm", shadow)
    common = [compiler, "-std=c++17", "-fsyntax-only", "-w"]
    compile_ok([*common, f"@{shadow / 'portgpu-rocm-host.rsp'}", *options, str(source)])
    assert portgpu(["translate", str(source), "-o", str(out), "-q"]) in (0, 1)
    compile_ok([*common, "-D__HIP_PLATFORM_AMD__=1", *options, str(out)])


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("compiler", ["g++", "clang++-15"])
@pytest.mark.parametrize("code", [_RUNTIME, _LIBRARIES], ids=["runtime", "libraries"])
def test_other_compilers_take_host_files(tmp_path: Path, compiler: str, code: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    source = tmp_path / "host.cpp"
    source.write_text(code)
    _both_routes(tmp_path, source, compiler)


def test_with_newer_headers(tmp_path: Path, newer_hip: tuple[str, Path]) -> None:
    source = tmp_path / "host.cpp"
    source.write_text(_RUNTIME)
    _both_routes(tmp_path, source, "g++", "-isystem", str(newer_hip[1]))


_STAND_INS = {
    "hipblas/hipblas.h": """#pragma once
enum hipblasFillMode_t { HIPBLAS_FILL_MODE_UPPER = 121, HIPBLAS_FILL_MODE_LOWER };
enum hipblasOperation_t { HIPBLAS_OP_N = 111 };
enum hipblasSideMode_t { HIPBLAS_SIDE_LEFT = 141 };
enum hipblasStatus_t { HIPBLAS_STATUS_SUCCESS, HIPBLAS_STATUS_NOT_INITIALIZED };
""",
    "hipsolver/hipsolver.h": """#pragma once
#include <hipblas/hipblas.h>
enum hipsolverStatus_t { HIPSOLVER_STATUS_SUCCESS };
#ifdef OWN_ENUMS
enum hipsolverFillMode_t { HIPSOLVER_FILL_MODE_UPPER = 121, HIPSOLVER_FILL_MODE_LOWER };
enum hipsolverOperation_t { HIPSOLVER_OP_N = 111 };
enum hipsolverSideMode_t { HIPSOLVER_SIDE_LEFT = 141 };
#else
typedef hipblasFillMode_t hipsolverFillMode_t;
typedef hipblasOperation_t hipsolverOperation_t;
typedef hipblasSideMode_t hipsolverSideMode_t;
#define HIPSOLVER_FILL_MODE_LOWER HIPBLAS_FILL_MODE_LOWER
#endif
hipsolverStatus_t hipsolverDnSpotrf(void* handle, hipsolverFillMode_t half, int n);
""",
}


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("define", ["-DOWN_ENUMS", "-DENUMS_OF_HIPBLAS"])
def test_solvers_with_enums_of_their_own_or_of_hipblas(tmp_path: Path, define: str) -> None:
    """hipSOLVER has had both."""
    for name, text in _STAND_INS.items():
        path = tmp_path / "include" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    shim = Path(__file__).parents[2] / "templates" / "compat"
    source = tmp_path / "solver.cpp"
    source.write_text(
        '#include "portgpu/hip_compat_solver.h"\n'
        "auto f(void* h) { return pg_compat::solver(hipsolverDnSpotrf)"
        "(h, HIPBLAS_FILL_MODE_LOWER, 3); }\n"
        "auto g(void* h) { return pg_compat::solver(hipsolverDnSpotrf)"
        "(h, HIPSOLVER_FILL_MODE_LOWER, 3); }\n"
    )
    include = [f"-I{shim}", "-isystem", str(tmp_path / "include")]
    compile_ok(["g++", "-std=c++17", "-fsyntax-only", define, *include, str(source)])
