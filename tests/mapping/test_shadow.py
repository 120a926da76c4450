"""Shadow headers: untouched CUDA sources compile for AMD, as the rewriting route's do."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from portgpu import cli, resources
from portgpu.headers.check import check
from portgpu.headers.names import names
from portgpu.headers.shadow import render_shadow
from portgpu.toolchain.model import UNSET_VALUES

PROGRAMS = Path(__file__).parents[1] / "translate" / "programs"
# What no header can change, translate does: `portgpu headers --check` tells which.
CHECKED = {p.name: check(p.read_bytes(), p.name) for p in sorted(PROGRAMS.glob("*.cu"))}
SOURCES = [name for name, found in CHECKED.items() if not found]
_ENVIRONMENT = {**os.environ, "HIP_PLATFORM": "amd"}


@pytest.fixture(scope="module")
def shadow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with blank") / "out"
    render_shadow("rocm", folder)
    return folder


def _run(*command: str | Path) -> str:
    """The errors of a compiler; "" when it was content."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        env=_ENVIRONMENT,
    )
    return done.stderr if done.returncode else ""


def _hipcc(shadow: Path, source: Path, *options: str | Path) -> str:
    response = f"@{shadow / 'portgpu-rocm.rsp'}"
    return _run("hipcc", response, "--offload-arch=gfx90a", "-std=c++17", *options, source)


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    first = render_shadow("rocm", tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in first}
    assert render_shadow("rocm", tmp_path) == first
    assert {path: path.stat().st_mtime_ns for path in first} == stamps
    assert {p for p in tmp_path.rglob("*") if p.is_file()} == set(first)


def test_names_are_plain_macros() -> None:
    for family in ("runtime", "driver", "errors", "blas", "half", "device"):
        renamed = names(family)
        assert renamed
        for cuda, hip in renamed:
            assert cuda.isidentifier(), cuda
            assert re.fullmatch(r"\w+(::\w+)*|[\w ()]+\)", hip), hip  # a name, or a value


# What the shadow's own text deals with: macros of the compiler, and parts of NVTX and CUB.
_BY_HAND = re.compile(
    r"__CUDA_ARCH__|CUDA(?:RT)?_VERSION|__CUDACC_\w+|warpSize|cooperative_groups"
    r"|NVTX_\w+|nvtx\w+|CUB_\w+"
)


def test_whatever_translate_knows_is_in_a_shadow_header(shadow: Path) -> None:
    """The two routes have one list of shims: `portgpu/data/translate/compat.csv`."""
    files = (path for path in shadow.rglob("*") if path.is_file())
    defined = {name for path in files for name in re.findall(r"#define (\w+)", path.read_text())}
    # Functions of the runtime's header, tried below.
    defined |= {kind + name for kind in ("u", "ll", "ull") for name in ("min", "max")}
    with resources.data("translate", "compat.csv").open(encoding="utf-8", newline="") as file:
        known = [row["cuda"] for row in csv.DictReader(file)]
    assert len(known) > 600
    assert [n for n in known if n not in defined and not _BY_HAND.fullmatch(n)] == []


def test_thrust_brings_the_namespace_of_libcudacxx(shadow: Path) -> None:
    text = (shadow / "shadow" / "thrust" / "device_vector.h").read_text()
    assert "#include <cuda/std/functional>" in text
    assert "identity" in (shadow / "shadow" / "cuda" / "std" / "functional").read_text()


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["headers", "-o", str(tmp_path / "out")]) == 0
    assert f"hipcc @{tmp_path / 'out' / 'portgpu-rocm.rsp'}" in capsys.readouterr().out
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert cli.run(["headers", "-o", str(blocked / "x")]) == 9
    assert "can be written" in capsys.readouterr().err


