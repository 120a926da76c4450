"""Translated programs compile: HIP 5.2 by hipcc, and device code of newer HIP headers by clang.

Each program of `programs/` becomes one part of a single translation unit, so that the compiler
reads the headers once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu

PROGRAMS = Path(__file__).parent / "programs"
_HALF = re.compile(r"hip_compat_(?:half|bf16|fp8)")
# Programs call constexpr functions of the standard library on devices.
_NVCC = ("-arch=sm_80", "-std=c++17", "--expt-relaxed-constexpr")
# Names that several programs use; each part gets its own.
_SHARED_NAMES = ("main", "work", "more")


def unit(sources: list[Path], target: Path) -> Path:
    """One source that includes all programs, with their common names told apart."""
    lines = []
    for source in sources:
        lines += [f"#define {name} {name}_{source.stem}" for name in _SHARED_NAMES]
        lines.append(f'#include "{source}"')
        lines += [f"#undef {name}" for name in _SHARED_NAMES]
    target.write_text("\n".join([*lines, "int main() { return 0; }", ""]))
    return target


def compile_ok(command: list[str]) -> None:
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    errors = [line for line in done.stderr.splitlines() if re.search(r"error|fatal", line)]
    assert done.returncode == 0, "\n".join([" ".join(command), *errors[:20]])


def translated(tmp_path: Path, *options: str) -> list[Path]:
    target = tmp_path / "translated"
    assert portgpu(["translate", str(PROGRAMS), "-o", str(target), "-q", *options]) == 0
    return sorted(target.glob("*.cu"))


def test_programs_are_clean_cuda() -> None:
    """Forty programs at least, each with a line that says what it is about."""
    sources = sorted(PROGRAMS.glob("*.cu"))
    assert len(sources) >= 40
    assert all(p.read_text().startswith("// ") for p in sources)


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("options", [(), ("--launches", "convert")])
def test_hipcc_takes_them(tmp_path: Path, options: tuple[str, ...]) -> None:
    source = unit(translated(tmp_path, *options), tmp_path / "all.hip")
    hipcc = shutil.which("hipcc")
    assert hipcc is not None
    compile_ok([hipcc, "--offload-arch=gfx90a", "-std=c++17", "-fsyntax-only", str(source)])


@pytest.mark.slow
@pytest.mark.rocm_compiler
@pytest.mark.parametrize("arch", ["gfx90a", "gfx1030"])
def test_hipcc_makes_objects(tmp_path: Path, arch: str) -> None:
    """Code generation and device linking too: missing device functions show only there."""
    source = unit(translated(tmp_path), tmp_path / "all.hip")
    hipcc = shutil.which("hipcc")
    assert hipcc is not None
    compile_ok(
        [
            hipcc,
            f"--offload-arch={arch}",
            "-std=c++17",
            "-O1",
            "-c",
            str(source),
            "-o",
            str(tmp_path / "o"),
        ]
    )


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
def test_newer_headers(tmp_path: Path, arch: str, newer_hip: tuple[str, Path]) -> None:
    clang, include = newer_hip
    sources = translated(tmp_path)
    if not Path(include, "hip", "hip_fp16.h").exists():
        sources = [s for s in sources if not _HALF.search(s.read_text())]
    source = unit(sources, tmp_path / "all.hip")
    dependencies = tmp_path / "deps"
    compile_ok(
        [clang, "-x", "hip", "--offload-device-only", f"--offload-arch={arch}", "-nogpulib", "-S",
         "-isystem", str(include), "-MD", "-MF", str(dependencies), str(source),
         "-o", str(tmp_path / "s")]
    )  # fmt: skip
    hip = {p for p in dependencies.read_text().split() if "/hip/" in p and "hip_compat" not in p}
    assert all(p.startswith((str(include), str(tmp_path))) for p in hip), hip


@pytest.mark.slow
@pytest.mark.cuda_compiler
def test_nvcc_takes_the_originals_and_the_way_back(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    assert nvcc is not None
    source = unit(sorted(PROGRAMS.glob("*.cu")), tmp_path / "all.cu")
    compile_ok([nvcc, *_NVCC, "-c", str(source), "-o", str(tmp_path / "a.o")])
    there = tmp_path / "translated"
    translated(tmp_path, "--launches", "convert")
    back = tmp_path / "cuda"
    # What PTX on halves and matrices became is for AMD alone, and said to be.
    words = ["translate", str(there), "--to", "cuda", "-q", "-o"]
    assert portgpu([*words, str(tmp_path / "all")]) == 1
    for name in ("ptx_half.cu", "ptx_matrix.cu"):
        (there / name).unlink()
    assert portgpu([*words, str(back)]) == 0
    source = unit(sorted(back.glob("*.cu")), tmp_path / "back.cu")
    compile_ok([nvcc, *_NVCC, "-c", str(source), "-o", str(tmp_path / "b.o")])


@pytest.mark.rocm_compiler
def test_our_header_warns_of_nothing(tmp_path: Path) -> None:
    """A user's -Wall -Wextra shows the user's own lines alone."""
    there = tmp_path / "translated"
    translated(tmp_path)
    parts = sorted(p.name for p in (there / "portgpu").glob("hip_compat*.h"))
    assert "hip_compat.h" in parts
    # Those of libraries need the libraries' headers, which a plain HIP installation has not.
    parts = [p for p in parts if not re.search(r"blas|sparse|solver|cub|nvtx|thrust", p)]
    source = there / "all.hip"
    source.write_text("".join(f'#include "portgpu/{p}"\n' for p in parts) + "int main() {}\n")
    hipcc = shutil.which("hipcc")
    assert hipcc is not None
    command = [hipcc, "--offload-arch=gfx90a", "-Wall", "-Wextra", "-fsyntax-only", str(source)]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    warned = [line for line in done.stderr.splitlines() if "compat" in line and "warning" in line]
    assert done.returncode == 0 and not warned, done.stderr
