"""Rendered headers, once a session, and compilers that write into a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from portgpu import headers

Compile = Callable[[str, list[str]], subprocess.CompletedProcess[str]]
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def include(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folder of the rendered headers of each target, and of the reverse headers."""
    root = tmp_path_factory.mktemp("include")
    for target in ("cuda", "rocm", "cpu"):
        headers.render(target, root / target)
    headers.render_reverse(root / "reverse")
    return {name: root / name for name in ("cuda", "rocm", "cpu", "reverse")}


@pytest.fixture(scope="session")
def runtime(include: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The emulator's object file, position-independent."""
    out = tmp_path_factory.mktemp("runtime") / "pgcpu.o"
    source = include["cpu"] / "src" / "pgcpu.cpp"
    run(
        [
            "g++",
            "-std=c++17",
            "-O2",
            "-fPIC",
            f"-I{include['cpu']}",
            "-c",
            str(source),
            "-o",
            str(out),
        ]
    )
    return out


def run(command: list[str], **variables: str) -> str:
    """Standard output of a command; its whole output is the failure."""
    env = {**os.environ, **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def compiler(target: str, include: dict[str, Path]) -> list[str]:
    """The command that compiles a source to an object for "cpu", "cuda", "rocm" or "reverse"."""
    warnings = ["-Wall", "-Wextra", "-Werror"]
    if target == "cpu":
        return ["g++", "-std=c++17", "-O0", *warnings, f"-I{include['cpu']}", "-x", "c++", "-c"]
    if target == "rocm":
        return [
            *("env", "HIP_PLATFORM=amd", f"HIP_CLANG_PATH={_llvm15()}", "hipcc", "-std=c++17"),
            *("--offload-arch=gfx90a", *warnings, f"-I{include['rocm']}", "-x", "hip", "-c"),
        ]
    folders = ["cuda"] if target == "cuda" else ["rocm", "reverse"]
    flags = ["nvcc", "-std=c++17", "-arch=sm_80", "-Werror", "all-warnings"]
    return [*flags, *(f"-I{include[name]}" for name in folders), "-c"]


def _llvm15() -> str:
    """Debian's hipcc belongs to LLVM 15; elsewhere hipcc knows its own clang."""
    known = os.environ.get("HIP_CLANG_PATH")
    folder = Path("/usr/lib/llvm-15/bin")
    if known or folder.is_dir():
        return known or str(folder)
    return str(Path(shutil.which("clang") or "/opt/rocm/llvm/bin/clang").parent)
