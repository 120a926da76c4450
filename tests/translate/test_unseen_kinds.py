"""Kinds that programs of other people brought: each compiles for HIP, or is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from tests.translate.helpers import run
from tests.translate.test_compile import compile_ok


def hipcc_takes(tmp_path: Path, code: str) -> None:
    """Translates by the command line and compiles the result, host and device."""
    (tmp_path / "a.cu").write_text(code)
    assert portgpu(["translate", str(tmp_path), "-o", str(tmp_path / "o"), "-q"]) == 0
    compile_ok(["hipcc", "--offload-arch=gfx90a", "-fsyntax-only", str(tmp_path / "o" / "a.cu")])


def made(code: str, path: str = "a.cu") -> str:
    return run(code, path).text.decode()


_STD = """#include <cstring>
#include <cstdio>
#include <cstdlib>
__host__ __device__ void both(float* a, const float* b) { std::memcpy(a, b, sizeof(float)); }
__global__ void k(float* a, const float* b, int n) {
  std::memcpy(a, b, sizeof(float) * n);
  std::memset(a, 0, n);
  std::printf("%d", n ? n:std::printf(" "));
  void* p = std::malloc(4);
  std::free(p);
  both(a, b);
}
void h(float* a) { std::memset(a, 0, 4); k<<<1, 1>>>(a, a, 1); }
"""


@pytest.mark.rocm_compiler
def test_functions_of_c_in_std_on_devices(tmp_path: Path) -> None:
    text = made(_STD)
    assert "{ ::memcpy(a, b, sizeof(float)); }" in text
    assert "n: ::printf(" in text
    assert "void h(float* a) { std::memset(a, 0, 4);" in text  # the host's own
    hipcc_takes(tmp_path, _STD)


@pytest.mark.rocm_compiler
def test_default_arguments_of_copies_to_symbols(tmp_path: Path) -> None:
    code = """__constant__ float c[4];
void f(float* h, cudaArray_t a) {
  cudaMemcpyToSymbolAsync(c, h, 16);
  cudaMemcpyFromSymbolAsync(h, c, 4, 8);
  cudaMemcpyToSymbolAsync(c, h, 4, 0, cudaMemcpyHostToDevice, 0);
}
"""
    text = made(code)
    assert "(HIP_SYMBOL(c), h, 16, 0, hipMemcpyHostToDevice, 0);" in text
    assert "(h, HIP_SYMBOL(c), 4, 8, hipMemcpyDeviceToHost, 0);" in text
    assert "(HIP_SYMBOL(c), h, 4, 0, hipMemcpyHostToDevice, 0);" in text
    hipcc_takes(tmp_path, code)


_GUARDED = """#ifndef K_H
#define K_H
#include <assert.h>
#ifdef __CUDACC__
inline void check(cudaError_t e) { assert(e == cudaSuccess); }
#endif
#endif
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_GUARDED, "#define K_H\n#if defined(__HIPCC__)\n#include <hip/hip_runtime.h>\n#endif\n"),
        (
            "#pragma once\n#include <cstdio>\ninline void f() { cudaDeviceSynchronize(); }\n",
            "#pragma once\n#include <hip/hip_runtime.h>\n#include <cstdio>\n",
        ),
        # Macros alone need nothing: their users have it.
        ("#include <stdio.h>\n#define SYNC() cudaDeviceSynchronize()\n", "#include <stdio.h>\n"),
        # What only a project's own switch compiles may be read without any SDK.
        (
            "#include <stdio.h>\n#ifdef WITH_GPU\nvoid f() { cudaDeviceReset(); }\n#endif\n",
            "#include <stdio.h>\n#ifdef WITH_GPU\n",
        ),
        # Another library may bring the runtime.
        ("#include <other/x.h>\nvoid f() { cudaDeviceReset(); }\n", "#include <other/x.h>\n"),
    ],
)
def test_headers_that_lean_on_the_implicit_include(code: str, expected: str) -> None:
    text = made(code, "k.h")
    assert text.startswith(expected) or f"#ifndef K_H\n{expected}" in text


