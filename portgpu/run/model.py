"""What a program is, what an executor is, and what passes between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from portgpu.toolchain import Options

CHECKS = ("none", "memory", "address", "undefined")


@dataclass(frozen=True, slots=True)
class Program:
    """A program as the user gives it: sources, and how they are to be compiled and run.

    `arch` is a device architecture (`sm_90`, `gfx90a`): the one to build for on a device, the one
    whose limits hold on the CPU. `warp_size` (32 or 64, 0 for the architecture's), `race`,
    `sanitize` (of `CHECKS`), `schedule`, `seed` and `via` are for the CPU target only; `via` "rocm"
    translates CUDA to HIP first.
    """

    sources: tuple[Path, ...]
    build_dir: Path
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    std: str = "c++17"
    arch: str = ""
    warp: str = "logical"
    via: str = ""
    warp_size: int = 0
    race: bool = False
    sanitize: tuple[str, ...] = ()
    schedule: str = ""
    seed: int | None = None
    toolchain: Options = field(default_factory=Options)
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class Built:
    """An executable, and the environment that it needs beside the user's own."""

    executable: Path
    env: Mapping[str, str]
    cached: bool


class Executor(Protocol):
    """Builds and runs programs for one target. Registered in `executors.EXECUTORS`."""

    name: str

    def build(self, program: Program) -> Built:
        """Compile, or find the same program compiled before; raises `PortgpuError`."""
        ...

    def run(self, built: Built, arguments: Sequence[str]) -> int:
        """Run with this process's stdin, stdout and stderr; the exit code is the program's own."""
        ...
