"""Values in braces: arrays of run-time length, vectors of Thrust, narrowing."""

from __future__ import annotations

import pytest

from tests.translate.helpers import ids, out, run


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "void f(int n) { float a[n] = {1, 2}; }",
            "float a[n]; pg_compat::set_array(&a[0], sizeof(a), {1, 2});",
        ),
        (
            "void f(int n) { const int a[3][n] = {{1}, {2}}; }",
            "{ int a[3][n]; pg_compat::set_array(&a[0][0], sizeof(a), sizeof(a[0]), {{1}, {2}});",
        ),
        (
            "void f() { const int n = most(3); int a[n + 1]{}; }",
            "int a[n + 1]; pg_compat::set_array(&a[0], sizeof(a), {});",
        ),
        ("void f() { const int n = 3, m = n * 2; int a[m] = {1}; }", "int a[m] = {1};"),
        ("void f() { constexpr int n = g(3); int a[n] = {1}; }", "int a[n] = {1};"),
        ("template <int A, int N> void f() { int a[N] = {1}; }", "int a[N] = {1};"),
        ("#define N 3\nvoid f() { int a[N] = {1}; }", "int a[N] = {1};"),
        ("enum { N = 3 }; void f() { int a[sizeof(int) * N] = {1}; }", "* N] = {1};"),
        ("void f(int n) { const int k = 2; int a[k] = {n}; }", "int a[k] = {n};"),
    ],
)
def test_arrays_of_run_time_length(code: str, expected: str) -> None:
    code += " __global__ void k() {}\n"
    assert expected in out(code)
    assert ("PG1809" in ids(code)) == ("set_array" in expected)


@pytest.mark.parametrize(
    "code",
    [
        "void f(P* a, int n) { a[n] = {1, 2}; }",
        "void f(P* a, int n) { if (n < 3) a[n] = {1, 2}; else a[n] = {}; }",
        "void f(S& s, int n) { s.a[n][n] = {}; }",
        "void f(P** a, int n) { *a[n] = {1, 2}; }",
    ],
)
def test_assignments_are_no_declarations(code: str) -> None:
    code = f"struct P {{ int x, y; }};\n__global__ void k();\n{code}\n"
    assert not ids(code) and code.splitlines()[-1] in out(code)


def test_arrays_whose_values_cannot_be_moved() -> None:
    result = run("__global__ void k();\nvoid f(int n) { int a[n] = {[1] = 2}; }\n")
    assert [(f.id, f.severity.value, f.line) for f in result.findings] == [("PG1809", "error", 2)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "thrust::device_vector<int> v{1, -2};",
            "thrust::device_vector<int> v = pg_compat::vector_of<decltype(v)>({1, -2});",
        ),
        (
            "thrust::host_vector<float> v = {1.5f};",
            "thrust::host_vector<float> v = pg_compat::vector_of<decltype(v)>({1.5f});",
        ),
        (
            "f(thrust::host_vector<int>{1, 2});",
            "f(pg_compat::vector_of<thrust::host_vector<int>>({1, 2}));",
        ),
        ("thrust::device_vector<int> v{a, b, c, d};", "vector_of<decltype(v)>({a, b, c, d});"),
        ("thrust::device_vector<int> v{h.begin(), h.end()};", "v{h.begin(), h.end()};"),
        (
            "thrust::device_vector<int> v(3); v = {4, 5};",
            "v(3); v = pg_compat::vector_of<decltype(v)>({4, 5});",
        ),
        ("thrust::device_vector<int> v{n};", "v{n};"),
        ("thrust::device_vector<int> v{};", "v{};"),
        ("thrust::device_vector<int> v(3);", "v(3);"),
    ],
)
def test_vectors_of_thrust_from_a_list(code: str, expected: str) -> None:
    text = out("#include <thrust/device_vector.h>\nvoid g() { " + code + " }\n")
    assert expected in text


@pytest.mark.parametrize(
    ("code", "narrow"),
    [
        ("void f(int n) { dim3 g{n / 256}; }", True),
        ("void f(int n) { dim3 g = {n, 1}; }", True),
        ("void f(unsigned n) { dim3 g{n / 256}; }", False),
        ("void f(int n) { dim3 g{(unsigned)n}; }", False),
        ("void f(int n) { dim3 g(n); }", False),
        ("void f(float x) { float2 p = {x * 2.0, x}; }", True),
        ("void f(float x) { float2 p = {x * 2.0f, x}; }", False),
        ("void f(double x) { float a[2] = {x, 1.5}; }", True),
        ("void f(int n) { int a[2][2] = {{n, 1}, {n * 2, 3}}; }", False),
        ("void f(size_t n) { int a[2] = {n, 1}; }", True),
        ("struct P { const char* s; float x; }; void f(double d) { P p; p = {\"a\", d}; }", True),
        ("struct P { int a; }; void f(int n) { P p = {n}; }", False),
        ("void f(int n) { if (n) { g(n * 2.0); } }", False),
        ("void f(int n) { float a[2] = {g(n), h[n]}; }", False),
        ("__device__ void f() { int a[2] = {0.0, 1.0}; }", True),
        ("__device__ void f() { int a[2] = {0, 0x1e}; float b[1] = {1.0}; }", False),
        ("void f(int n) { bool b[1] = {n > 2.0}; }", False),
    ],
)  # fmt: skip
def test_narrowing_in_braces(code: str, narrow: bool) -> None:
    code = "__global__ void k();\n" + code + "\n"
    text = run(code).text
    assert (b'ignored "-Wc++11-narrowing"' in text) == narrow
    assert ("PG1810" in ids(code)) == narrow