_GUARDS = """
// No include at all; guards that must not make the kernel vanish.
#ifndef __CUDACC__
#error not seen as CUDA
#endif
#if !defined(CUDART_VERSION) || CUDART_VERSION < 11000
#error no version
#endif
static_assert(warpSize == 32, "a warp has 32 lanes");
__global__ void __launch_bounds__(256, 4) k(int* p, const __grid_constant__ int n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
  register int marker = 123454321;
  p[threadIdx.x] = __shfl_xor_sync(0xffffffffu, marker + n, 1) + __popc(__activemask());
#endif
}
struct has_members { int cudaMalloc; int warpSize; };
int main() {
  cudaDeviceProp prop;
  struct cudaDeviceProp again;
  int* p = nullptr;
  has_members m = {1, 2};
  if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return 1;
  again = prop;
  cudaMalloc(&p, sizeof(int) * again.warpSize);
  float* pinned;
  cudaHostAlloc(&pinned, 4, cudaHostAllocDefault);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  k<<<1, again.warpSize>>>(p, m.cudaMalloc + m.warpSize);
  printf_free(cudaGetErrorString(cudaGetLastError()));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""


@pytest.mark.rocm_compiler
def test_guards_and_no_include(shadow: Path, tmp_path: Path) -> None:
    source = tmp_path / "guards.cu"
    source.write_text("inline void printf_free(const char*) {}\n" + _GUARDS)
    assembly = tmp_path / "guards.s"
    assert _hipcc(shadow, source, "-S", "--cuda-device-only", "-o", assembly) == ""
    text = assembly.read_text()
    assert hex(123454321) in text or "123454321" in text
    assert re.search(r"\.max_flat_workgroup_size:\s*256", text)
    assert _hipcc(shadow, source, "-fsyntax-only", "--cuda-host-only") == ""


@pytest.mark.rocm_compiler
def test_library_headers_of_installed_packages(shadow: Path, tmp_path: Path) -> None:
    random_numbers = Path("/usr/include/rocrand/rocrand.h").exists()
    source = tmp_path / "libraries.cu"
    source.write_text(
        f"#define RANDOM {int(random_numbers)}\n"
        """
#include <cuda.h>
#include <cuComplex.h>
#include <cusparse.h>
#include <nvrtc.h>
#include <math_constants.h>
#include <device_launch_parameters.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#if RANDOM
#include <curand.h>
#include <curand_kernel.h>
__global__ void draw(float* p, curandState* s) {
  curand_init(1234ull, threadIdx.x, 0, s);
  p[threadIdx.x] = curand_uniform(s);
}
#endif
namespace cg = cooperative_groups;
__global__ void k(float* p, __half* h, __nv_bfloat16* b) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float v = cg::reduce(tile, p[1], cg::plus<float>());
  p[0] = v * CUDART_PI_F + __half2float(*h) + __bfloat162float(*b);
  p[2] = cuCabsf(make_cuComplex(v, v));
}
int main() {
  cusparseHandle_t handle;
  CUdeviceptr memory;
  CUmodule module;
  nvrtcProgram program;
  nvrtcResult made = nvrtcCreateProgram(&program, "", "a.cu", 0, nullptr, nullptr);
  return cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS && made == NVRTC_SUCCESS &&
         cuMemAlloc(&memory, 4) == CUDA_SUCCESS && cuModuleLoad(&module, "x") == CUDA_SUCCESS;
}
"""
    )
    assert _hipcc(shadow, source, "-fsyntax-only") == ""


_ASKED = """
// No include: nvcc's implicit one brings all this.
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error the runtime is not seen
#endif
const char* name(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "fine";
    case cudaErrorStartupFailure: return "only in CUDA";
    case cudaErrorSyncDepthExceeded: return "only in CUDA too";
    default: return e == cudaErrorNvlinkUncorrectable ? "?" : "other";
  }
}
#include <cuda_fp16.h>
#include <cusparse.h>
#if !defined(CUSPARSEAPI) || !defined(__CUDA_FP16_TYPES_EXIST__)
#error the libraries are not seen
#endif
__global__ void least(unsigned* p, long long* q, __half2* h) {
  p[0] = umin(p[1], umax(p[2], 7u)) + static_cast<unsigned>(ullmin(5ull, ullmax(q[0], q[1])));
  q[2] = llmin(llmax(q[0], 3ll), -1ll) + (__isGlobal(p) ? 1 : 0);
  h[0] = h2div(h[1], h[2]);
}
int main() {
  cudaDataType type = CUDA_R_8I;
  return name(cudaSuccess)[0] == 'f' && type == CUDA_R_32F;
}
"""


@pytest.mark.rocm_compiler
def test_headers_are_asked_for_and_codes_that_hip_lacks_compared(
    shadow: Path, tmp_path: Path
) -> None:
    """As helper headers do: guards of CUDA's headers, names of all errors."""
    source = tmp_path / "asked.cu"
    source.write_text(_ASKED)
    assert _hipcc(shadow, source, "-fsyntax-only", "-Wno-switch") == ""


