"""User kernels: parameters, checked launches, compilers of the vendors without a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portgpu import jit
from portgpu.errors import BuildError, ToolchainError, UsageError
from portgpu.jit import rtc
from portgpu.jit.signature import parameters
from portgpu.ops import OpDtypeError, OpError, OpStrideError, OpValueError

pytestmark = pytest.mark.usefixtures("cache")

SAXPY = """
// __global__ void saxpy(a comment)
__global__ void saxpy(const float* x, float* y, float a, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.f;
  __syncthreads();
  if (i < n) y[i] += a * part[threadIdx.x];
}
"""
DIALECT = """
#include "portgpu.h"
template <class T, int Block>
__global__ void PG_LAUNCH_BOUNDS(Block) row_sum(const T* x, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += Block) v += pg::to_float(x[size_t(blockIdx.x) * n + i]);
  v = pg::block_sum<Block>(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
"""


def test_parameters_are_read_from_the_source() -> None:
    source = """
    template <class T, int N> __global__ void __launch_bounds__(N)
    f(const T* __restrict__ x, T *y, unsigned long long n, bool b, const int32_t k[4], void* raw) {}
    namespace a { extern "C" __global__ void g(double* out, size_t n = 3) {} }
    """
    found = parameters(source, "f<pg::half, 4>", "k.cu")
    assert [(p.name, p.dtype, p.pointer, p.constant) for p in found] == [
        ("x", "f16", True, True), ("y", "f16", True, False), ("n", "u64", False, False),
        ("b", "bool", False, False), ("k", "i32", True, True), ("raw", "", True, False),
    ]  # fmt: skip
    assert [p.dtype for p in parameters(source, "a::g", "k.cu")] == ["f64", "u64"]


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        (SAXPY, "saxpi", "no __global__ function is called saxpi"),
        ("__global__ void f(float** p) {}", "f", "`float\\*\\* p` of f cannot be passed"),
        ("struct S {int i;}; __global__ void f(S s) {}", "f", "`S s` of f cannot be passed"),
        ("template <class T> __global__ void f(T t) {}", "f", "`T t` of f cannot be passed"),
        (SAXPY, "saxpy<", "is not the name of a kernel"),
    ],
)
def test_kernels_that_cannot_be_called(source: str, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parameters(source, name, "k.cu")
    assert caught.value.hint


def test_cuda_kernel_on_the_cpu(seed: int) -> None:
    saxpy = jit.kernel(SAXPY, "saxpy", target="cpu")
    rng = np.random.default_rng(seed)
    x, y = (rng.standard_normal(1003).astype(np.float32) for _ in range(2))
    want = y.astype(np.float64) + 1.5 * x.astype(np.float64)
    saxpy((4, 1), (256,), x, y, np.float32(1.5), 1003)
    assert np.abs(y - want).max() < 1e-6
    before = y.copy()
    saxpy(0, 256, x, y, 1.0, 1003)  # an empty grid is nothing
    assert np.array_equal(y, before)
    assert jit.kernel(SAXPY, "saxpy", target="cpu").cached
    assert "float a" in repr(saxpy)


def test_dialect_kernel_on_the_cpu(seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal((5, 300)).astype(np.float16)
    out = np.zeros(5, np.float32)
    jit.kernel(DIALECT, "row_sum<pg::half, 64>", target="cpu")(5, 64, x, out, 300)
    assert np.abs(out - x.astype(np.float64).sum(1)).max() < 1e-3


X, Y = np.ones(8, np.float32), np.ones(8, np.float32)
READ_ONLY = np.broadcast_to(np.float32(1), (1,))


@pytest.mark.parametrize(
    ("grid", "block", "arguments", "kind", "message"),
    [
        (1, 8, (X, Y, 1.0), OpError, "takes 4 arguments, not 3"),
        (1, 8, (X.astype(np.float64), Y, 1.0, 8), OpDtypeError, "f64 elements"),
        (1, 8, (X, Y, 1.0, 2.5), OpDtypeError, "n is 2.5"),
        (1, 8, (X, Y, 1.0, 1 << 40), OpValueError, "does not fit into i32"),
        (1, 8, (X, Y, X, 8), OpDtypeError, "takes float a"),
        (1, 8, (3, Y, 1.0, 8), OpError, "x is a number"),
        (1, 8, (X[::2], Y, 1.0, 4), OpStrideError, "not C-contiguous"),
        (1, 8, (X, READ_ONLY, 1.0, 1), OpStrideError, "y is read-only"),
        (1, 2048, (X, Y, 1.0, 8), OpValueError, "a block of 2048 threads"),
        ((1, 1, 1, 1), 8, (X, Y, 1.0, 8), OpValueError, "grid=.1, 1, 1, 1."),
        (1, 0, (X, Y, 1.0, 8), OpValueError, "block=0"),
        ((1, 70000), 8, (X, Y, 1.0, 8), OpValueError, "exceeds 2147483647"),
    ],
)
def test_bad_launches(
    grid: Any, block: Any, arguments: tuple[Any, ...], kind: type[OpError], message: str
) -> None:
    saxpy = jit.kernel(SAXPY, "saxpy", target="cpu")
    with pytest.raises(kind, match=message) as caught:
        saxpy(grid, block, *arguments)
    assert caught.value.hint
    assert (Y == 1).all()


def test_compiler_errors_name_the_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    file.write_text("\n\n__global__ void f(int* p) {\n  p[0] = missing;\n}\n")
    with pytest.raises(BuildError, match=r"mine.cu:4: .*missing") as caught:
        jit.kernel(file, "f", target="cpu")
    assert "missing" in caught.value.detail


def test_headers_are_part_of_the_key(tmp_path: Path) -> None:
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    source = '#include "factor.h"\n__global__ void f(int* p) { p[0] = FACTOR; }'
    value = np.zeros(1, np.int32)
    for factor in (2, 5):
        (tmp_path / "factor.h").write_text(f"#define FACTOR {factor}\n")
        jit.kernel(source, "f", target="cpu", include_dirs=[tmp_path])(1, 1, value)
        assert value[0] == factor


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("arch", ["gfx90a", "gfx1030"])
def test_hiprtc_compiles_dialect_cuda_and_hip(arch: str) -> None:
    shuffle = """
    #include <cuda_fp16.h>
    __global__ void f(__half* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float v = i < n ? __half2float(y[i]) : 0;
      v += __shfl_xor_sync(0xffffffffu, v, 1);
      if (i < n) y[i] = __float2half(v);
    }"""
    hip = "#include <hip/hip_runtime.h>\n__global__ void f(float* y) { y[threadIdx.x] += 1; }"
    for source, name in ((DIALECT, "row_sum<pg::bfloat16, 256>"), (shuffle, "f"), (hip, "f")):
        made = jit.compile_kernel(source, name, target="rocm", arch=arch)
        assert made.code[:4] == b"\x7fELF" and name.split("<")[0] in made.symbol
        assert jit.compile_kernel(source, name, target="rocm", arch=arch) == made
    with pytest.raises(BuildError, match=r"f.cu:2: .*missing"):
        jit.compile_kernel("\n__global__ void f(int* p) { *p = missing; }", "f",
                           target="rocm", arch=arch)  # fmt: skip


def test_nvrtc_compiles_dialect_and_cuda() -> None:
    try:
        rtc.find("nvrtc")
    except ToolchainError as error:
        pytest.skip(error.message)
    for source, name in ((DIALECT, "row_sum<pg::half, 128>"), (SAXPY, "saxpy")):
        made = jit.compile_kernel(source, name, target="cuda", arch="sm_90")
        assert made.code[:4] == b"\x7fELF" and name.split("<")[0] in made.symbol
    with pytest.raises(BuildError, match=r"f.cu:2: .*missing"):
        jit.compile_kernel("\n__global__ void f(int* p) { *p = missing; }", "f",
                           target="cuda", arch="sm_90")  # fmt: skip


def test_missing_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtc, "_candidates", lambda api: ["/nowhere/libnvrtc.so"])
    with pytest.raises(ToolchainError, match=r"NVRTC is not here: tried /nowhere") as caught:
        rtc.RuntimeCompiler("nvrtc")
    assert "pip install nvidia-cuda-nvrtc" in caught.value.hint
    with pytest.raises(UsageError, match="gfx90a is no architecture of cuda"):
        jit.compile_kernel(SAXPY, "saxpy", target="cuda", arch="gfx90a")
