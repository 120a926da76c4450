"""Default arguments in a second declaration of a template's function, which nvcc takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from tests.translate.helpers import ids, out, run
from tests.translate.test_compile import compile_ok

_FLAGS = ["-x", "hip", "--offload-arch=gfx90a", "-fsyntax-only", "-std=c++17"]
# Each is taken by nvcc 13: the later declaration has the default, first or again.
KINDS = {
    "function": (
        "template <int T, int V>\n__device__ void f(const float* s, int p, int q);\n"
        "template <int T, int V = 1>\n__device__ void f(const float* in, int a = 0, int b = T) {}\n"
        "__global__ void k(float* s) { f<2>(s); }\n",
        "f(const float* s, int p = 0, int q = T);\n",
        "f(const float* in, int a, int b) {}\n",
    ),
    "kernel": (
        "template <class T> __global__ void f(T* a, int);\n"
        "template <class T> __global__ void f(T* a, int b = 3) { *a = b; }\n"
        "void g(int* s) { f<<<1, 1>>>(s); }\n",
        "f(T* a, int = 3);\n",
        "f(T* a, int b) {",
    ),
    "again": (
        "template <class T> __device__ int f(T a, int b = 3);\n"
        "template <class T> __device__ int f(T a, int b = 3) { return a + b; }\n"
        "__global__ void k(int* s) { s[0] = f(1); }\n",
        "f(T a, int b = 3);\n",
        "f(T a, int b) {",
    ),
    "member": (
        "template <class T> struct A { __device__ int f(int a, T b[2], int c); };\n"
        "template <class U> __device__ int A<U>::f(int a, U b[2], int c = 3) { return a + c; }\n"
        "__global__ void k(int* s) { A<int> a; s[0] = a.f(1, s); }\n",
        "f(int a, T b[2], int c = 3); };\n",
        "f(int a, U b[2], int c) {",
    ),
    "member template": (
        "struct A { template <class T> __device__ int f(T const& a, unsigned b) const; };\n"
        "template <class T> __device__ int A::f(const T& a, unsigned n = 4u) const { return n; }\n"
        "__global__ void k(int* s) { A a; s[0] = a.f(1); }\n",
        "f(T const& a, unsigned b = 4u) const; };\n",
        "unsigned n) const {",
    ),
}
ALONE = (
    "template <class T> __device__ T f(T a, int n = 1) { return a; }\n"
    "template <class T> __device__ T f(T* a, int n = 2) { return *a; }\n"
    "template <> __device__ int f<int>(int a, int n) { return 3; }\n"
    "template <class T> __device__ T f(T a, T* b, int n = 1) { return a; }\n"
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_moves_to_the_first_declaration(kind: str) -> None:
    code, first, later = KINDS[kind]
    text = out(code)
    assert first in text and later in text and ids(code) == []
    assert first in run(code, to="cpu").text.decode()
    assert run(code, hipify="perl").text.count(b"=") == code.count("=")


@pytest.mark.rocm_compiler
def test_compilers_take_them(tmp_path: Path) -> None:
    parts = [f"namespace n{i} {{\n{code}}}\n" for i, (code, _, _) in enumerate(KINDS.values())]
    source = tmp_path / "a.hip"
    source.write_text(out("".join(parts)))
    (tmp_path / "b.hip").write_text("#include <hip/hip_runtime.h>\n" + source.read_text())
    compile_ok(["hipcc", *_FLAGS, str(tmp_path / "b.hip")])


def test_what_is_no_second_declaration_stays() -> None:
    assert out(ALONE) == ALONE
    # A name between the two cannot be known by the first.
    code = "template <class T> __device__ int f(T a, int n);\nconstexpr int many = 4;\n"
    code += "template <class T> __device__ int f(T a, int n = many) { return n; }\n"
    assert ids(code) == ["PG1812"] and out(code) == code
    before = code.replace("\nconstexpr", "").replace(
        "template", "constexpr int many = 4;\ntemplate", 1
    )
    before = before.replace("; int many = 4;", ";")
    assert ids(before) == [] and "int n = many);" in out(before)


@pytest.mark.rocm_compiler
def test_across_local_headers(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    header, impl, unit = "in/rank.cuh", "in/rank_impl.cuh", "in/a.cu"
    (tmp_path / header).write_text(
        "#pragma once\n#include <cstddef>\n"
        "template <int N>\n__device__ int rank(const float* x, int from, int size);\n"
        "template <class T> struct A { __device__ T get(std::size_t at); };\n"
    )
    (tmp_path / impl).write_text(
        '#pragma once\n#include "rank.cuh"\nconstexpr int own = 3;\ntemplate <int N>\n'
        "__device__ int rank(const float* x, int from = 0, int size = N) { return from + size; }\n"
        "template <class T> __device__ T A<T>::get(std::size_t at = 2) { return T(at); }\n"
        "template <class T> __device__ int other(T x, int n = own) { return n; }\n"
    )
    (tmp_path / unit).write_text(
        '#include "rank_impl.cuh"\n'
        "__global__ void k(float* x) { A<float> a; x[0] = rank<4>(x) + a.get() + other(1); }\n"
    )
    target = tmp_path / "out"
    assert portgpu(["translate", str(tmp_path / "in"), "-o", str(target), "-q"]) == 0
    assert "int from = 0, int size = N);" in (target / "rank.cuh").read_text()
    text = (target / "rank_impl.cuh").read_text()
    assert (
        "int from, int size) {" in text
        and "get(std::size_t at) {" in text
        and "int n = own)" in text
    )
    compile_ok(["hipcc", *_FLAGS, str(target / "a.cu")])
    again = [sys.executable, "-m", "portgpu", "translate", str(tmp_path / "in"), "-o", str(target)]
    assert subprocess.run(again, capture_output=True).returncode == 0
    # The implementation alone is another input: then only its own declarations count.
    (tmp_path / unit).unlink()
    assert portgpu(["translate", str(tmp_path / "in"), "-o", str(target), "-q"]) == 0
    assert "int from, int size) {" in (target / "rank_impl.cuh").read_text()
