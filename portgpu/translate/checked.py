"""Calls of the standard library in device code that nvcc lets through and HIP's compiler does not.

`a.at(i)` of a std::array fails by a host function that throws. Our `pg_compat::at` traps instead on
devices; it takes any other container as it is. `std::memcpy` is the host's alone where <cstring>
came before HIP's headers: `::memcpy` has the device's too.
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
# HIP declares these for devices beside C's; `std` has what was declared when <cstring> was read.
_OF_C = frozenset((b"memcpy", b"memset", b"printf", b"malloc", b"free"))
_STD_CALL = re.compile(rb"\bstd\s*::\s*(?:" + b"|".join(sorted(_OF_C)) + rb")\s*\(")


def rewrite(context: Context) -> None:
    """Rewrites `expression.at(index)` and `std::memcpy` within functions of devices."""
    _functions_of_c(context)
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


def _functions_of_c(context: Context) -> None:
    """`std::memcpy(…)`, `cuda::std::memcpy(…)` -> `::memcpy(…)`."""
    source = context.source
    if context.options.hipify or not _STD_CALL.search(source.data):
        return
    for i, word in enumerate(source.text):
        if word != b"std" or source.word(i + 1) != b"::" or source.word(i + 2) not in _OF_C:
            continue
        if source.word(i + 3) == b"(" and i not in context.claimed and _on_device(source, i):
            first = i
            if source.text[max(0, i - 2) : i] == [b"cuda", b"::"]:
                first = i - 3 if source.word(i - 3) == b"::" else i - 2
            after_colon = source.data.endswith(b":", 0, source.code[first].start)
            context.replace_span(first, i, b" " if after_colon else b"")


def _on_device(source: Source, i: int) -> bool:
    """Whether `i` lies in a function whose head says that devices run it."""
    return any(_DEVICE.fullmatch(word) for _, words in enclosing_heads(source, i) for word in words)
