"""Every example of the reference compiles for every target, without warnings."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu.headers import dialect_reference

from .conftest import compiler, run

TARGETS = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.cuda_compiler),
    pytest.param("rocm", marks=pytest.mark.rocm_compiler),
    pytest.param("reverse", marks=pytest.mark.cuda_compiler),
]


@pytest.mark.parametrize("target", TARGETS)
def test_examples(target: str, include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "examples.cu"
    source.write_text(dialect_reference.examples())
    run([*compiler(target, include), str(source), "-o", str(tmp_path / "examples.o")])


@pytest.mark.parametrize(
    "target",
    [
        "cpu",
        pytest.param("cuda", marks=[pytest.mark.cuda_compiler, pytest.mark.slow]),
        pytest.param("rocm", marks=pytest.mark.rocm_compiler),
        pytest.param("reverse", marks=[pytest.mark.cuda_compiler, pytest.mark.slow]),
    ],
)
def test_library_seams(target: str, include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "libraries.cu"
    source.write_text(dialect_reference.examples(libraries=True))
    run([*compiler(target, include), str(source), "-o", str(tmp_path / "libraries.o")])


@pytest.mark.skipif(shutil.which("clang++-19") is None, reason="no clang++-19 here")
def test_examples_with_clang(include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "examples.cu"
    source.write_text(dialect_reference.examples())
    command = ["clang++-19", *compiler("cpu", include)[1:], str(source)]
    run([*command, "-o", str(tmp_path / "examples.o")])


WIDE = '#include "portgpu.h"\n__global__ void k(float* x) { *x = pg::warp_sum<64>(*x); }\n'


@pytest.mark.cuda_compiler
def test_a_width_above_the_warp_is_an_error(include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "wide.cu"
    source.write_text(WIDE)
    command = [*compiler("cuda", include), str(source), "-o", str(tmp_path / "wide.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "exceeds NVIDIA's warp of 32 lanes" in done.stderr


@pytest.mark.rocm_compiler
def test_a_width_of_64_on_a_wave_of_32(include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "wide.cu"
    source.write_text(WIDE)
    for arch, good in (("gfx90a", True), ("gfx1030", False)):
        flags = [
            f"--offload-arch={arch}" if a == "--offload-arch=gfx90a" else a
            for a in compiler("rocm", include)
        ]
        command = [*flags, str(source), "-o", str(tmp_path / "wide.o")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == good, done.stderr
        assert good or "exceeds the wave of this architecture" in done.stderr


def test_a_width_that_is_no_power_of_two(include: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "odd.cu"
    source.write_text('#include "portgpu.h"\nvoid k(float* x) { *x = pg::warp_sum<12>(*x); }\n')
    command = [*compiler("cpu", include), str(source), "-o", str(tmp_path / "odd.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "power of two up to 64" in done.stderr


def test_library_functions_run(tmp_path: Path) -> None:
    """The functions of pg/libraries.h, on the CPU target."""
    from portgpu import run as execution
    from portgpu.run.model import Program

    source = Path(__file__).parent / "libraries.cu"
    program = Program(sources=(source,), build_dir=tmp_path, flags=("-O0", "-Wall", "-Wextra"))
    built = execution.find("cpu").build(program)
    done = subprocess.run([built.executable.resolve()], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "PASS\n"), done.stdout
