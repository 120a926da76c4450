"""Kernels compiled at run time: user kernels, and fused elementwise functions.

from portgpu import jit

scale = jit.kernel(source, "scale<float>", target="cuda")
scale((n + 255) // 256, 256, x, 2.0, n)

@jit.fuse
def step(w, gradient, rate):
    return w - rate * gradient
step(w, gradient, 0.1, out=w)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portgpu.jit import rtc, trace
from portgpu.jit.fuse import Fused, fuse
from portgpu.jit.kernel import Kernel, compile_kernel, kernel
from portgpu.jit.rtc import Compiled
from portgpu.jit.trace import cast, maximum, minimum, where

_FUNCTIONS = trace.functions()

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
else:
    globals().update(_FUNCTIONS)  # jit.exp, jit.sigmoid ...: for use in fused functions

__all__ = [
    "Compiled",
    "Fused",
    "Kernel",
    "cast",
    "compile_kernel",
    "fuse",
    "kernel",
    "maximum",
    "minimum",
    "rtc",
    "where",
    *_FUNCTIONS,
]
