"""Runs any CUDA, HIP or dialect program: on the CPU target, or on a device.

`executors` holds the one table of everything that can run one; the command lines know no other.
"""

from __future__ import annotations

from portgpu.run.executors import find, names, register
from portgpu.run.model import Built, Executor, OpLibrary, Program

__all__ = ["Built", "Executor", "OpLibrary", "Program", "find", "names", "register"]
