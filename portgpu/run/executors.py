"""The one table of executors: the built-in ones, and those of other distributions.

Everything that runs something asks here: `portgpu run`, `portgpu test` for the op library and for
projects. Imports nothing beyond the standard library until an executor builds or runs.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from portgpu.errors import (
    NoDeviceError,
    PortgpuError,
    ToolchainError,
    UnprovenError,
    UsageError,
    nearest,
)
from portgpu.run.model import Built, Executor, Program

GROUP = "portgpu.executors"
_TARGETS = ("cuda", "rocm", "cpu")


class CpuExecutor(Executor):
    """The SIMT emulator in templates/cpu."""

    name = accepts = "cpu"
    widths = (32, 64)

    def build(self, program: Program) -> Built:
        from portgpu.run import cpu

        return cpu.build(program)

    def environment(self, width: int = 0, device: int = 0) -> Mapping[str, str]:
        return {"PORTGPU_WARP_SIZE": str(width)} if width else {}


class DeviceExecutor(Executor):
    """An NVIDIA (`cuda`) or AMD (`rocm`) GPU of this machine."""

    def __init__(self, target: str, vendor: str, visible: str) -> None:
        self.name = self.accepts = target
        self.vendor, self.visible = vendor, visible

    def build(self, program: Program) -> Built:
        from portgpu.run import device

        return device.build(self.name, program)

    def environment(self, width: int = 0, device: int = 0) -> Mapping[str, str]:
        return {self.visible: str(device)} if device else {}

    def problem(self, device: int = 0) -> PortgpuError | None:
        from portgpu.toolchain.devices import find_devices

        if any(d.target == self.name and d.index == device for d in find_devices()):
            return None
        which = f" (device {device})" if device else ""
        return NoDeviceError(
            f"no {self.vendor} GPU is here to run on{which}",
            hint="--build-only checks the build alone; portgpu doctor shows the devices",
        )

    def check(self, library: Path, built: Sequence[str], arch: str) -> None:
        if not runs_on(arch, built):
            raise UnprovenError(
                f"the library holds code for {', '.join(built) or 'nothing'}; the device is {arch}",
                hint=f"portgpu build --target {self.name} --arch {arch.split(':')[0]}",
            )


_table: dict[str, Executor] = {}


def register(executor: Executor) -> None:
    """Add an executor of this process; raises `UsageError` when it is none, or its name is taken.

    Other processes, such as the children of `portgpu test`, see entry points only.
    """
    if not isinstance(executor, Executor) or not executor.name.isidentifier():
        raise UsageError(
            f"{executor!r} is not an executor with a name",
            hint="subclass portgpu.run.Executor and set `name`, `accepts`",
        )
    if executor.accepts not in _TARGETS:
        raise UsageError(
            f"executor {executor.name}: accepts = {executor.accepts!r} is not a target",
            hint=f"one of {', '.join(_TARGETS)}",
        )
    if executor.name in (*_table, "all"):
        raise UsageError(
            f"an executor is called {executor.name!r} already", hint="choose another name"
        )
    _table[executor.name] = executor


for _executor in (
    CpuExecutor(),
    DeviceExecutor("cuda", "NVIDIA", "CUDA_VISIBLE_DEVICES"),
    DeviceExecutor("rocm", "AMD", "HIP_VISIBLE_DEVICES"),
):
    register(_executor)


@functools.cache
def _outside() -> dict[str, EntryPoint]:
    """Entry points by name; the first of two with one name counts."""
    return {point.name: point for point in reversed(tuple(entry_points(group=GROUP)))}


def names() -> tuple[str, ...]:
    """Names of all executors: built-in, registered, of entry points."""
    return tuple(dict.fromkeys((*_table, *_outside())))


def find(name: str) -> Executor:
    """The executor of a name.

    Raises `UsageError` for an unknown one, `ToolchainError` for an entry point that does not load.
    """
    if name in _table:
        return _table[name]
    point = _outside().get(name)
    if point is None:
        raise UsageError(
            f"no target is called {name!r}",
            hint=nearest(name, names()) or f"targets: {', '.join(names())}",
        )
    try:
        made = point.load()
        executor = made() if callable(made) else made
    except Exception as error:
        raise ToolchainError(
            f"executor {name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}",
            hint="update or remove the distribution that brings it",
        ) from error
    if getattr(executor, "name", None) != name:
        raise ToolchainError(
            f"entry point {name} ({point.value}) gives an executor of another name",
            hint=f"set its `name` to {name!r}",
        )
    register(executor)
    return _table[name]


def environment(executor: Executor, width: int = 0, device: int = 0) -> dict[str, str]:
    """The environment of a child process that this executor runs."""
    return {**os.environ, **executor.environment(width, device)}


def runs_on(arch: str, built: Sequence[str]) -> bool:
    """Whether a device of `arch` runs one of the `built` architectures.

    NVIDIA: the same architecture, an older minor of the same major, or PTX (compute_NN) up to it;
    sm_90a and the like run on exactly that. AMD: the same name, feature suffixes aside.
    """
    base = arch.split(":")[0]
    plain = [b.split(":")[0] for b in built]
    if base in plain or f"{base}a" in plain or f"{base}f" in plain:
        return True
    if not base.startswith("sm_") or not base[3:].isdigit():
        return False
    number = int(base[3:])
    for each in plain:
        kind, _, digits = each.partition("_")
        if not digits.isdigit() or int(digits) > number:
            continue
        if kind == "compute" or (kind == "sm" and int(digits) // 10 == number // 10):
            return True
    return False
