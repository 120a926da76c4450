"""A tiny op library in C, so that tests of the runner depend on no kernel."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from portgpu import resources

FAKE = Path(__file__).parent / "fake"


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compiles fake_ops.c with definitions like FAKE_DEVICES=0; the same ones once only."""
    folder = tmp_path_factory.mktemp("fake")
    made: dict[tuple[str, ...], Path] = {}

    def make(*defines: str, target: str = "cpu") -> Path:
        key = (target, *defines)
        if key not in made:
            path = folder / f"{len(made)}" / f"libportgpu_ops_{target}.so"
            path.parent.mkdir()
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-std=gnu11"]
                + [f"-DFAKE_{d}" for d in defines]
                + [f'-DFAKE_TARGET="{target}"', f"-I{resources.kernels()}", "-o", str(path)]
                + [str(FAKE / "fake_ops.c"), "-lm"],
                check=True,
            )
            made[key] = path
        return made[key]

    return make


@pytest.fixture(scope="session")
def fake_registry() -> Path:
    return FAKE / "registry.toml"


# The sources that the tests of the Python and C interfaces need, built once and kept up to date.
SOURCES = (
    "core.cu", "memory.cu", "graph.cu", "seam.cu", "blas_seam.cu", "binary_arith.cu", "cast.cu",
    "concatenate.cu", "copy.cu", "fft.cu", "fill.cu", "gather.cu", "logistic.cu", "matmul*.cu",
    "random.cu", "reduce_sum.cu", "softmax.cu", "unary_exp.cu", "where.cu",
)  # fmt: skip


@pytest.fixture(scope="session")
def cpu_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Part of the op library for the CPU; in build/test-ops, where a second run is quick."""
    from portgpu import build, config
    from portgpu.build import binding
    from portgpu.build.model import Request

    root = resources.kernels().resolve()
    folder = root.parent / "build" / "test-ops"
    if not os.access(root.parent, os.W_OK):
        folder = tmp_path_factory.mktemp("build")
    project = config.Project(name="portgpu_ops", sources=SOURCES)
    settings = config.Config(root=root, project=project)
    request = Request(config=settings, build_dir=folder, targets=("cpu",), quiet=True)
    library = build.build(request)[0].library
    assert binding.build(library) is not None, "Python's headers and a C compiler are needed"
    return library
