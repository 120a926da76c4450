"""The generated C header: usable from C99, C++ and a program that runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from portgpu import resources
from portgpu.ops import header, registry

EXAMPLE = resources.kernels("examples", "softmax.c")


@pytest.fixture
def include(tmp_path: Path) -> Path:
    assert header.main([str(tmp_path / "portgpu_ops.h")]) == 0
    shutil.copy(resources.kernels("pg_ops_abi.h"), tmp_path)
    return tmp_path


@pytest.mark.parametrize(("compiler", "standard"), [("cc", "c99"), ("cc", "c17"), ("c++", "c++17")])
def test_header_compiles(include: Path, compiler: str, standard: str) -> None:
    language = "c++" if compiler == "c++" else "c"
    source = include / "use.txt"
    source.write_text('#include "portgpu_ops.h"\n#include "portgpu_ops.h"\n')
    subprocess.run(
        [compiler, f"-std={standard}", "-x", language, "-pedantic", "-Wall", "-Wextra", "-Werror",
         "-fsyntax-only", f"-I{include}", str(source)],
        check=True,
    )  # fmt: skip


def test_example_runs(include: Path, cpu_library: Path) -> None:
    program = include / "example"
    subprocess.run(
        ["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{include}",
         str(EXAMPLE), "-o", str(program), str(cpu_library), "-lm"],
        check=True,
    )  # fmt: skip
    env = {**os.environ, "LD_LIBRARY_PATH": str(cpu_library.parent)}
    for width in ("32", "64"):
        done = subprocess.run(
            [str(program)], env={**env, "PORTGPU_WARP_SIZE": width},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        first, second = done.stdout.splitlines()
        assert first == "cpu 6 15 0.090031"
        assert "axis 5" in second


def test_prototypes_follow_the_registry() -> None:
    text = header.render()
    for op in registry.load():
        assert f"PG_API int pg_{op.name}(" in text
        assert (f"pg_{op.name}_workspace(" in text) == op.workspace