def test_arrays_on_the_heap_have_any_length(tmp_path: Path) -> None:
    code = """void f(int n) {
  float* a = new float[n]{1, 2};
  const char** names = new const char*[n + 1]{"x"};
  unsigned* u = new unsigned int[n]{0};
  delete[] a; delete[] names; delete[] u; cudaDeviceSynchronize();
}
"""
    result = run(code)
    assert not result.findings
    assert b"new float[n]{1, 2};" in result.text


def test_headers_by_the_path_of_an_installation() -> None:
    code = """#include "/usr/local/cuda-10.1/targets/x86_64-linux/include/cuda_runtime.h"
#include </usr/local/cuda/include/cuda_fp16.h>
#include "../../../cub-1.5.2/cub/cub.cuh"
#include "../cuda/include/mine.h"
"""
    text = made(code)
    assert "#include <hip/hip_runtime.h>\n" in text
    assert "#include <hipcub/hipcub.hpp>\n" in text and 'hip_compat_half.h"\n' in text
    assert '#include "../cuda/include/mine.h"\n' in text
    assert "/usr/local" not in text


def test_headers_by_a_path_within_the_tree_stay(tmp_path: Path) -> None:
    (tmp_path / "s" / "cuda" / "include").mkdir(parents=True)
    (tmp_path / "s" / "cuda" / "include" / "math_constants.h").write_text("#define MINE 1\n")
    (tmp_path / "s" / "src").mkdir()
    source = '#include "../cuda/include/math_constants.h"\n__global__ void k() {}\n'
    (tmp_path / "s" / "src" / "a.cu").write_text(source)
    assert portgpu(["translate", str(tmp_path / "s"), "-o", str(tmp_path / "o"), "-q"]) == 0
    assert source.split("\n")[0] in (tmp_path / "o" / "src" / "a.cu").read_text()


@pytest.mark.rocm_compiler
def test_set_of_ptx(tmp_path: Path) -> None:
    code = """__global__ void k(unsigned* a, int b, float* f) {
  unsigned r;
  asm("set.eq.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(a[0]), "r"(a[1]));
  asm("set.lt.f32.s32 %0, %1, %2;" : "=f"(*f) : "r"(b), "r"(2));
  a[2] = r;
}
"""
    text = made(code)
    assert "? 0xffffffffu : 0u" in text
    assert "? 1.0f : 0.0f" in text and "asm" not in text
    hipcc_takes(tmp_path, code)


def test_allocation_of_thrust_brings_its_header() -> None:
    code = "#include <thrust/device_vector.h>\nauto p = thrust::device_malloc<int>(4);\n"
    assert "#include <thrust/device_malloc.h>\n" in made(code)


@pytest.mark.rocm_compiler
def test_overloads_of_warp_functions_for_other_types(tmp_path: Path) -> None:
    code = """struct C { float a; };
__device__ inline float4 __shfl_down_sync(unsigned m, const float4 v, unsigned l, int w = 32) {
  return make_float4(__shfl_down_sync(m, v.x, l, w), v.y, v.z, v.w);
}
__device__ inline C __shfl_xor_sync(unsigned m, C v, int l) {
  return C{__shfl_xor_sync(m, v.a, l)};
}
__global__ void k(float4* a, C* c) {
  a[1] = __shfl_down_sync(~0u, a[0], 1);
  c[1] = __shfl_xor_sync(~0u, c[0], 2);
}
"""
    assert not run(code).findings
    hipcc_takes(tmp_path, code)
    # One that HIP has too, in some version.
    same = "__device__ double __shfl_down(double v, unsigned l) { return v; }\n"
    assert [f.id for f in run(same).findings] == ["PG1402"]


