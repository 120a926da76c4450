"""A tiny op library in C, so that tests of the runner depend on no kernel."""

from __future__ import annotations

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
