"""Which libraries a toolchain has, and what is said about one that a compiler did not find."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from portgpu.cli import run as portgpu
from portgpu.toolchain import libraries
from portgpu.toolchain.model import Toolchain


@pytest.mark.parametrize(
    ("transcript", "words"),
    [
        ("a.hip:1:10: fatal error: 'hipblas/hipblas.h' file not found", "hipBLAS hipblas-dev AMD"),
        ("fatal error: 'hipsparse.h' file not found", "hipSPARSE libhipsparse-dev Debian"),
        ("fatal error: 'thrust/sort.h' file not found", "rocThrust rocthrust-dev"),
        (
            "a.cu:1:10: fatal error: thrust/sort.h: No such file or directory",
            "CUB Thrust cuda-cccl",
        ),
        ("fatal error: cublas_v2.h: No such file or directory", "cuBLAS nvidia-cublas NVIDIA"),
        ('catastrophic error: cannot open source file "curand_kernel.h"', "cuRAND nvidia-curand"),
        ("(.text+0x17): undefined reference to `main'", "main() portgpu build"),
        ("ld.lld: error: undefined symbol: main", "main() portgpu build"),
        ("fatal error: mine.h: No such file or directory", ""),
        ("fatal error: 'cuda_runtime.h' file not found", ""),
        ("undefined reference to `mainloop'", ""),
        ("'x' was not declared", ""),
    ],
)
def test_advice(transcript: str, words: str) -> None:
    found = libraries.advice(transcript)
    assert bool(found) == bool(words)
    for word in words.split():
        assert word in found


def test_every_library_has_a_package_and_is_found_by_its_header() -> None:
    for library in libraries.LIBRARIES:
        assert library.package
        told = libraries.advice(f"fatal error: '{library.header}' file not found")
        assert library.title in told or library.kind == "cuda", library
        told = libraries.advice(f"error: {library.header}: No such file or directory")
        assert library.title in told or "Thrust" in library.title, library


def test_libraries_of_a_toolchain(tmp_path: Path) -> None:
    known = {f.name: "" for f in dataclasses.fields(Toolchain)}
    for header in ("hipblas/hipblas.h", "rocrand/rocrand.h"):
        (tmp_path / "include" / header).parent.mkdir(parents=True)
        (tmp_path / "include" / header).touch()
    values = {**known, "kind": "rocm", "root": tmp_path, "compile_flags": ()}
    present, absent = libraries.here(Toolchain(**values))  # type: ignore[arg-type]
    assert present == ["hipBLAS", "rocRAND"] and "hipFFT" in absent and "cuBLAS" not in absent


def test_a_program_without_main_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cu").write_text("__global__ void k() {}\nvoid g() { k<<<1, 1>>>(); }\n")
    assert portgpu(["run", "a.cu"]) == 5
    assert "  next: no source has a main()" in capfd.readouterr().err
