"""Host API: what HIP has in another header, as another type, or with other members."""

from __future__ import annotations

from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.check import check
from portgpu.headers.shadow import render_shadow
from tests.translate.helpers import ids, out, run
from tests.translate.test_compile import compile_ok

_DRIVER_C = """#include <cuda.h>
#include <stdio.h>
static cuuint64_t threshold = 1;
static void CUDA_CB told(void *user) { (void)user; }
int main(void) {
  CUmodule m; char log[64]; void *image = 0;
  CUjit_option names[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_MAX_REGISTERS};
  void *values[2] = {log, (void *)(size_t)32};
  cuInit(0);
  cuModuleLoadDataEx(&m, image, 2, names, values);
  cuLaunchHostFunc(0, told, 0);
  printf("%d\\n", (int)threshold);
  return cuStreamSynchronize(CU_STREAM_LEGACY) != CUDA_SUCCESS;
}
"""
_RUNTIME_C = """#include <cuda_runtime.h>
#include <cublas_v2.h>
int main(void) {
  void *p; float *q;
  cublasHandle_t h;
  cudaMallocHost(&p, 64);
  cudaMallocHost((void **)&q, 64);
  cublasCreate(&h);
  return cudaStreamSynchronize(cudaStreamLegacy) != cudaSuccess;
}
"""


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("code", [_DRIVER_C, _RUNTIME_C], ids=["driver", "runtime"])
def test_c_takes_them_by_both_routes(tmp_path: Path, code: str) -> None:
    if "cublas" in code and not Path("/usr/include/hipblas").exists():
        code = "\n".join(line for line in code.splitlines() if "cublas" not in line)
    source, hip, shadow = tmp_path / "a.c", tmp_path / "hip" / "a.c", tmp_path / "shadow"
    source.write_text(code)
    render_shadow("rocm", shadow)
    assert portgpu(["translate", str(source), "-o", str(hip), "-q"]) == 0
    common = ["gcc", "-fsyntax-only", "-Werror", "-Wno-unused-result"]
    compile_ok([*common, "-D__HIP_PLATFORM_AMD__=1", str(hip)])
    compile_ok([*common, f"@{shadow / 'portgpu-rocm-host.rsp'}", str(source)])


def test_casts_of_cpp_stay_out_of_c() -> None:
    assert "hipHostMalloc(&p, 64, hipHostMallocDefault)" in out(_RUNTIME_C, "a.c")
    assert "reinterpret_cast" not in out(_RUNTIME_C, "a.c")


_MEMBERS = """#include <cuda.h>
struct Own { int gridDimX; };
int f(CUfunction fn, const CUDA_KERNEL_NODE_PARAMS* p, Own o) {
  CUDA_KERNEL_NODE_PARAMS one = {}, all[2];
  one.gridDimX = one.gridDimY = 1; all[0].blockDimZ = p->blockDimZ;
  CUmemAllocationProp prop_{}; prop_.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  return o.gridDimX;
}
"""


def test_members_that_hip_calls_otherwise() -> None:
    text = out(_MEMBERS, "a.cpp")
    assert "one.gridDim.x = one.gridDim.y = 1; all[0].blockDim.z = p->blockDim.z;" in text
    assert "prop_.requestedHandleType = " in text
    assert "return o.gridDimX;" in text
    assert {f.line for f in check(_MEMBERS.encode(), "a.cpp") if f.id == "PG1811"} == {5, 6}


def test_members_that_hip_lacks_are_told_where_they_are() -> None:
    code = """#include <cuda_runtime.h>
void f() { cudaTextureDesc t = {}; t.seamlessCubemap = 1; struct { int seamlessCubemap; } o;
  o.seamlessCubemap = 2; }
"""
    found = run(code, "a.cu").findings
    assert [(f.id, f.line) for f in found] == [("PG1003", 2)]


def test_headers_that_cuda_brings_along() -> None:
    solver = (
        "#include <cusolverSp.h>\nvoid f() { cusparseMatDescr_t d; cusparseCreateMatDescr(&d); }\n"
    )
    assert "hipsolver.h>\n#include <hipsparse/hipsparse.h>\n" in out(solver)
    both = "#include <cusparse.h>\n" + solver
    assert out(both).count("hipsparse/hipsparse.h") == 1
    linked = "#include <cuda.h>\nvoid f(CUlinkState s) { cuLinkDestroy(s); }\n"
    assert "#include <hip/hiprtc.h>\n" in out(linked, "a.cpp")
    assert "hiprtc" not in out("#include <cuda.h>\nCUmodule m;\n", "a.cpp")


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("CU_JIT_WALL_TIME", "hipJitOptionWallTime"),
        ("CUBLAS_GEMM_ALGO3_TENSOR_OP", "HIPBLAS_GEMM_DEFAULT"),
        ("curandStateXORWOW_t", "hiprandState_t"),
        ("curandState_t", "hiprandState_t"),
        ("mtgp32_kernel_params", "mtgp32_kernel_params_t"),
        ("cub::BlockShuffle<int, 64>{}", "hipcub::BlockShuffle<int, 64>{}"),
        ("CUDART_ONE_FP16", "__ushort_as_half((unsigned short)0x3C00U)"),
    ],
)
def test_names(cuda: str, hip: str) -> None:
    assert f"auto x = {hip};" in out(f"auto x = {cuda};", "a.cu")
    assert ids(f"auto x = {cuda};", "a.cu") == []


_GROUPS = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* p) {
  auto many = cg::this_multi_grid();
  cg::multi_grid_group same = many;
  auto block = cg::this_thread_block();
  auto token = block.barrier_arrive();
  block.barrier_wait(static_cast<decltype(token)&&>(token));
  auto warp = cg::tiled_partition<32>(block);
  cg::invoke_one(warp, [&] { ++*p; });
  *p += cg::invoke_one_broadcast(warp, [](int v) { return v; }, 2) + same.grid_rank();
  many.sync();
}
"""


@pytest.mark.rocm_compiler
def test_groups_beyond_one_device(tmp_path: Path) -> None:
    assert ids(_GROUPS) == []
    source, hip = tmp_path / "a.cu", tmp_path / "hip" / "a.cu"
    source.write_text(_GROUPS)
    assert portgpu(["translate", str(source), "-o", str(hip), "-q"]) == 0
    command = ["hipcc", "--offload-arch=gfx90a", "-std=c++17", "--cuda-device-only", "-S", "-O1"]
    compile_ok([*command, "-x", "hip", str(hip), "-o", str(tmp_path / "s")])
