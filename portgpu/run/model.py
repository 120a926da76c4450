"""What a program is, what an executor is, and what passes between them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from portgpu import process
from portgpu.errors import PortgpuError, UsageError
from portgpu.toolchain.model import Options

if TYPE_CHECKING:
    from portgpu.ops.abi import DeviceInfo, PgTensor
    from portgpu.ops.registry import Op, Registry

CHECKS = ("none", "memory", "address", "undefined")


@dataclass(frozen=True, slots=True)
class Program:
    """A program as the user gives it: sources, and how they are to be compiled and run.

    `arch` is a device architecture (`sm_90`, `gfx90a`): the one to build for on a device, the one
    whose limits hold on the CPU. `warp_size` (32 or 64, 0 for the architecture's), `race`,
    `race_blocks`, `sanitize` (of `CHECKS`), `schedule`, `seed` and `via` are for the CPU target
    only; `via` "rocm" translates CUDA to HIP first, "headers" puts the shadow headers before it.
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
    race_blocks: bool = False
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


class OpLibrary(Protocol):
    """An op library as the test plan calls it: `portgpu.ops.abi.Library`, or what stands for one.

    Addresses are integers that only the library itself has to understand. Calls that return a
    status follow `kernels/pg_ops_abi.h`; the others raise `OpError`.
    """

    registry: Registry
    target: str  # the target that it was built for
    version: str
    archs: tuple[str, ...]
    types: str  # "core" or "all"

    def device_count(self) -> int: ...
    def device_info(self, device: int = 0) -> DeviceInfo: ...
    def set_device(self, device: int) -> None: ...
    def last_error(self) -> str: ...
    def malloc(self, size: int) -> int: ...
    def free(self, data: int) -> None: ...
    def memcpy(self, dst: int, src: int, size: int, kind: int, stream: int = 0) -> None: ...
    def synchronize(self, stream: int = 0) -> None: ...
    def has(self, op: Op) -> bool: ...
    def workspace_size(
        self, op: Op, tensors: Sequence[PgTensor | None], params: Mapping[str, Any]
    ) -> tuple[int, int]: ...
    def call(
        self,
        op: Op,
        tensors: Sequence[PgTensor | None],
        params: Mapping[str, Any],
        workspace: int = 0,
        workspace_size: int = 0,
        stream: int = 0,
    ) -> int: ...


class Executor:
    """One way to run what was built for a target: programs, projects' tests and the op library.

    Subclass it, set the attributes, override what differs, and register an instance: with
    `portgpu.run.register`, or from another distribution by an entry point in the group
    `portgpu.executors` (its name is the executor's; its value the class, or an instance). Importing
    the module must need no more than NumPy, since test processes on bare machines import it.
    """

    name: str = ""  # what `--target` takes
    accepts: str = ""  # the target whose builds it runs: "cuda", "rocm" or "cpu"
    widths: tuple[int, ...] = ()  # warp widths that are tested one by one; empty: the device's own

    def build(self, program: Program) -> Built:
        """Compile, or find the same program compiled before; raises `PortgpuError`."""
        raise UsageError(
            f"the executor {self.name!r} does not compile programs",
            hint=f"portgpu run --target {self.accepts} does; portgpu test --target {self.name} "
            "runs tests",
        )

    def command(self, executable: Path, arguments: Sequence[str]) -> list[str]:
        """The command that runs an executable; an emulator puts itself in front."""
        return [str(executable.resolve()), *arguments]

    def environment(self, width: int = 0, device: int = 0) -> Mapping[str, str]:
        """Variables for everything that runs, at one of `widths`, on the device of an index."""
        return {}

    def run(self, built: Built, arguments: Sequence[str]) -> int:
        """Run with this process's stdin, stdout and stderr; the exit code is the program's own.

        128 + n for an end by signal n.
        """
        command = self.command(built.executable, arguments)
        env = {**os.environ, **self.environment(), **built.env}
        return process.attached(command, env)

    def problem(self, device: int = 0) -> PortgpuError | None:
        """Why nothing can run here, such as a missing device; None when all is there."""
        return None

    def open(self, library: Path, registry: Registry) -> OpLibrary:
        """The op library in a file that was built for `accepts`; raises `InputError`."""
        from portgpu.ops.abi import Library

        return Library(library, registry)

    def check(self, library: Path, built: Sequence[str], arch: str) -> None:
        """Raise `UnprovenError` unless code for `built` runs on the device architecture `arch`."""
