"""Device code of every op compiles against the headers of HIP 7.1, for CDNA 3 and RDNA 3."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from portgpu import headers, resources
from portgpu.cli import run as portgpu

KERNELS = sorted(path.name for path in resources.kernels().glob("*.cu"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels as `portgpu translate` makes them, and the dialect's headers beside them."""
    folder = tmp_path_factory.mktemp("hip")
    assert portgpu(["translate", str(resources.kernels()), "-o", str(folder), "-q"]) == 0
    headers.render("rocm", folder / "dialect")
    return folder


@pytest.mark.parametrize("name", KERNELS)
def test_compiles(name: str, sources: Path, newer_hip: tuple[str, Path]) -> None:
    clang, include = newer_hip
    for arch in ("gfx942", "gfx1100"):
        command = [
            clang, "-x", "hip", "--offload-device-only", f"--offload-arch={arch}", "-nogpulib",
            "-std=c++17", "-fsyntax-only", "-Wall", "-isystem", str(include),
            f"-I{sources / 'dialect'}", f"-I{sources}", str(sources / name),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, f"{' '.join(command)}\n{done.stderr}"
