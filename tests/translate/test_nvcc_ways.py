"""What CUDA's headers and nvcc give without being asked, and HIP's do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portgpu import mapping, resources
from portgpu.cli import run as portgpu
from portgpu.mapping import Kind, Status
from portgpu.translate.device_prop import FIELDS
from portgpu.translate.statuses import number
from tests.translate.helpers import ids, out, run
from tests.translate.test_compile import compile_ok


def made(code: str, path: str = "a.cu") -> str:
    return run(code, path).text.decode()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("cudaDeviceProp p; f(p.unifiedAddressing);", "f(pg_compat::prop::unifiedAddressing(p));"),
        ("cudaDeviceProp* p; f(p->luid);", "f(pg_compat::prop::luid(*p));"),
        ("cudaDeviceProp p[4]; f(p[i].luid[0]);", "f(pg_compat::prop::luid(p[i])[0]);"),
        ("struct S { cudaDeviceProp p; }; f(s.p.luid);", "f(pg_compat::prop::luid(s.p));"),
        ("cudaDeviceProp p; p.luid = 3;", "p.luid = 3;"),
        ("cudaDeviceProp p; f(q.unifiedAddressing);", "f(q.unifiedAddressing);"),
        ("cudaDeviceProp p; f(p.major);", "f(p.major);"),
    ],
)
def test_fields_of_device_properties(code: str, expected: str) -> None:
    code = code.replace("luid", "asyncEngineCount")
    assert expected.replace("luid", "asyncEngineCount") in out(code)


def test_our_header_has_every_field() -> None:
    header = resources.templates("compat", "portgpu", "compat", "device_prop.h").read_text()
    found = re.findall(r"^PG_COMPAT_FIELDS?\((?:\w+, )?(\w+), ", header, re.M)
    assert {name.encode() for name in found} == FIELDS


def test_status_codes_that_hip_never_returns() -> None:
    code = "switch (e) { case cudaErrorStartupFailure: return 1; case cudaSuccess: return 0; }\n"
    text = made(code)
    assert re.search(
        r"case 0x40[0-9a-f]{6} /\* cudaErrorStartupFailure \*/: return 1; case hipS", text
    )
    assert "PG1001" not in ids(code) and "PG1601" not in ids(code)
    assert ids("cudaError_t e = cudaErrorStartupFailure;\n") == ["PG1001"]
    assert "0x40" in made("bool b = r == CUFFT_NVRTC_FAILURE;\n")


def test_numbers_of_status_codes_differ() -> None:
    tables = mapping.load()
    rows = [
        row
        for family in ("errors", "fft", "solver", "nvrtc", "blas", "sparse", "rand")
        for row in tables.family(family)
        if row.kind is Kind.ENUM and row.status is Status.UNSUPPORTED
    ]
    assert len({number(row).split()[0] for row in rows}) == len(rows) > 100


def test_one_overload_of_both_error_enums_gives_way() -> None:
    code = (
        "#ifdef CUDA_DRIVER_API\nstatic const char *name(CUresult e) { return f(e); }\n#endif\n"
        "static const char *name(cudaError_t e) { return g(e); }\n"
    )
    text = made(code)
    assert "template <int = 0> static const char *name(hipError_t e) { return f(e); }" in text
    assert "\nstatic const char *name(hipError_t e) { return g(e); }" in text
    assert "template" not in made("int name(CUresult e) { return 1; }\n")


def test_guards_of_cudas_headers() -> None:
    assert "#ifdef HIPFFT_H_\n" in made("#ifdef _CUFFT_H_\n#endif\n")
    assert ids("#ifdef NVJPEGAPI\nnvjpegStatus_t s;\n#endif\n") == []
    assert ids("#ifdef NVJPEGAPI\n#else\nnvjpegStatus_t s;\n#endif\n") == ["PG1002"]


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("__global__ void k(int* p, int n) { p[0] = min(n, (int)blockDim.x); }\n", True),
        ("#include <cuda_runtime.h>\nfloat f(float a) { return min(a, 1.5f); }\n", True),
        ("__global__ void k(float* p) { p[0] = min(p[1], 1.5f); }\n", False),
        ("__host__ __device__ float f(float a) { return max(a, 1.5f); }\n", True),
        ("#include <cuda_runtime.h>\nfloat f(float a) { return std::min(a, 1.5f); }\n", False),
    ],
)
def test_min_and_max_on_the_host(code: str, needed: bool) -> None:
    assert ('#include "portgpu/hip_compat.h"' in made(code)) is needed


def test_functions_of_math_h_on_the_host() -> None:
    code = "#include <cuda_runtime.h>\n#include <cmath>\nfloat f(float a) { return pow(a, a); }\n"
    assert made(code).startswith("#include <math.h>\n")
    assert "math.h" not in made(code.replace("pow", "std::pow"))
    assert "math.h" not in made("#include <math.h>\n" + code)[len("#include <math.h>\n") :]


def test_operators_behind_directives(tmp_path: Path) -> None:
    """A template head must hold for each branch, and never stand before an include guard."""
    code = (
        "#ifndef H\n#define H\nfloat4 operator+(float4 a, float4 b) { return a; }\n"
        "template <class T>\n#ifdef __CUDACC__\n__host__ __device__\n#endif\n"
        "T min(T a, T b) { return a; }\n"
        "#ifdef __CUDACC__\n__host__ __device__\n#endif\n"
        "float3 operator-(float3 a, float3 b) { return a; }\n#endif\n__global__ void k();\n"
    )
    text = made(code)
    assert "#define H\n" in text and "\ntemplate <int...> float4 operator+" in text
    assert "#endif\nT min(T a, T b)" in text
    assert "template <int...>\n#ifdef __HIPCC__\n__host__ __device__\n#endif\nfloat3" in text
    assert text.count("template <int...>") == 2


SOLVER = (
    "#include <cusolverDn.h>\nvoid f(cusolverDnHandle_t h, double* a, int* i) {\n"
    "  const cublasFillMode_t uplo = CUBLAS_FILL_MODE_LOWER;\n"
    "  cusolverDnDpotrf(h, uplo, 3, a, 3, a, 1, i);\n"
    "  cusolverDnDpotrf(h, CUBLAS_FILL_MODE_UPPER, 3, a, 3, a, 1, i);\n}\n"
)


def test_enums_of_cublas_in_calls_of_cusolver() -> None:
    alone = made(SOLVER)
    assert "hipsolverFillMode_t uplo = HIPSOLVER_FILL_MODE_LOWER;" in alone
    assert "hipblas" not in alone and "hip_compat" not in alone
    mixed = made(SOLVER + "void g() { cublasDtrsm(h, CUBLAS_SIDE_LEFT, uplo, a); }\n")
    assert "hipblasFillMode_t uplo = HIPBLAS_FILL_MODE_LOWER;" in mixed
    assert "hipsolverDnDpotrf(h, pg_compat::solver_enum(uplo), 3" in mixed
    assert "hipsolverDnDpotrf(h, HIPSOLVER_FILL_MODE_UPPER, 3" in mixed
    assert "hipblasDtrsm(h, HIPBLAS_SIDE_LEFT, uplo, a)" in mixed
    assert '#include "portgpu/hip_compat_solver.h"' in mixed


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("cudaStreamWaitEvent(s, e);", "(void)hipStreamWaitEvent(s, e, 0);"),
        ("cudaStreamWaitEvent(s, e, f);", "(void)hipStreamWaitEvent(s, e, f);"),
        ("cudaEventCreate(&e);", "(void)hipEventCreate(&e);"),
        ("cudaEventCreate(&e, flags);", "(void)hipEventCreateWithFlags(&e, flags);"),
        ("cuCtxCreate(&c, 0, d);", "(void)pg_compat::ctx_create(&c, 0, d);"),
        ("l.type = cudaMemLocationTypeHost;", "l.type = pg_compat::mem_location_type_host;"),
        ("atomicInc_system(p, 3u);", "pg_compat::atomic_inc_system(p, 3u);"),
        ("puts(cusparseGetErrorString(s));", "puts(pg_compat::sparse_status_name(s));"),
        ("puts(cublasGetStatusString(s));", "puts(pg_compat::blas_status_name(s));"),
    ],
)
def test_forms_that_older_hip_lacks(code: str, expected: str) -> None:
    assert expected in out(f"void f() {{ {code} }}\n")


def test_cooperative_launch_without_shared_memory() -> None:
    text = out("void f() { cudaLaunchCooperativeKernel((void*)k, 1, 1, a); }\n")
    assert "hipLaunchCooperativeKernel((void*)k, 1, 1, a, 0, 0);" in text


def test_vector_types_are_no_structures() -> None:
    code = "struct double2;\n__global__ void k(double2* p);\nstruct float4 v;\n"
    assert out(code) == "\n__global__ void k(double2* p);\n float4 v;\n"
    assert "struct float4 {" in out("struct float4 { float x; };\n__global__ void k();\n")


def test_ptx_conversions_to_narrow_integers() -> None:
    code = (
        '__device__ int f(float v) { int r; asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(v));'
    )
    text = out(code + " return r; }\n")
    assert "pg_compat::clamp_to<signed char>(__float2int_rn((float)(v)))" in text
    assert "asm" not in text


def test_own_overloads_of_loads_and_stores() -> None:
    text = out(
        "__device__ T __ldcs(const T* p) { return *p; }\n"
        "__global__ void k(float* p, T* q) { p[0] = __ldcs(p + 1); *q = __ldcs(q + 1); }\n"
    )
    assert "__device__ T __ldcs(const T* p)" in text
    assert "p[0] = pg_compat::load_streaming(p + 1); *q = pg_compat::load_streaming(q + 1);" in text


def test_half_comes_with_cublas() -> None:
    code = "#include <cublas_v2.h>\nint main() { half* p; return sizeof(half); }\n"
    assert made(code).startswith('#include "portgpu/hip_compat_half.h"\n')
    assert "compat" not in made("#include <cublas_v2.h>\nint main() { float* p; }\n")


def test_nvtx_for_cpp() -> None:
    text = made('#include <nvtx3/nvtx3.hpp>\nint main() { nvtx3::scoped_range r{"a"}; }\n')
    assert text.startswith('#include "portgpu/hip_compat_nvtx3.h"\nint main() { nvtx3::scoped')


def test_ptx_on_halves_brings_its_header_on_the_cpu() -> None:
    code = '__device__ void f(unsigned& a) { asm("add.f16x2 %0, %0, %0;" : "+r"(a)); }\n'
    assert run(code, to="cpu").text.startswith(b"#include <cuda_fp16.h>\n")
    more = "#include <cuda_fp16.h>\n" + code
    assert run(more, to="cpu").text.count(b"cuda_fp16.h") == 1


def test_identity_of_libcudacxx() -> None:
    code = "#include <cuda/std/functional>\nauto f = ::cuda::std::identity{};\n"
    text = made(code)
    assert "pg_compat::identity{}" in text and "cuda::std" not in text


def test_calling_conventions_are_empty() -> None:
    code = "void CUDART_CB f(void* p); int CUDAAPI g(); void CUDA_CB h(); int CUDARTAPI i();\n"
    code += "struct A { static void CUDART_CB j(); }; void A::CUDART_CB j() {}\n"
    assert "void f(void*" in " ".join(out(code).split())
    assert not re.search("CUDA|PG_", out(code)) and ids(code) == []


@pytest.mark.parametrize("options", [{}, {"launches": "convert"}])
def test_launches_that_a_formatter_pulled_apart(options: dict[str, str]) -> None:
    code = "__global__ void k(int*);\n"
    code += "void f(int* p) { k << <1, (8 >> 1) >> > (p); k<<<1, 2>> >(p); }\n"
    text = run(code, **options).text.decode()
    if options:
        assert "hipLaunchKernelGGL(k, dim3(1), dim3((8 >> 1)), 0, 0, p);" in text
        assert "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, p);" in text
    else:
        assert "k <<<1, (8 >> 1) >>> (p); k<<<1, 2>>>(p);" in text
    assert out("ostream& operator<< <T>(ostream&, T); __global__ void k();\n").startswith(
        "ostream& operator<< <T>("
    )


def test_format_macros_at_a_literal() -> None:
    code = (
        '__global__ void k();\nvoid f(long v) { printf("%"PRId64"\\n", v); g("PRId64", "x"_s); }\n'
    )
    assert 'printf("%" PRId64"\\n", v); g("PRId64", "x"_s)' in out(code)
    code = '#define F "%d"\n__global__ void k();\nvoid f() { printf("F"F"\\n", 1); }\n'
    assert 'printf("F" F"\\n", 1);' in out(code)


def test_own_header_called_as_cudas(tmp_path: Path) -> None:
    (tmp_path / "cuda.h").write_text("void set();\n")
    (tmp_path / "cuda.cu").write_text('#include "cuda.h"\nvoid set() { cudaSetDevice(0); }\n')
    assert portgpu(["translate", str(tmp_path), "-o", str(tmp_path / "o"), "-q"]) == 0
    assert "#include <hip/hip_runtime.h>" in (tmp_path / "o" / "cuda.cu").read_text()


def test_numbered_registers_of_ptx() -> None:
    ptx = "{.reg .u32 r<2>; mov.u32 r1, 3; add.u32 %0, r1, %0;}"
    code = '__global__ void k(int a) { asm("' + ptx + '" : "+r"(a)); }\n'
    text = out(code)
    assert "unsigned pg_r0; unsigned pg_r1; pg_r1 = 3u;" in text and ids(code) == []


def test_headers_within_c_linkage() -> None:
    code = 'extern "C" {\n#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n}\n'
    assert made(code).startswith('#include <hip/hip_runtime.h>\nextern "C" {\n')
    outside = '#include <cuda_runtime.h>\nextern "C" {\n#include "c.h"\n}\n'
    assert made(outside).count("hip_runtime.h") == 1


@pytest.mark.rocm_compiler
def test_halves_on_the_host(tmp_path: Path) -> None:
    code = """#include <cuda_fp16.h>