def test_own_headers_that_are_called_like_nvidias(tmp_path: Path) -> None:
    (tmp_path / "s" / "src").mkdir(parents=True)
    (tmp_path / "s" / "cuda_helper.h").write_text("#pragma once\n")
    source = tmp_path / "s" / "src" / "a.cu"
    source.write_text("#include <cuda_helper.h>\n__global__ void k() {}\n")
    output = ["-o", str(tmp_path / "o"), "-q"]
    assert portgpu(["translate", str(tmp_path / "s"), *output]) == 0
    source.write_text("#include <cuda_other.h>\n__global__ void k() {}\n")
    assert portgpu(["translate", str(tmp_path / "s"), *output]) == 1


_BFIND = """#include <cstdio>
__global__ void k(unsigned* a) {
  unsigned r, s;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a[threadIdx.x]));
  asm("set.gt.u32.u32 %0, %1, %2;" : "=r"(s) : "r"(r), "r"(5));
  a[threadIdx.x] = r;
  a[threadIdx.x + 4] = s;
}
int main() {
  unsigned h[8] = {0, 1, 0x80000000u, 0x00f00000u}, *d;
  cudaMalloc(&d, 32);
  cudaMemcpy(d, h, 32, cudaMemcpyHostToDevice);
  k<<<1, 4>>>(d);
  cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; i++) printf("%d ", (int)h[i]);
}
"""


@pytest.mark.parametrize("via", [[], ["--via", "rocm"]])
def test_values_of_ptx(tmp_path: Path, via: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text(_BFIND)
    build = ["--build-dir", str(tmp_path / "b")]
    assert portgpu(["run", str(tmp_path / "a.cu"), *build, *via]) == 0
    assert "-1 31 0 8 -1 -1 0 -1" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("float4 a = {0};", "float4 a = {0, 0, 0, 0};"),
        ("float3 a{-1.5f}, b = {1, 2}, c = {};", "float3 a{-1.5f, 0, 0}, b = {1, 2, 0}, c = {};"),
        ("const int2 a[2] = {{1}, {2, 3}};", "const int2 a[2] = {{1, 0}, {2, 3}};"),
        ("f(uchar4{255}, 1);", "f(uchar4{255, 0, 0, 0}, 1);"),
        ("float4 a{x};", "float4 a = pg_compat::first_of<float4>(x);"),
        ("float4 a = {x}, b = {x, y};", "a = pg_compat::first_of<float4>(x), b = {x, y, 0, 0};"),
        ("float4 a = {.y = x, .w = 2};", "float4 a = {0,  x, 0,  2};"),
        ("typedef double4 real4; real4 a = {1};", "real4 a = {1, 0, 0, 0};"),
        (
            "auto l = [](float y) -> float4 { return{y}; };",
            "return pg_compat::first_of<float4>(y);",
        ),
        ("struct S { float4 v; int n; }; S s = {{1}, 2};", "S s = {{1, 0, 0, 0}, 2};"),
        ("float4 a = {1, 2, 3, 4}; float4 b = {make_float4(1, 2, 3, 4)};", None),
        ("float4 g(float4 b) { return b; } float4* p = {0}; float4 m[2] = {};", None),
        ("struct P : float4 { int q; };", None),
        ("S s = {1}; float v[4] = {0};", None),
    ],
)
def test_vectors_with_fewer_values_than_members(code: str, expected: str | None) -> None:
    text = made(f"void f() {{ cudaDeviceSynchronize(); {code} }}\n")
    if expected is None:
        assert code in text
    else:
        assert expected in text


_PARTIAL = """struct S { float4 v; int n; };
typedef float3 real3;
__host__ __device__ real3 from(float x) { if (x > 1) return {x}; return {x, 1}; }
__global__ void k(float4* o, float x) {
  float4 a = {0}, b{x}, c = {x, x}, d = {c}, e = {.z = x};
  S s = {{1}, 2};
  const float2 f[2] = {{x}, {1, 2}};
  o[0] = a; o[1] = b; o[2] = c; o[3] = d; o[4] = e; o[5] = s.v; o[6] = float4{x};
  o[7] = make_float4(f[0].x, f[0].y, from(2).y, from(1).z);
}
"""


@pytest.mark.rocm_compiler
def test_hipcc_takes_such_vectors(tmp_path: Path) -> None:
    hipcc_takes(tmp_path, _PARTIAL)