# The numbers of cudaDeviceProp, of CUDA 11, 12 and 13; arrays by their first.
_FIELDS = """
luidDeviceNodeMask totalGlobalMem sharedMemPerBlock regsPerBlock warpSize memPitch
maxThreadsPerBlock maxThreadsDim[0] maxGridSize[0] totalConstMem major minor
textureAlignment texturePitchAlignment multiProcessorCount integrated canMapHostMemory
maxTexture1D maxTexture1DMipmap maxTexture2D[0] maxTexture2DMipmap[0]
maxTexture2DLinear[0] maxTexture2DGather[0] maxTexture3D[0] maxTexture3DAlt[0]
maxTextureCubemap maxTexture1DLayered[0] maxTexture2DLayered[0]
maxTextureCubemapLayered[0] maxSurface1D maxSurface2D[0] maxSurface3D[0]
maxSurface1DLayered[0] maxSurface2DLayered[0] maxSurfaceCubemap
maxSurfaceCubemapLayered[0] surfaceAlignment concurrentKernels ECCEnabled pciBusID
pciDeviceID pciDomainID tccDriver asyncEngineCount unifiedAddressing memoryBusWidth
l2CacheSize persistingL2CacheMaxSize maxThreadsPerMultiProcessor streamPrioritiesSupported
globalL1CacheSupported localL1CacheSupported sharedMemPerMultiprocessor
regsPerMultiprocessor managedMemory isMultiGpuBoard multiGpuBoardGroupID
hostNativeAtomicSupported pageableMemoryAccess concurrentManagedAccess
computePreemptionSupported canUseHostPointerForRegisteredMem cooperativeLaunch
sharedMemPerBlockOptin pageableMemoryAccessUsesHostPageTables
directManagedMemAccessFromHost maxBlocksPerMultiProcessor accessPolicyMaxWindowSize
reservedSharedMemPerBlock hostRegisterSupported sparseCudaArraySupported
hostRegisterReadOnlySupported timelineSemaphoreInteropSupported memoryPoolsSupported
gpuDirectRDMASupported gpuDirectRDMAFlushWritesOptions gpuDirectRDMAWritesOrdering
memoryPoolSupportedHandleTypes deferredMappingCudaArraySupported ipcEventSupported
clusterLaunch unifiedFunctionPointers deviceNumaConfig deviceNumaId mpsEnabled hostNumaId
gpuPciDeviceID gpuPciSubsystemID hostNumaMultinodeIpcSupported clockRate memoryClockRate
computeMode kernelExecTimeoutEnabled deviceOverlap maxTexture1DLinear
singleToDoublePrecisionPerfRatio cooperativeMultiDeviceLaunch
"""


def _reads_all_fields(folder: Path) -> Path:
    source = folder / "fields.cpp"
    sums = "".join(f"  s += p.{name};\n" for name in _FIELDS.split())
    source.write_text(
        "#include <cuda_runtime.h>\nlong f(int d) {\n  cudaDeviceProp p;\n"
        f"  cudaGetDeviceProperties(&p, d);\n  long s = 0;\n{sums}  return s;\n}}\n"
    )
    return source


