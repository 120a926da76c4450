"""Programs of these tests are built once a session, through the same code as `portgpu run`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from portgpu.run import find
from portgpu.run.model import Built, Program

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Exe:
    """An executable of the CPU target; environment variables are keyword arguments of `run`."""

    built: Built
    cwd: Path

    def run(self, *args: str, **env: str) -> Ran:
        done = subprocess.run(
            [str(self.built.executable), *args],
            env={**_clean(), **self.built.env, **env},
            cwd=self.cwd,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


def _clean() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("PORTGPU_")}


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Exe]:
    """build("bugs/all.cu", race=True) compiles a program of this folder for the CPU target."""
    folder = tmp_path_factory.mktemp("cpu-run")

    def make(name: str, **options: object) -> Exe:
        source = HERE / name
        program = Program(sources=(source,), build_dir=folder, **options)  # type: ignore[arg-type]
        built = find("cpu").build(program)
        return Exe(Built(built.executable.resolve(), built.env, built.cached), source.parent)

    return make
