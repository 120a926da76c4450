"""Notes on what compiles and means something else, and the alignment of dynamic shared memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .helpers import ids, out
from .helpers import run as translated
from .test_other_numbers import COMPAT, device_code


def device(body: str) -> str:
    return f"__global__ void k(unsigned* p, int n, int* lock) {{ {body} }}\n"


def host(body: str) -> str:
    return f"#include <cuda_runtime.h>\nvoid f() {{ {body} }}\n"


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        (device("p[0] = (1u << n) - 1;"), "PG1813"),
        (device("p[0] = (1 << n) - 1u;"), "PG1813"),
        (device("p[0] = 0xffffffffu >> (32 - n);"), "PG1813"),
        (device("p[0] = p[1] << (64 - n);"), "PG1813"),
        (device("while (atomicCAS(lock, 0, 1) != 0); ++p[0]; atomicExch(lock, 0);"), "PG1814"),
        (device("while (atomicCAS(lock, 0, 1)) {} ++p[0]; atomicExch(lock, 0);"), "PG1814"),
        (host("k<<<1, 1>>>(); cudaDeviceSynchronize(); check(cudaGetLastError());"), "PG1003"),
        (host("int v; cudaRuntimeGetVersion(&v); if (v >= 11000) g();"), "PG1003"),
        (host("cudaDeviceProp q; cudaGetDeviceProperties(&q, 0); if (q.major > 7) g();"), "PG1003"),
        ("#include <curand_kernel.h>\n__device__ void f(curandState* s)"
         " { curand_init(1, 2, 3, s); }\n", "PG1003"),
    ],
)  # fmt: skip
def test_told_as_a_note(code: str, finding: str) -> None:
    found = [f for f in translated(code).findings if f.id == finding]
    assert [str(f.severity.value) for f in found] == ["note"]


@pytest.mark.parametrize(
    "code",
    [
        device("p[0] = 1u << n;"),
        device("p[0] = (1u << (threadIdx.x % 32)) - 1; p[1] = (1u << lane) - 1;"),
        device("p[0] = (1 << BITS) - 1; p[1] = (1 << kBits) - 1; p[2] = (1 << 5) - 1;"),
        device("p[0] = p[1] << n | p[1] >> (32 - n);"),
        device("p[0] = (p[1] >> n) | (p[1] << (32 - n));"),
        device("if (threadIdx.x == 0) { while (atomicCAS(lock, 0, 1)) {} }"),
        device("if (threadIdx.x == 0) while (atomicCAS(lock, 0, 1) != 0);"),
        device("bool d = false; while (!d) if (atomicCAS(lock, 0, 1) == 0) d = true;"),
        host("unsigned m = (1u << n) - 1;"),
        host("k<<<1, 1>>>(); check(cudaGetLastError()); check(cudaDeviceSynchronize());"),
        host("check(cudaMalloc(&p, 4)); check(cudaGetLastError());"),
        host("int major = 8; if (v.major >= 8) g();"),
    ],
)
def test_common_code_is_not_told(code: str) -> None:
    assert not [x for x in ids(code) if x in ("PG1003", "PG1813", "PG1814")]


def test_each_kind_is_told_once() -> None:
    code = device("p[0] = (1u << n) - 1; p[1] = (1u << n) - 1; p[2] = ~0u >> (32 - n);")
    assert ids(code).count("PG1813") == 1


@pytest.mark.parametrize(
    ("code", "aligned"),
    [
        ("__shared__ bool b; extern __shared__ char s[];", True),
        ("__shared__ int n; extern __shared__ float s[];", True),
        ("extern float __shared__ s[]; __shared__ int n;", True),
        ("extern __shared__ float s[];", False),  # alone, so at the start
        ("__shared__ int n; extern __shared__ float4 s[];", False),
        ("__shared__ int n; extern __shared__ __align__(32) char s[];", False),
        ("__shared__ int n; extern __shared__ alignas(8) char s[];", False),
    ],
)
def test_dynamic_shared_memory_is_aligned_as_by_nvcc(code: str, aligned: bool) -> None:
    assert ("aligned(16)" in out(device(code))) == aligned


@pytest.mark.rocm_compiler
def test_alignment_of_dynamic_shared_memory(tmp_path: Path) -> None:
    """What AMD's compiler has of it: the linker puts it behind the static variables by this."""
    source = tmp_path / "shared.cu"
    code = device("__shared__ char c; extern __shared__ char s[]; c = s[n]; p[0] = c;")
    alignments = []
    for text in (code, translated(code).text.decode()):
        source.write_text("#include <hip/hip_runtime.h>\n" + text)
        found = re.search(r"\[0 x i8\], align (\d+)", device_code(source, tmp_path, COMPAT))
        alignments.append(found[1] if found else "none")
    assert alignments == ["1", "16"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("int x; if (n == 0) x = atomicAdd(lock, 1); x = broadcast(x); p[0] = x;", True),
        ("int x, y; if (n == 0) { x = 1; } x = ns::hand_on<int>(x, 0); p[0] = x;", True),
        ("int x = 0; if (n == 0) x = atomicAdd(lock, 1); x = broadcast(x); p[0] = x;", False),
        ("int x; if (n == 0) x = 1; else x = 2; x = broadcast(x); p[0] = x;", False),
        ("int x; if (n == 0) x = 1; x = __shfl_sync(~0u, x, 0); p[0] = x;", False),
        ("int x; if (n == 0) x = 1; x = tile.shfl(x, 0); p[0] = x;", False),
        ("int x; x = 3; if (n == 0) x = 1; x = broadcast(x); p[0] = x;", False),
    ],
)
def test_values_that_some_lanes_set_and_functions_hand_on(body: str, told: bool) -> None:
    assert ids(device(body)).count("PG1815") == told