@pytest.mark.rocm_compiler
def test_all_properties_of_devices(shadow: Path, tmp_path: Path) -> None:
    source = _reads_all_fields(tmp_path)
    assert len(_FIELDS.split()) > 90
    response = f"@{shadow / 'portgpu-rocm-host.rsp'}"
    assert _run("g++", response, "-fsyntax-only", source) == ""


def test_all_properties_with_newer_headers(
    shadow: Path, tmp_path: Path, newer_hip: tuple[str, Path]
) -> None:
    source = _reads_all_fields(tmp_path)
    response = f"@{shadow / 'portgpu-rocm-host.rsp'}"
    assert _run("g++", response, "-fsyntax-only", "-isystem", newer_hip[1], source) == ""


@pytest.mark.rocm_compiler
def test_complex_numbers_bring_no_operators(shadow: Path, tmp_path: Path) -> None:
    source = tmp_path / "operators.cu"
    source.write_text(
        """
#include <cuComplex.h>
inline __device__ float2 operator+(const float2& a, const float2& b) {
  return make_float2(a.x + b.x, a.y - b.y);
}
__global__ void k(float2* p, cuDoubleComplex* z) {
  p[0] = p[0] + p[1];
  z[0] = cuCadd(z[0], cuConj(z[1]));
}
"""
    )
    assert _hipcc(shadow, source, "-fsyntax-only") == ""


_HALF2 = """
#include <cuda_fp16.h>
#include <type_traits>
template <class A, class B> constexpr bool same = std::is_same<A, B>::value;
__global__ void k(half2* a, float* f) {
  __shared__ half2 s[32];
  half2 v = a[threadIdx.x], zero = {};
  static_assert(same<decltype(v.x), __half> && same<decltype(a->y), __half>, "bits");
  static_assert(same<decltype(v + v), half2> && same<decltype(__hadd2(v, v)), half2>, "bits");
  static_assert(same<decltype(__low2half2(v)), __half2> && same<decltype(h2exp(v)), half2>, "bits");
  static_assert(same<decltype(__float2half2_rn(1.0f)), half2> && sizeof(half2) == 4, "bits");
  s[threadIdx.x] = zero += __hfma2(v, v, __ldg(a));
  half* low = &v.x;
  *low = __hadd(v.x, (v * v).y);
  v.y += s[0].x;
  if (v == zero || __hbeq2(v, zero)) v = -zero;
  f[0] = float(v.x) + __low2float(v) + __half22float2(v).y;
  atomicAdd(a, __shfl_xor_sync(0xffffffffu, v, 1));
}
"""


@pytest.mark.rocm_compiler
def test_members_of_half2_are_numbers(shadow: Path, tmp_path: Path) -> None:
    """Before version 6 HIP has bits there, and `float(v.x)` would compile and be wrong."""
    source = tmp_path / "half2.cu"
    source.write_text(_HALF2)
    assert _hipcc(shadow, source, "-fsyntax-only") == ""


