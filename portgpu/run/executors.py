"""The table of executors."""

from __future__ import annotations

from portgpu.errors import UsageError, nearest
from portgpu.run.cpu import CpuExecutor
from portgpu.run.device import DeviceExecutor
from portgpu.run.model import Executor

EXECUTORS: dict[str, Executor] = {
    "cpu": CpuExecutor(),
    "cuda": DeviceExecutor("cuda"),
    "rocm": DeviceExecutor("rocm"),
}


def find(target: str) -> Executor:
    """The executor of a target; raises `UsageError` for an unknown one."""
    if target not in EXECUTORS:
        raise UsageError(
            f"no target is called {target!r}",
            hint=nearest(target, list(EXECUTORS)) or f"targets: {', '.join(EXECUTORS)}",
        )
    return EXECUTORS[target]
