"""Occupancy of AMD GPUs by registers against what LLVM writes into its assembly."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu.binary import Kernel, occupancy
from portgpu.toolchain.archs import lookup

REGISTERS = (1, 24, 25, 32, 33, 48, 64, 65, 72, 84, 96, 97, 128, 129, 168, 192, 200, 255)
# LLVM's table of gfx11 had 1024 registers before version 17, and gfx942 came then.
CASES = [("gfx90a", 64, 14), ("gfx942", 64, 17), ("gfx1030", 32, 14), ("gfx1030", 64, 14),
         ("gfx1100", 32, 17), ("gfx1100", 64, 17)]  # fmt: skip


def clang(least: int) -> str:
    for version in range(22, least - 1, -1):
        found = shutil.which(f"clang-{version}")
        if found:
            return found
    return ""


@pytest.mark.rocm_compiler
@pytest.mark.parametrize(("name", "wave", "least"), CASES)
def test_waves_agree_with_llvm(name: str, wave: int, least: int, tmp_path: Path) -> None:
    compiler = clang(least)
    if not compiler:
        pytest.skip(f"no clang {least} or later")
    kernels = "\n".join(
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k"
        f'{count}(__global int* p) {{ __asm__ volatile("" ::: "v{count - 1}"); p[0] = 1; }}'
        for count in REGISTERS
    )
    (tmp_path / "k.cl").write_text(kernels)
    command = [compiler, "-target", "amdgcn-amd-amdhsa", f"-mcpu={name}", "-nogpulib", "-S", "-x",
               "cl", "k.cl", "-o", "k.s"]  # fmt: skip
    if name.startswith("gfx1"):
        command.append("-mwavefrontsize64" if wave == 64 else "-mno-wavefrontsize64")
    subprocess.run(command, check=True, cwd=tmp_path)
    text = (tmp_path / "k.s").read_text()
    used = [int(n) for n in re.findall(r"; NumVgprs: (\d+)", text)]
    waves = [int(n) for n in re.findall(r"; Occupancy: (\d+)", text)]
    assert len(used) == len(waves) == len(REGISTERS)
    arch = lookup(name)
    assert arch is not None
    for registers, expected in zip(used, waves, strict=True):
        # One wave a block, so that only registers count.
        found = occupancy.of(Kernel("k", name, registers, wave=wave), wave)
        assert found is not None
        assert found.warps / arch.limits["simds"] == expected, registers