_HIPCUB = """#pragma once
#define HIPCUB_HPP_
namespace hipcub {
struct NullType {};
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
                          BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
                           BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED };
template <class T, int X, int N, BlockLoadAlgorithm A, int Y, int Z> struct BlockLoad {};
template <class T, int X, int N, BlockStoreAlgorithm A, int Y, int Z> struct BlockStore {};
template <class T> struct Uninitialized { T& Alias(); };
template <class T> struct DoubleBuffer {
  T *a, *b;
  int selector;
  T* Current() { return a; }
  T* Alternate() { return b; }
};
template <int L> struct width { static constexpr int lanes = L; };
template <class T, int L = 64, int A = 0> struct WarpReduce : width<L> {};
template <class T, int L = 64, int A = 0> struct WarpScan : width<L> {};
template <class T, int N, int L = 64, int A = 0> struct WarpExchange : width<L> {};
template <class T, int N, int L = 64, class V = NullType, int A = 0>
struct WarpMergeSort : width<L> {};
template <class T, int N, WarpLoadAlgorithm H = WARP_LOAD_DIRECT, int L = 64, int A = 0>
struct WarpLoad : width<L> {};
template <class T, int N, WarpStoreAlgorithm H = WARP_STORE_DIRECT, int L = 64, int A = 0>
struct WarpStore : width<L> {};
}
"""
_WARPS = """
#include <cub/cub.cuh>
namespace short_name = cub;
using namespace cub;
template <class W, int N> constexpr bool has = W::lanes == N;
static_assert(has<cub::WarpReduce<int>, 32> && has<cub::WarpReduce<int, 16>, 16>, "");
static_assert(has<WarpScan<double>, 32> && has<cub::WarpScan<int, 8>, 8>, "");
static_assert(has<short_name::WarpExchange<int, 4>, 32>, "");
static_assert(has<cub::WarpExchange<int, 4, 16>, 16>, "");
static_assert(has<::cub::WarpMergeSort<int, 4>, 32>, "");
static_assert(has<cub::WarpMergeSort<int, 4, 8, float>, 8>, "");
static_assert(has<cub::WarpLoad<int, 4>, 32>, "");
static_assert(has<cub::WarpLoad<int, 4, cub::WARP_LOAD_STRIPED>, 32>, "");
static_assert(has<cub::WarpStore<int, 4, cub::WARP_STORE_DIRECT, 16>, 16>, "");
static_assert(has<WarpStore<int, 4>, 32>, "");
int main() {}
"""


@pytest.mark.rocm_compiler
def test_warps_of_cub_have_32_lanes_by_both_routes(shadow: Path, tmp_path: Path) -> None:
    """hipCUB's classes count the device's lanes; a stand-in tells what they were given."""
    place = tmp_path / "include" / "hipcub"
    place.mkdir(parents=True)
    (place / "hipcub.hpp").write_text(_HIPCUB)
    source, rewritten = tmp_path / "warps.cu", tmp_path / "warps.hip"
    source.write_text(_WARPS)
    options = ("-fsyntax-only", "-isystem", tmp_path / "include")
    assert _hipcc(shadow, source, *options) == ""
    assert cli.run(["translate", str(source), "-o", str(rewritten)]) in (0, 1)
    command = ("hipcc", "-x", "hip", "--offload-arch=gfx90a", "-std=c++17", *options, rewritten)
    assert _run(*command) == ""


@pytest.mark.rocm_compiler
def test_missing_library_is_named(shadow: Path, tmp_path: Path) -> None:
    source = tmp_path / "blas.cu"
    source.write_text("#include <cublas_v2.h>\n")
    errors = _hipcc(shadow, source, "-fsyntax-only")
    if errors:  # the package is not here: the error says which header is missing
        assert "cublas_v2.h stands for <hipblas/hipblas.h>, which is not installed" in errors


@pytest.mark.rocm_compiler
def test_host_code_of_other_compilers(shadow: Path, tmp_path: Path) -> None:
    source = tmp_path / "host.cpp"
    source.write_text(
        "#include <cuda_runtime.h>\n#include <cuda.h>\n"
        "int f() { cudaDeviceProp p; void* q; cudaStream_t s = nullptr; CUmodule m = nullptr;\n"
        "  cudaGetDeviceProperties(&p, 0); cudaMalloc(&q, 4); (void)s; (void)m;\n"
        "  float4 v = make_float4(1, 2, 3, 4); return p.warpSize + int(v.x); }\n"
    )
    response = f"@{shadow / 'portgpu-rocm-host.rsp'}"
    assert _run("g++", response, "-std=c++17", "-fsyntax-only", source) == ""
    plain = tmp_path / "host.c"
    plain.write_text(
        "#include <cuda_runtime_api.h>\n"
        "int f(void) { struct cudaDeviceProp p; void* q = 0; cudaError_t e = cudaMalloc(&q, 4);\n"
        "  return cudaGetDeviceProperties(&p, 0) == cudaSuccess && e == cudaSuccess; }\n"
    )
    assert _run("gcc", response, "-fsyntax-only", plain) == ""