def test_defaults_of_two_functions_stay() -> None:
    code = """template <class T> struct A {
#if defined(FAST)
  template <class U = int> __device__ T f(T x, int n = 4, bool b = true) const { return x; }
#else
  template <class U = int> __device__ T f(T x, int n = 4, bool b = true) const { return -x; }
#endif
};
template <class X, class Y> __device__ int g(X, Y, int n = 1) { return n; }
template <class X> __device__ int g(X, X, int n = 2) { return n; }
#ifdef FAST
template <class X> void h(X, int n = 3);
#else
template <class X> void h(X, int n = 3) {}
#endif
"""
    assert made(code).endswith(code)


def test_scans_of_cub_in_place() -> None:
    code = """#include <cub/cub.cuh>
void f(void* t, size_t b, int* d, int n, cudaStream_t stream) {
  cub::DeviceScan::InclusiveSum(t, b, d + 1, n);
  cub::DeviceScan::ExclusiveSum(t, b, d, n, stream);
  cub::DeviceScan::ExclusiveSum(t, b, d, d + n, n);
  cub::DeviceScan::InclusiveScan(t, b, d, op(), n);
  cub::DeviceScan::ExclusiveScan(t, b, d, d, op(), 0, n);
}
"""
    text = made(code)
    for call in (
        "InclusiveSum(t, b, d + 1, d + 1, n)",
        "ExclusiveSum(t, b, d, d, n, stream)",
        "ExclusiveSum(t, b, d, d + n, n)",
        "InclusiveScan(t, b, d, d, op(), n)",
        "ExclusiveScan(t, b, d, d, op(), 0, n)",
    ):
        assert f"hipcub::DeviceScan::{call};" in text


_UNROLL = """#define LOOP(n) for (int j = 0; j < n; j++)
template <int N> __global__ void k(float* a, int n) {
  #pragma unroll
  float s = 0;
  #pragma unroll N
  for (int i = 0; i < N; i++) s += a[i];
  #pragma unroll (4)
  LOOP(n) s += a[j];
  #pragma unroll
  if (n > 3) s += 2;
  #pragma nounroll
  while (n-- > 0) s += 1;
  #pragma unroll
  { s += 1; }
  a[0] = s;
}
template __global__ void k<3>(float*, int);
"""


@pytest.mark.rocm_compiler
def test_unrolling_of_no_loop(tmp_path: Path) -> None:
    text = made(_UNROLL)
    assert text.count("unroll") == 3
    assert text.count("\n") == _UNROLL.count("\n") + 1  # the include
    hipcc_takes(tmp_path, _UNROLL)


@pytest.mark.rocm_compiler
def test_declarations_of_what_hip_has_already(tmp_path: Path) -> None:
    code = """#include <cuda_runtime.h>
extern __device__ __device_builtin__ void __syncthreads(void);
#ifndef __CUDA_ARCH__
extern const dim3 blockDim;
extern const uint3 threadIdx;
#endif
extern const uint3 mine;
__global__ void k(int* p) { __syncthreads(); p[threadIdx.x] = blockDim.x; }
"""
    text = made(code)
    assert "__device_builtin__" not in text and "extern const dim3" not in text
    assert "extern const uint3 mine;" in text
    hipcc_takes(tmp_path, code)


def test_includes_by_macros_of_a_header(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases" / "jet").mkdir(parents=True)
    (tmp_path / "cases" / "jet" / "values.h").write_text("#define VALUE 7\n")
    (tmp_path / "cases" / "case.h").write_text(
        "#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n#define CASE jet\n"
        "#define VALUES TEXT(CASE/values.h)\n#include VALUES\n"
    )
    (tmp_path / "a.cu").write_text(
        '#include "cases/case.h"\n#include <cstdio>\nint main() { printf("%d\\n", VALUE); }\n'
    )
    build = ["--build-dir", str(tmp_path / "b")]
    assert portgpu(["run", str(tmp_path / "a.cu"), *build]) == 0
    assert capfd.readouterr().out == "7\n"