template <class T> bool f(T a, T b) { return a == b || !(a < b) || a + b > a * b; }
template <class T> __host__ __device__ T twice(T a) { return a + a; }
__global__ void k(__half* p) { p[0] = p[1] + p[2]; if (p[0] != p[1]) p[0] += twice(p[1]); }
void sum(__half& a, __half b) { a += b; a *= b; a = b; }
bool g(__half a, __half b) { return f(a, b) && f(1.f, 2.f) && twice(a) == b; }
"""
    (tmp_path / "a.cu").write_text(code)
    assert portgpu(["translate", str(tmp_path), "-o", str(tmp_path / "o"), "-q"]) == 0
    compile_ok(["hipcc", "--offload-arch=gfx90a", "-fsyntax-only", str(tmp_path / "o" / "a.cu")])


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            'void* p; asm("cvta.shared.u64 %0, %1;" : "=l"(p) : "l"(q));',
            "p = (__typeof__(p))((unsigned long long)pg_compat::shared_pointer(",
        ),
        (
            'asm("st.global.u32 [%1], %0;" :: "r"(v) "l"(p) : "memory");',
            "*(unsigned*)(p) = (unsigned)(v)",
        ),
        (
            'asm("st.shared.u32 [%0], %1;" :: "r"((unsigned)__cvta_generic_to_shared(q)),'
            ' "r"(__shfl_sync(~0u, v, 3)));',
            "shared_pointer((unsigned)pg_compat::shared_address(q)) ="
            " (unsigned)(pg_compat::shfl_sync(~0u, v, 3))",
        ),
        (
            'asm("mov.u32 %0, %1;" : "=r"(v) : "r"(8 * (int)sizeof(__nv_bfloat16)));',
            "(unsigned)(8 * (int)sizeof(pg_compat::bfloat16))",
        ),
        (
            'asm("ldmatrix.sync.aligned.x2.m8n8.shared.trans.b16 {%0,%1}, [%2];"'
            ' : "=r"(a), "=r"(b) : "r"(s));',
            "pg_compat::ptx_ldmatrix<true>(pg_a1, (unsigned)(s)); a = pg_a1[0]; b = pg_a1[1];",
        ),
    ],
)
def test_ptx_as_nvcc_takes_it(code: str, expected: str) -> None:
    assert expected in out("__global__ void k(unsigned v) { " + code + " }\n")


def test_vector_types_for_nvcc_alone() -> None:
    code = "#ifdef __CUDACC__\ntypedef float2 pair;\n#else\nstruct pair { float x, y; };\n#endif\n"
    text = made(code, "a.h")
    assert text.startswith("#if defined(__HIPCC__)\n#include <hip/hip_runtime.h>\n#endif\n#if")
    assert "hip_runtime" not in made("#ifdef __CUDACC__\nint x;\n#endif\n", "a.h")


def test_fragments_of_tensor_cores() -> None:
    code = "#include <mma.h>\nusing namespace nvcuda;\n"
    code += "__global__ void k() { wmma::fill_fragment(f, 0); }\n"
    found = run(code)
    assert [(f.id, f.severity.value) for f in found.findings] == [("PG1003", "note")]
    assert found.text.startswith(b'#include "portgpu/hip_compat_mma.h"\nusing namespace nvcuda;')
    code = "#include <mma.h>\n__global__ void k() { nvcuda::wmma::bmma_sync(a, b, c, d); }\n"
    assert ids(code) == ["PG1003", "PG1203"]


def test_own_macros_called_min_and_max() -> None:
    code = "#include <cuda_runtime.h>\n#define max(x, y) ((x) < (y) ? (y) : (x))\n"
    code += "#define min(x, y) ((x) < (y) ? (x) : (y))\n"
    code += "float f(float x) { return min(max(x, 1), 2); }\n"
    assert "hip_compat" not in made(code)
    header = resources.templates("compat", "portgpu", "compat", "host_math.h").read_text()
    at = header.index("PG_COMPAT_MIN_MAX(unsigned, unsigned, unsigned)")
    assert header.index("#undef max") < at < header.index('pop_macro("max")')
