"""C sources: HIP's own names alone, since the compat header is C++."""

from __future__ import annotations

from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.headers.shadow import render_shadow
from tests.translate.helpers import ids, run
from tests.translate.test_compile import compile_ok

_C = """#include <cuda_runtime_api.h>
#include <stdio.h>
int main(void) {
  struct cudaDeviceProp p;
  void* q = 0;
  cudaStream_t s;
  cudaEvent_t e;
  if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return 1;
  printf("%s %d\\n", p.name, p.warpSize);
  cudaStreamCreate(&s);
  cudaEventCreate(&e);
  cudaMalloc(&q, 4);
  cudaMemcpyAsync(q, &p, 4, cudaMemcpyHostToDevice, s);
  return cudaStreamSynchronize(s) == cudaSuccess ? 0 : 1;
}
"""


@pytest.mark.rocm_compiler
def test_gcc_takes_them_by_both_routes(tmp_path: Path) -> None:
    source, out, shadow = tmp_path / "a.c", tmp_path / "hip" / "a.c", tmp_path / "shadow"
    source.write_text(_C)
    render_shadow("rocm", shadow)
    assert portgpu(["translate", str(source), "-o", str(out), "-q"]) == 0
    assert "compat" not in out.read_text()
    common = ["gcc", "-fsyntax-only", "-Werror", "-Wno-unused-result"]
    compile_ok([*common, "-D__HIP_PLATFORM_AMD__=1", str(out)])
    compile_ok([*common, f"@{shadow / 'portgpu-rocm-host.rsp'}", str(source)])


def test_a_warp_has_32_lanes_in_c_too() -> None:
    text = run(_C, "a.c").text.decode()
    assert 'printf("%s %d\\n", p.name, 32);' in text
    assert "p.warpSize" in run(_C, "a.c", warp="native").text.decode()
    asked = "int f(int* v) { return cudaDeviceGetAttribute(v, cudaDevAttrWarpSize, 0); }"
    assert ids(asked, "a.c") == ["PG1003"]
    assert ids(asked, "a.cpp") == []
    kernel = "__global__ void k(int* p) { *p = warpSize; }\n"
    assert "compat" in run(kernel + _C, "a.c").text.decode()  # nvcc -x cu a.c


def test_what_needs_the_header_says_so() -> None:
    found = run("void f(void* p) { cudaMemPrefetchAsync(p, 4, 0, 0); }", "a.c").findings
    assert [f.id for f in found] == ["PG1003"] and "compile the file as C++" in found[0].hint