def test_functions_of_the_driver_as_members(shadow: Path, tmp_path: Path) -> None:
    """Who loads the driver at run time keeps its functions in members of their names."""
    source = tmp_path / "api.cpp"
    source.write_text(
        "#include <cuda.h>\nstruct Api {\n"
        "  CUresult (*cuGetErrorString)(CUresult, const char**){nullptr};\n"
        "  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute{nullptr};\n};\n"
        "const char* f() { Api a; const char* t = nullptr; CUcontext c; cuCtxCreate(&c, 0, 0);\n"
        "  a.cuGetErrorString = &cuGetErrorString;\n"
        "  a.cuDeviceGetAttribute = cuDeviceGetAttribute;\n"
        "  a.cuGetErrorString(CUDA_SUCCESS, &t); ::cuGetErrorName(CUDA_SUCCESS, &t); return t; }\n"
    )
    assert _run("g++", f"@{shadow / 'portgpu-rocm-host.rsp'}", "-fsyntax-only", source) == ""
    by_hipcc = (*_HIPCC, f"@{shadow / 'portgpu-rocm.rsp'}", "-fsyntax-only", "-w")
    assert "error" not in _run(*by_hipcc, source)
    assert check(source.read_bytes(), "api.cpp") == []


_NO_CODE = (".", "//", "__hip_cuid_")  # the last is made from the file's name


def _assembly(errors: str, path: Path) -> list[str]:
    """Instructions of an assembly file, without comments and directives."""
    assert errors == ""
    lines = (line.split(";")[0].rstrip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.lstrip().startswith(_NO_CODE)]


# Programs whose instructions are the same in another order: an inline function more is in the way.
REORDERED = {"mask_variable.cu"}


_HIPCC = ("hipcc", "-x", "hip", "--offload-arch=gfx90a")


def _both_routes(shadow: Path, name: str, folder: Path, compiler: tuple[str, ...] = _HIPCC) -> None:
    source = PROGRAMS / name
    ours, theirs = folder / "headers.s", folder / "rewritten.s"
    # Without asserts: their texts hold file names, and their calls lines.
    device = ("-S", "--cuda-device-only", "-O2", "-DNDEBUG", "-std=c++17", f"-I{PROGRAMS}", "-w")
    response = f"@{shadow / 'portgpu-rocm.rsp'}"
    by_headers = _assembly(_run(*compiler, response, *device, "-o", ours, source), ours)
    rewritten = folder / "rewritten.hip"
    assert cli.run(["translate", str(source), "-o", str(rewritten)]) in (0, 1)
    compiled = _run(*compiler, *device, f"-I{shadow}", *UNSET_VALUES, "-o", theirs, rewritten)
    by_translation = _assembly(compiled, theirs)
    assert len(by_headers) >= 10
    if name in REORDERED:
        by_headers, by_translation = sorted(by_headers), sorted(by_translation)
    assert by_headers == by_translation


_NOT_BY_HEADERS = {
    "inline PTX": "__device__ unsigned f() { unsigned v;\n"
    'asm("mov.u32 %0, %%laneid;" : "=r"(v)); return v; }',
    "such a template": "template <class T>\n__device__ T min(T a, T b) { return a < b ? a : b; }",
    "list of values": "void f(int n) { float a[n] = {1, 2}; }",
    "typename": "template <class T> A<T>::value A<T>::get() { return 0; }",
    "one piece": "void f() { k<< <1, 2>> >(); }",
    "a macro for a name": "struct Api { CUresult (*cuMemcpyHtoD)(CUdeviceptr, void*, size_t); };",
    "without arithmetic": "CUdeviceptr next(CUdeviceptr p) { return p + 1; }",
    "more strictly": "__global__ void l(int n) {\nauto i = threadIdx.x; i = n; }",
    "host's pass": "#ifdef __CUDA_ARCH__\n__device__ void f(float* x) { x[0] = 1; }\n#endif",
    "second declaration": "template <class T> __device__ void f(T, int);\n"
    "template <class T> __device__ void f(T, int n = 1) {}",
}


