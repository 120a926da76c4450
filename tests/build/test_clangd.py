"""The original CUDA sources in clangd, by the compile_commands.json of a build."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu.cli import run

SOURCE = """#include <cuda_runtime.h>
#include "sum.cuh"
__global__ void __launch_bounds__(256, 4) k(float* x) { x[0] = warp_sum(x[threadIdx.x]); }
void f(float* x) { cudaMemset(x, 0, 4); k<<<1, 32>>>(x); }
"""
HEADER = """#pragma once
__device__ inline float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
"""
PROJECT = """[project]
name = "ed"
sources = ["src/*.cu"]
[target.rocm]
archs = ["gfx90a"]
"""


def clangd() -> str:
    names = ("clangd", *(f"clangd-{version}" for version in range(22, 13, -1)))
    return next((found for name in names if (found := shutil.which(name))), "")


@pytest.mark.rocm_compiler
@pytest.mark.skipif(not clangd(), reason="clangd is not installed")
@pytest.mark.parametrize("broken", [False, True], ids=["right", "broken"])
def test_clangd_understands_cuda_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cu").write_text(SOURCE + ("int x = no_such_name;\n" if broken else ""))
    (tmp_path / "src" / "sum.cuh").write_text(HEADER)
    (tmp_path / "portgpu.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    assert run(["build", "--target", "rocm", "--configure-only", "-q"]) == 0
    command = [clangd(), "--check=src/a.cu", "--compile-commands-dir=build"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode == 0) is not broken, done.stderr[-2000:]
    assert ("no_such_name" in done.stderr) is broken
