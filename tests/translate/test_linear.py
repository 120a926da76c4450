"""Time grows with the size of a file, whatever is in it: kinds that once took its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from portgpu.translate import Options, hipify_stats, translate

_ATOMIC = (
    b"__device__ double atomicAdd(double* a, double b) { return b; }\n"
    b"__global__ void k(double* p) { atomicAdd(p, 1.0); }\n"
)
CASES: dict[str, Callable[[int], bytes]] = {
    "launches in one function": lambda n: b"void f(){" + b"k<<<1,2>>>(a);\n" * n + b"}",
    "open launches": lambda n: b"void f(){ k" + b"<<<" * n,
    "launches in launches": lambda n: b"void f(){ " + b"k<<<1, " * n + b"1" + b">>>(a)" * n,
    "tests in a row": lambda n: b"#if __CUDA_ARCH__ >= 700\ncudaFree(0);\n#endif\n" * n,
    "tests in tests": lambda n: b"#if A\n" * n + b"cudaFree(0);\n" + b"#endif\n" * n,
    "a chain of tests": lambda n: (
        b"#if 0\n" + b"#elif CUDA_VERSION > 9000\ncudaFree(0);\n" * n + b"#endif\n"
    ),
    "round brackets": lambda n: b"void f(){ cudaMalloc(" + b"(" * n + b"1" + b")" * n + b"); }",
    "braces": lambda n: b"void f()" + b"{ cudaFree(0);" * n + b"}" * n,
    "comments that allow": lambda n: b"/* portgpu: allow PG1001 */ cudaFrobX(1);\n" * n,
    "unknown names": lambda n: b"".join(b"int f%d = cudaFrob%d(1);\n" % (i, i) for i in range(n)),
    "one macro many times": lambda n: (
        b"#define CHECK(x) do { cudaError_t e = (x); } while (0)\n" * n
        + b"void f(){ CHECK(cudaFree(0)); }"
    ),
    "macros that paste": lambda n: b"".join(
        b"#define P%d(x) cuda##x##P%d\n" % (i, i + 1) for i in range(n)
    ),
    "macros that call each other": lambda n: (
        b"#define P(a) a##_\n"
        + b"".join(b"#define C%d(x) C%d(x) C%d(x) P(x)\n" % (i, i + 1, i + 2) for i in range(n))
        + b"void f() { C0(cudaFree); }"
    ),
    "an open string": lambda n: b'void f(){ cudaFree(0); } const char* s = "' + b"a\\\n" * n,
    "open raw strings": lambda n: b'void f(){ cudaFree(0); } auto s = R"x(' * n,
    "own locals": lambda n: (
        b"void f() {" + b"int cudaMalloc = 1; { int x = cudaMalloc; } " * n + b"}"
    ),
    "members": lambda n: b"".join(
        b"struct S%d { int cudaMalloc; half2 z = {}; };\n" % i for i in range(n)
    ),
    "own operators": lambda n: (
        b"__device__ float4 operator+(float4 a, float b) { return a; }\n" * n
    ),
    "own atomics": lambda n: _ATOMIC * n,
    "a qualified name": lambda n: b"void f(){ cub" + b"::a" * n + b"::b(1); }",
    "calls in calls": lambda n: (
        b"__device__ int f(std::array<int, 3>& s) { return " + b"s.at(" * n + b"1" + b")" * n
    ),
    "a macro of many lines": lambda n: b"#define M(x) \\\n" + b"  cudaFree(x); \\\n" * n + b"  0\n",
    "one line": lambda n: b"int f(){ return " + b"cudaMalloc(a,b) + " * n + b"0; }\n",
}  # fmt: skip


HIPIFY: dict[str, Callable[[int], bytes]] = {
    "launches of one template": lambda n: (
        b"template <class T> __global__ void k(T* p) {}\nvoid f(){" + b"k<<<1,2>>>(a);\n" * n + b"}"
    ),
    "launches of many kernels": lambda n: b"".join(
        b"__global__ void k%d() {}\nvoid f%d(){ k%d<<<1, 2>>>(); }\n" % (i, i, i) for i in range(n)
    ),
    "macros of launches": lambda n: b"".join(
        b"#define K%d k<<<1, 2>>>\nvoid f%d(){ K%d(p); }\n" % (i, i, i) for i in range(n)
    ),
    "less-than in templates": lambda n: b"void f(){" + b"k<1, a < b><<<1,2>>>(p);\n" * n + b"}",
}  # fmt: skip


@pytest.mark.parametrize("what", [*CASES, *HIPIFY])
def test_time_is_linear(what: str) -> None:
    options = Options()
    if what in HIPIFY:
        options = Options(compat=None, hipify="clang", launches="convert")

    def seconds(n: int) -> float:
        data = (CASES | HIPIFY)[what](n)
        start = time.process_time()
        result = translate(data, "a.cu", options)
        if what in HIPIFY:
            hipify_stats.count("a.cu", data, result, 0.0)
        return time.process_time() - start

    seconds(10)  # what is loaded once
    small = max(0.01, min(seconds(200), seconds(200)))
    # Eight times as much: 8 when linear, 64 when quadratic.
    assert min(seconds(1600) for _ in range(2)) < 25 * small