@pytest.mark.parametrize("what", _NOT_BY_HEADERS)
def test_check_tells_what_no_header_can_change(
    tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "#include <cuda_runtime.h>\n__global__ void k() {}\n"
    Path("a.cu").write_text(lines)
    assert cli.run(["headers", "--check", "a.cu"]) == 0
    capsys.readouterr()
    assert cli.run(["headers", "-o", "shadow", "--check", "a.cu", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
    Path("a.cu").write_text(lines + _NOT_BY_HEADERS[what] + "\n")
    assert cli.run(["headers", "--check", "."]) == 1
    shown = capsys.readouterr().out
    assert "a.cu:3:" in shown or "a.cu:4:" in shown
    assert what in shown and "PG1811" in shown


def test_check_and_the_programs() -> None:
    """Most are for headers too; those that are not say at which place."""
    assert len(SOURCES) >= 50
    assert all(
        b"asm" in (PROGRAMS / name).read_bytes()
        for name, found in CHECKED.items()
        if any("inline PTX" in f.message for f in found)
    )
    assert {"ptx_basic.cu", "own_minimum.cu"} <= CHECKED.keys() - set(SOURCES)


def test_check_and_headers_want_something_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["headers"]) == 2
    assert cli.run(["headers", "--to", "cuda", "--check", "a.cu"]) == 2
    assert cli.run(["headers", "--check", "nothing.cu"]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.rocm_compiler
def test_both_routes_give_the_same_machine_code(shadow: Path, tmp_path: Path, seed: int) -> None:
    for name in random.Random(seed).sample(SOURCES, 1):
        print(name)
        _both_routes(shadow, name, tmp_path)


_NEEDS_FP16 = re.compile(rb"cuda_fp|cuda_bf")
# Here clang 19 chooses other instructions, as an inline function more is in the way.
_COMPILED_OTHERWISE = {"checked_array.cu", "divergent_masks.cu", "radix_split.cu"}


def _newer(newer_hip: tuple[str, Path]) -> tuple[str, ...]:
    clang, include = newer_hip
    words = (clang, "-x", "hip", "--offload-arch=gfx942", "-nogpulib", "-D__HIP_PLATFORM_AMD__=1")
    return (*words, "-isystem", str(include))


def _has(name: str, include: Path) -> bool:
    """Whether these headers are enough (those of the wheel have no halves), and code the same."""
    if name in _COMPILED_OTHERWISE:
        return False
    text = (PROGRAMS / name).read_bytes()
    return (include / "hip" / "hip_fp16.h").is_file() or not _NEEDS_FP16.search(text)


def test_both_routes_with_newer_headers(
    shadow: Path, tmp_path: Path, seed: int, newer_hip: tuple[str, Path]
) -> None:
    enough = [name for name in SOURCES if _has(name, newer_hip[1])]
    for name in random.Random(seed).sample(enough, 2):
        print(name)
        _both_routes(shadow, name, tmp_path, _newer(newer_hip))


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_every_program_by_both_routes_with_newer_headers(
    shadow: Path, tmp_path: Path, name: str, newer_hip: tuple[str, Path]
) -> None:
    if _has(name, newer_hip[1]):
        _both_routes(shadow, name, tmp_path, _newer(newer_hip))


@pytest.mark.slow
@pytest.mark.rocm_compiler
@pytest.mark.parametrize("name", SOURCES)
def test_every_program_by_both_routes(shadow: Path, tmp_path: Path, name: str) -> None:
    _both_routes(shadow, name, tmp_path)
    assert _hipcc(shadow, PROGRAMS / name, "-fsyntax-only", "--cuda-host-only") == ""
