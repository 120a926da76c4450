"""What the steps of a build hand to each other."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from portgpu.binary.model import Kernel
from portgpu.config import Config
from portgpu.findings import Finding
from portgpu.toolchain import Options, Toolchain

LIBRARY_SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for. Empty `targets`/`archs` mean the configured or default ones."""

    config: Config
    build_dir: Path
    targets: tuple[str, ...]
    archs: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    jobs: int = 0
    verbose: bool = False
    quiet: bool = False
    keep_going: bool = False
    configure_only: bool = False


class Kind(StrEnum):
    """How a source is compiled."""

    CUDA = "cuda"  # device code with CUDA's names
    NATIVE = "native"  # device code in HIP or in the dialect: no name needs to be mapped
    HOST = "host"  # C++ without device code
    C = "c"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source or header: where it is, and its path below the project's root."""

    path: Path
    relative: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides one target's build, before any file is written."""

    target: str
    name: str
    kind: str  # library | program
    route: str  # rewrite | headers
    root: Path
    folder: Path  # <build dir>/<target>
    sources: tuple[SourceFile, ...]
    include_dirs: tuple[Path, ...]
    defines: tuple[str, ...]
    flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    archs: tuple[str, ...]
    std: str
    types: str
    warp: str
    launcher: str
    translate: Mapping[str, Any]
    toolchain: Toolchain

    @property
    def project(self) -> Path:
        """The generated CMake project."""
        return self.folder / "project"

    @property
    def ninja_dir(self) -> Path:
        """CMake's and Ninja's working folder; objects are in `obj/`."""
        return self.folder / "ninja"

    @property
    def library(self) -> Path:
        """What comes out: a shared library, or a program."""
        if self.kind == "program":
            return self.folder / f"{self.name}_{self.target}"
        return self.folder / f"lib{self.name}_{self.target}{LIBRARY_SUFFIX}"

    def content_key(self, source: SourceFile) -> Path:
        """Stands for the content of a source that is compiled where it is."""
        return self.project / "src" / f"{source.relative}.key"

    def object_of(self, source: SourceFile) -> Path:
        """The object file of a source."""
        return self.ninja_dir / "obj" / "src" / f"{source.relative}.o"


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """What one object file really holds."""

    source: str
    object: str
    archs: tuple[str, ...]
    kernels: tuple[Kernel, ...]
    size: int


@dataclass(slots=True)
class TargetResult:
    """How one target's build ended. `compiled` counts compiler and linker calls."""

    target: str
    name: str
    toolchain: Toolchain
    library: Path
    requested: tuple[str, ...]
    archs: tuple[str, ...] = ()
    objects: list[ObjectReport] = field(default_factory=list)
    size: int = 0
    seconds: float = 0.0
    compiled: int = 0
    up_to_date: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def kernels(self) -> list[Kernel]:
        """All kernels of all objects and architectures."""
        return [kernel for report in self.objects for kernel in report.kernels]


@dataclass(slots=True)
class Staged:
    """What was staged: originals with their copies, findings, and where lines moved."""

    files: dict[Path, Path] = field(default_factory=dict)  # copy -> original
    content: dict[Path, str] = field(default_factory=dict)  # original -> digest of what was read
    findings: list[Finding] = field(default_factory=list)
    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # copy -> breakpoints
    runtime: list[Path] = field(default_factory=list)  # sources that came with the headers
    include_dirs: list[Path] = field(default_factory=list)
    kinds: dict[Path, Kind] = field(default_factory=dict)  # original of a source -> its kind
    has_kernels: bool = False
    links: dict[Path, Path] = field(default_factory=dict)  # link in the tree -> where it leads
    shadow: list[Path] = field(default_factory=list)  # headers that stand in for CUDA's


def original_place(staged_lines: dict[str, list[tuple[int, int]]], copy: str, line: int) -> int:
    """The line of the original file that a line of the copy came from."""
    points = staged_lines.get(copy, [])
    at = bisect_right(points, (line, 1 << 60)) - 1
    return max(1, line - points[at][1]) if at >= 0 else line
