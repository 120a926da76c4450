"""Public bug reports (docs/translate.md lists them), each for its whole kind."""

# ruff: noqa: E501 (tables of cases)

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from portgpu.cli import run as portgpu
from tests.translate.helpers import ids, out, run

# --- B01, B03, B05: what a launch becomes -------------------------------------------------------


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<256, 4><<<1, 256>>>(p);",
         "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<256, 4>), dim3(1), dim3(256), 0, 0, p);"),
        ("k<<<dim3(1,2,3), dim3(4, 5)>>>(p, q);",
         "hipLaunchKernelGGL(k, dim3(1,2,3), dim3(4, 5), 0, 0, p, q);"),
        ("k<<<1, 2>>>( );", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);"),
        ("k<<<1, 2>>>();", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);"),
        ("k<<<g, b, n*sizeof(T), s>>>(p);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), n*sizeof(T), s, p);"),
        ("n::k<T<1, 2>, U><<<f<1, 2>(x), h(), 0, t()>>>(a(b, c));",
         "hipLaunchKernelGGL(HIP_KERNEL_NAME(n::k<T<1, 2>, U>), dim3(f<1, 2>(x)), dim3(h()), 0, t(),"
         " a(b, c));"),
        ("k<<<dim3{1, 2}, b, m<1, 2>>>>(p);",
         "hipLaunchKernelGGL(k, dim3(dim3{1, 2}), dim3(b), (m<1, 2>), 0, p);"),
        ("k\n<<<1 /* grid */,\n 2>>> // block\n (p);",
         "hipLaunchKernelGGL(k, \ndim3(1) /* grid */,\n dim3(2), 0, 0,  // block\n p);"),
    ],
)  # fmt: skip
def test_b01_b03_b05_converted_launches(launch: str, expected: str) -> None:
    assert out(launch, launches="convert").replace("k\n, ", "k, \n") == expected
    assert out(launch) == launch  # kept by default


def test_b02_launch_in_a_variadic_macro() -> None:
    code = "#define L(n, ...) n<<<g, \\\n  b>>>(__VA_ARGS__)\nvoid f() { L(k, 1, 2); }\n"
    text = out(code, launches="convert")
    assert text == (
        "#define L(n, ...) hipLaunchKernelGGL(n, dim3(g), \\\n  dim3(b), 0, 0, __VA_ARGS__)\n"
        "void f() { L(k, 1, 2); }\n"
    )


def test_b02_macro_that_ends_before_the_launch_does() -> None:
    """What follows on the next lines belongs to no launch, whatever brackets it has."""
    code = "#define CALL k<float><<<1, n>>>\n#define L k<<<1, n>>>(p)\n(f)(x); CALL(p);\n"
    expected = code.replace("k<<<1, n>>>(p)", "hipLaunchKernelGGL(k, dim3(1), dim3(n), 0, 0, p)")
    assert out(code, launches="convert") == expected
    assert ids(code, launches="convert") == ["PG1301"]
    assert out(code) == code


def test_b04_strings_comments_and_calls_in_the_configuration() -> None:
    code = (
        'const char* s = "<<<tag>>>"; /* old<<<1, 2>>>(x) */ // k<<<1, 2>>>(y)\n'
        'const char* r = R"(k<<<1, 2>>>(cudaFree))"; void g() { k<<<1, f()>>>(p); }\n'
    )
    text = out(code, launches="convert")
    assert text == code.replace(
        "k<<<1, f()>>>(p)", "hipLaunchKernelGGL(k, dim3(1), dim3(f()), 0, 0, p)"
    )


def test_launch_that_cannot_be_read_is_reported() -> None:
    branches = "void f() { k<<<1,\n#ifdef X\n 3\n#else\n 4\n#endif\n >>>(2); }\n"
    assert ids(branches, launches="convert") == ["PG1301"]
    assert out(branches, launches="convert") == branches
    assert ids("void f() { k<<<1>>>(p); }", launches="convert") == ["PG1301"]
    assert ids("void f() { <<<1, 2>>>(p); }", launches="convert") == ["PG1301"]


# --- B08, B09, M01, M05: residue ----------------------------------------------------------------


def test_b08_every_unmapped_name_is_listed() -> None:
    code = "void f() {\n  cudaFrobnicate(1);\n  cublasLtFancyNewThing(&d);\n}\n"
    result = run(code)
    assert [(f.id, f.line, f.column, f.symbol) for f in result.findings] == [
        ("PG1002", 2, 3, "cudaFrobnicate"),
        ("PG1002", 3, 3, "cublasLtFancyNewThing"),
    ]


def test_names_declared_by_the_file_are_no_residue() -> None:
    code = (
        "#define cudaCheck(x) check(x, __FILE__)\n"
        "static int cudaHelper(int a);\n"
        "struct A { int cudaMember; };\n"
        "void f(int cudaParameter) { cudaError_t cudaStatus = cudaHelper(1); cudaCheck(cudaStatus);"
        " use(cudaParameter, a.cudaMember); }\n"
    )
    assert [i for i in ids(code) if i != "PG1008"] == []


