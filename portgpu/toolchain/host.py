"""Finds the host's C++ compiler, CMake and Ninja."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from portgpu import process
from portgpu.errors import PortgpuError, ToolchainError
from portgpu.toolchain.model import (
    UNSET_VALUES,
    Candidate,
    Options,
    Toolchain,
    choose,
    facts,
    version_numbers,
)

_PROBE = b"""
#if defined(__clang_version__)
PORTGPU clang __clang_major__ __clang_minor__ __cplusplus
#elif defined(__GNUC__)
PORTGPU gcc __GNUC__ __GNUC_MINOR__ __cplusplus
#endif
#include <tuple>
"""


def find_host(options: Options | None = None) -> Toolchain:
    """The C++17 compiler of the cpu target; raises `ToolchainError` with what was looked at."""
    return choose("host", list(candidates(options or Options(), first_only=True)))


def candidates(options: Options, *, first_only: bool = False) -> Iterator[Candidate]:
    """C++ compilers, best first. `CXX` may hold a launcher and flags: `ccache g++ -m64`."""
    wanted: list[tuple[str, str, bool]] = []
    if options.host:
        wanted.append((options.host, options.origin("cxx", "--cxx"), True))
    if os.environ.get("CXX"):
        wanted.append((os.environ["CXX"], "CXX", True))
    wanted += [(name, "PATH", False) for name in ("c++", "g++", "clang++")]
    seen: set[Path] = set()
    for text, origin, insisted in wanted:
        words = shlex.split(text)
        found = shutil.which(words[0]) if words else None
        if found is None:
            yield Candidate(text, origin, problem="no such program", insisted=insisted)
            continue
        real = Path(found).resolve()
        if real in seen and len(words) == 1:
            continue
        seen.add(real)
        try:
            toolchain = probe(Path(found), tuple(words[1:]), origin)
        except PortgpuError as error:
            yield Candidate(text, origin, problem=error.message, insisted=insisted)
            continue
        yield Candidate(text, origin, toolchain, insisted=insisted)
        if first_only:
            return


def probe(compiler: Path, words: tuple[str, ...], origin: str) -> Toolchain:
    """Ask a compiler which one it is, and whether it speaks C++17 and has a standard library."""
    said = process.run(
        [compiler, *words, "-std=c++17", "-x", "c++", "-E", "-"],
        error=ToolchainError,
        timeout=60,
        stdin=_PROBE,
        what=f"{compiler} (a C++17 probe)",
    ).output
    match = re.search(r"PORTGPU (\w+) (\d+) (\d+) (\d+)L?", said)
    if match is None:
        raise ToolchainError("is neither GCC nor Clang")
    version = f"{match[2]}.{match[3]}"
    unset = UNSET_VALUES if match[1] != "gcc" and int(match[2]) >= 14 else ()
    return Toolchain(
        kind="host",
        name=f"{'GCC' if match[1] == 'gcc' else 'Clang'} {version}",
        version=version,
        compiler=compiler,
        root=compiler.parent.parent,
        origin=origin,
        archs=("host",),
        compile_flags=(*words, *unset),
        link_flags=words,
    )


@dataclass(frozen=True, slots=True)
class Tool:
    """CMake or Ninja: program, version and why this one."""

    name: str
    path: Path
    version: str
    origin: str


def find_tool(name: str, explicit: Path | None = None) -> Tool:
    """CMake or Ninja from an option, the PATH or this Python; `ToolchainError` if none."""
    need = facts()["tools"][name]
    problems = []
    for place, origin in _tool_places(name, explicit):
        try:
            said = process.run([place, "--version"], error=ToolchainError, timeout=60).output
        except ToolchainError as error:
            problems.append(f"  {place} ({origin}): {error.message}")
            if origin.startswith("--"):
                break
            continue
        match = re.search(r"(\d+\.\d+(\.\d+)?)", said)
        version = match[1] if match else "0"
        if version_numbers(version) >= version_numbers(need["oldest"]):
            return Tool(name, place, version, origin)
        problems.append(f"  {place} ({origin}): is {version}, needs {need['oldest']} or newer")
    pip = need["pip"].replace("python3", sys.executable or "python3", 1)
    raise ToolchainError(
        f"no usable {name} found", hint=f"{pip}   (or {need['apt']})", detail="\n".join(problems)
    )


def _tool_places(name: str, explicit: Path | None) -> Iterator[tuple[Path, str]]:
    if explicit is not None:
        yield explicit, f"--{name}"
        return
    # A pip-installed tool in this Python's own script folder, even when that is not on the PATH.
    mine = Path(sysconfig.get_path("scripts")) / name
    on_path = shutil.which(name)
    if on_path:
        yield Path(on_path), "PATH"
    if mine.is_file():
        yield mine, "pip package of this Python"
