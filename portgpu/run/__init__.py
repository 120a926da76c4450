"""Runs any CUDA, HIP or dialect program: on the CPU target, or on a device.

`executors.EXECUTORS` is the table of everything that can run one; the command line knows no other.
"""

from __future__ import annotations

from portgpu.run.executors import EXECUTORS, find
from portgpu.run.model import Built, Executor, Program

__all__ = ["EXECUTORS", "Built", "Executor", "Program", "find"]