def test_allowed_residue() -> None:
    assert ids("void f() { cudaFrob(1); } // portgpu: allow PG1002 ours\n") == []
    assert ids("// portgpu: allow PG1002, PG1001 ours\nvoid f() { cudaFrob(1); }\n") == []
    assert ids("\n// portgpu: allow PG1001 other\nvoid f() { cudaFrob(1); }\n") == ["PG1002"]
    assert ids("void f() { cudaFrob(1); }\n", allow=("PG1002:cudaFr*",)) == []
    assert ids("void f() { cudaFrob(1); }\n", allow=("cudaFrob",)) == []
    assert ids("void f() { cudaFrob(1); }\n", allow=("PG1002:other",)) == ["PG1002"]


def test_b09_missing_input_and_statistics(tmp_path: Path) -> None:
    runner = CliRunner()
    assert portgpu(["translate", str(tmp_path / "nope.cu")]) == 2
    assert portgpu(["hipify", str(tmp_path / "nope.cu")]) != 0
    assert portgpu(["hipify", str(tmp_path / "nope.cu"), "--o-stats=x.csv"]) == 1
    source = tmp_path / "a.cu"
    source.write_text("void f() { cudaFree(0); }\n")
    stats = tmp_path / "s.csv"
    assert (
        portgpu(["hipify", str(source), "-no-output", "--print-stats-csv", f"--o-stats={stats}"])
        == 0
    )
    assert "CONVERTED refs count;1\n" in stats.read_text()
    assert runner is not None


def test_m01_exact_names_only() -> None:
    code = "void f() { cudaLaunchKernelExtra(1); xcudaFree(p); cudaFree_(p); cudaMallocX = 1; }"
    assert out(code) == code
    assert "cudaLaunchKernelEx" not in out("void f() { cudaLaunchKernelEx(&c, k, 1); }")


def test_m02_comments_strings_and_members() -> None:
    code = (
        '// cudaMalloc\n/* cudaFree */ const char* s = "cudaMemcpy"; const char* r = R"(cudaMemset)";\n'
        "struct S { int cudaMalloc; void cudaFree(); } s;\n"
        "void f(S* p) { s.cudaMalloc = 1; p->cudaFree(); other::cudaMemcpy(1); cudaDeviceReset(); }\n"
    )
    assert out(code) == code.replace("cudaDeviceReset()", "(void)hipDeviceReset()")


def test_m05_pasting_and_headers() -> None:
    code = "#define CAT(x) cuda##x\nvoid f() { CAT(Malloc)(&p, 4); }\n"
    assert ids(code) == ["PG1005"]
    assert out(code) == code
    assert ids("#include <cuda_fp8_not_there.h>\n") == ["PG1701"]
    assert ids("#include <cutlass/gemm.h>\n") == ["PG1701"]
    assert '"portgpu/hip_compat_cg.h"' in out("#include <cooperative_groups/reduce.h>\n")


# --- B10, B12: files ----------------------------------------------------------------------------


def test_b10_four_outputs_from_four_inputs(tmp_path: Path) -> None:
    for suffix, text in {
        "cu": '#include "axpy.cuh"\n#include "axpy.h"\nvoid a() { cudaFree(0); }\n',
        "cuh": "__device__ int x() { return warpSize; }\n",
        "h": "#include <cuda_runtime.h>\n",
        "cpp": '#include "axpy.h"\nvoid b() { cudaFree(0); }\n',
    }.items():
        (tmp_path / f"axpy.{suffix}").write_text(text)
    target = tmp_path / "out"
    inputs = [str(tmp_path / f"axpy.{s}") for s in ("cu", "h", "cuh", "cpp")]
    assert portgpu(["translate", *inputs, "-o", str(target)]) == 0
    assert sorted(p.name for p in target.glob("axpy.*")) == [
        "axpy.cpp",
        "axpy.cu",
        "axpy.cuh",
        "axpy.h",
    ]
    assert '#include "axpy.cuh"\n#include "axpy.h"\n' in (target / "axpy.cu").read_text()
    assert "hip/hip_runtime.h" in (target / "axpy.h").read_text()
    assert (target / "portgpu" / "hip_compat.h").is_file()


