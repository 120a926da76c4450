"""An installed wheel, far from the checkout, with compilers that pip brought."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_wheel_builds_with_pips_nvcc_cmake_and_ninja(tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"

    def call(*words: str | Path, **more: str) -> str:
        env = {"HOME": str(tmp_path), "PATH": f"{tmp_path / 'tools'}", **more}
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    everything = dict(os.environ)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    call(python, "-m", "pip", "install", "-q", f"{ROOT}[build,cuda]", **everything)
    # A machine with a C++ compiler and nothing else.
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "g++", "c++", "as", "ld", "sh", "env"):
        found = subprocess.run(["which", name], capture_output=True, text=True).stdout.strip()
        (tools / name).symlink_to(found)
    assert "pip packages of this Python" in call(
        python, "-m", "portgpu", "doctor", "--check", "cuda"
    )
    (tmp_path / "k.cu").write_text(
        '#include "portgpu.h"\n#include <cuda/std/cstdint>\n#include <cuda_fp16.h>\n'
        "__global__ void k(float* p) { p[threadIdx.x] = pg::block_sum<64>(p[threadIdx.x]); }\n"
    )
    (tmp_path / "portgpu.toml").write_text('[project]\nname = "w"\nsources = ["k.cu"]\n')
    said = call(python, "-m", "portgpu", "build", "-t", "cuda", "-a", "sm_80,sm_90a")
    assert "sm_80, sm_90a" in said
    # Without a configuration the op library is meant, also here.
    (tmp_path / "portgpu.toml").unlink()
    call(python, "-m", "portgpu", "build", "-t", "cpu", "--configure-only")
    assert "softmax.cu" in (tmp_path / "build/cpu/project/CMakeLists.txt").read_text()
