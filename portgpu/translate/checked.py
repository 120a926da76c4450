"""`a.at(i)` in device code: nvcc lets std::array's checked access through, HIP's compiler does not.

The check fails by a host function that throws. Our `pg_compat::at` traps instead on devices; it
takes any other container as it is.
"""

from __future__ import annotations

import re

from portgpu.source.launch import kernel_start
from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.scope import enclosing_heads

# The words of CUDA, and a project's macro for them.
_DEVICE = re.compile(rb"__device__|__global__|[A-Z0-9_]*(?:DEVICE|_HD\Z|\AHD_)[A-Z0-9_]*")
_CALL = re.compile(rb"(?:\.|->)\s*at\s*\(")


def rewrite(context: Context) -> None:
    """Rewrites `expression.at(index)` within functions of devices."""
    source = context.source
    if context.options.compat is None or context.is_hip or not _CALL.search(source.data):
        return
    for i, word in enumerate(source.text):
        if word != b"at" or source.word(i + 1) != b"(" or source.word(i - 1) not in (b".", b"->"):
            continue
        close = source.match.get(i + 1)
        start = kernel_start(source, i - 2)
        if close is None or close <= i + 2 or start is None or i in context.claimed:
            continue
        if len(source.split_commas(i + 2, close - 1)) != 1 or not _on_device(source, i):
            continue
        pointer = source.word(i - 1) == b"->"
        context.insert_before(start, context.shim("at") + (b"(*" if pointer else b"("))
        context.replace_span(i - 1, i + 1, b", ")


def _on_device(source: Source, i: int) -> bool:
    """Whether `i` lies in a function whose head says that devices run it."""
    return any(_DEVICE.fullmatch(word) for _, words in enclosing_heads(source, i) for word in words)