def test_b12_the_second_run_follows_edits(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    first, second = tmp_path / "in" / "a.cu", tmp_path / "in" / "b.cu"
    first.write_text("void f() { cudaFree(0); }\n")
    second.write_text("void g() { cudaDeviceReset(); }\n")
    target = tmp_path / "out"
    arguments = ["translate", str(tmp_path / "in"), "-o", str(target)]
    assert portgpu(arguments) == 0
    before = {p.name: p.stat().st_mtime_ns for p in target.glob("*.cu")}
    first.write_text("void f() { cudaDeviceSynchronize(); }\n")
    assert portgpu(arguments) == 0
    assert "hipDeviceSynchronize" in (target / "a.cu").read_text()
    after = {p.name: p.stat().st_mtime_ns for p in target.glob("*.cu")}
    assert after["b.cu"] == before["b.cu"] and after["a.cu"] != before["a.cu"]
    (target / "a.cu").write_text("broken by hand")
    assert portgpu(arguments) == 0
    assert "hipDeviceSynchronize" in (target / "a.cu").read_text()


# --- B14: versions ------------------------------------------------------------------------------


def test_b14_version_tests_are_not_renamed_to_hip_numbers() -> None:
    code = "#if defined(CUDA_VERSION) && CUDA_VERSION >= 11000\nint a;\n#endif\n"
    text = out(code)
    assert "HIP_VERSION" not in text and "PG_COMPAT_CUDA_VERSION >= 11000" in text
    assert ids(code) == ["PG1502", "PG1502"]
    assert "CUDART_VERSION" not in out("#if CUDART_VERSION < 9000\n#endif\n")


def test_arch_tests_do_not_vanish() -> None:
    code = "__global__ void k() {\n#if __CUDA_ARCH__ >= 350\n  f();\n#endif\n}\n"
    assert "#if PG_COMPAT_CUDA_ARCH >= 350" in out(code)
    assert ids("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n") == ["PG1504"]
    assert out("#ifdef __CUDACC__\n#endif\n") == "#ifdef __HIPCC__\n#endif\n"
    dual = "#if defined(__HIPCC__)\n#elif defined(__CUDACC__)\n#endif\n"
    assert out(dual) == dual and ids(dual) == ["PG1503"]


# --- B15, B16, B17, B21: warps ------------------------------------------------------------------


def test_b15_masks() -> None:
    code = (
        "__global__ void k(float v) {\n"
        "  v += __shfl_xor_sync(0xffffffffu, v, 8);\n"
        "  unsigned m = __ballot_sync(0xffffffffu, v > 0);\n"
        "  v += __shfl_sync(m, v, 0);\n}\n"
    )
    text = out(code)
    assert "pg_compat::shfl_xor_sync(0xffffffffu, v, 8)" in text
    assert "unsigned m = pg_compat::ballot_sync(0xffffffffu, v > 0)" in text
    assert ids(code) == []
    native = run(code, warp="native").findings
    assert [(f.id, f.line) for f in native] == [
        ("PG1401", 2), ("PG1404", 3), ("PG1401", 3), ("PG1401", 4),
    ]  # fmt: skip


def test_b16_b17_old_warp_functions_keep_32_lanes() -> None:
    code = "__global__ void k() { int bits = __ballot(p); v += __shfl_up(v, d); w = warpSize; }"
    text = out(code)
    assert "pg_compat::ballot(p)" in text and "pg_compat::shfl_up(v, d)" in text
    assert "w = pg_compat::warp_size" in text


def test_b21_syncwarp() -> None:
    assert "pg_compat::syncwarp()" in out("__global__ void k() { __syncwarp(); }")
    own = "#define __syncwarp()\n__global__ void k() { __syncwarp(); }\n"
    assert out(own) == own and "PG1402" in ids(own)
    function = "__device__ void __syncwarp() {}\n__global__ void k() { __syncwarp(); }\n"
    assert "PG1402" in ids(function)


# --- B22, B29 -----------------------------------------------------------------------------------


def test_b22_launch_bounds() -> None:
    code = "__global__ void __launch_bounds__(256, 4) k() {}\n"
    assert "__launch_bounds__(256) k" in out(code) and ids(code) == ["PG1302"]
    one = "__global__ void __launch_bounds__(f(1, 2)) k() {}\n"
    assert out(one) == one and ids(one) == []
    template = (
        "template <int A, int B> __global__ void __launch_bounds__(A * T<A, B>::n, B) k() {}\n"
    )
    assert "__launch_bounds__(A * T<A, B>::n) k" in out(template)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("{ cudaFree(p); }", "{ (void)hipFree(p); }"),
        ("{ ::cudaFree(p); }", "{ (void)::hipFree(p); }"),
        ("{ if (p) cudaFree(p); else cudaFree(q); }", "{ if (p) (void)hipFree(p); else (void)hipFree(q); }"),
        ("{ for (;;) cudaMemset(p, 0, f(1)); }", "{ for (;;) (void)hipMemset(p, 0, f(1)); }"),
        ("{ e = cudaFree(p); }", "{ e = hipFree(p); }"),
        ("{ return cudaFree(p); }", "{ return hipFree(p); }"),
        ("{ CHECK(cudaFree(p)); }", "{ CHECK(hipFree(p)); }"),
        ("{ (void)cudaFree(p); }", "{ (void)hipFree(p); }"),
        ("{ cudaFree(p), cudaFree(q); }", "{ hipFree(p), hipFree(q); }"),
    ],
)  # fmt: skip
def test_b29_dropped_results(code: str, expected: str) -> None:
    assert out(f"void f() {code}") == f"void f() {expected}"
