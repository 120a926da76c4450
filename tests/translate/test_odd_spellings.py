"""CUDA names where one does not look for them."""

from __future__ import annotations

import pytest

from .helpers import ids, out


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("#define H <cuda_bf16.h>\n#include H\n", '#define H "portgpu/hip_compat_bf16.h"'),
        ("#define H <cuda_runtime.h>\n", "#define H <hip/hip_runtime.h>"),
        ('#define H "cuda_runtime.h"\n#include H\n', "#define H <hip/hip_runtime.h>"),
        ('const char* a = X;\n#define X "cuda_runtime.h"\n', '#define X "cuda_runtime.h"'),
        ("#if __has_include(<cub/cub.cuh>)\n#endif\n", "__has_include(<hipcub/hipcub.hpp>)"),
        ('#if __has_include("cuda_fp16.h")\n#endif\n', 'include("portgpu/hip_compat_half.h")'),
        ("#if __has_include(<mine.h>)\n#endif\nint a;\n", "__has_include(<mine.h>)"),
    ],
)
def test_headers_named_elsewhere(code: str, expected: str) -> None:
    assert expected in out(code)


def test_headers_that_amd_lacks() -> None:
    """An include is an error; whether it is there has its answer."""
    assert ids("#define H <nvml.h>\n#include H\n") == ["PG1701"]
    assert ids("#if __has_include(<nvml.h>)\n#endif\n") == []


def test_operands_of_ptx_are_translated() -> None:
    """They are code: warp functions and namespaces mean what they do elsewhere."""
    code = """__device__ void f(void* p, int v, unsigned* o) {
  asm("add.u32 %0, %1, %2;" : "=r"(o[warpSize]) : "r"(__shfl_sync(~0u, v, 0)), "r"(::__ldg(o)));
  asm("add.u32 %0, %1, %2;" : "=r"(v) : "r"(cuda::std::min(v, 2)), "r"(warpSize));
  asm volatile("" : "+r"(o[warpSize]));
}
"""
    text = out(code)
    assert "o[pg_compat::warp_size] = (unsigned)(pg_compat::shfl_sync(~0u, v, 0))" in text
    assert "(::pg_compat::ldg(o))" in text and "(std::min(v, 2))" in text
    assert "warpSize" not in text and "asm" not in text
