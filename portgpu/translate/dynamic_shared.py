"""Alignment of dynamic shared memory."""

from __future__ import annotations

import re

from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.shared import declaration

_ALIGNED = re.compile(rb"\b(?:alignas|aligned|__align__|__builtin_align__)\b|\w*ALIGN\w*")
_WIDE = frozenset(
    b"float4 int4 uint4 double2 longlong2 ulonglong2 double4 longlong4 ulonglong4".split()
)


def rewrite(context: Context) -> None:
    """Aligns `extern __shared__ T s[]` to 16 bytes, as nvcc does whatever T is.

    AMD's compiler puts it behind the static shared variables, aligned as T alone asks: after a
    `__shared__ bool` a `char s[]` starts at byte 1, and its floats lie across words.
    """
    source = context.source
    if context.options.hipify or context.is_hip or b"__shared__" not in source.data:
        return
    places = [
        (i, found)
        for i in source.places.get(b"__shared__", ())
        if i not in context.claimed and (found := declaration(source, i)) is not None
    ]
    if all(extern for _, (_, _, extern) in places) and not _may_bring_more(source):
        return  # it starts at 0
    for i, (first, end, extern) in places:
        text = source.data[slice(*source.span(first, end))]
        if extern and not _ALIGNED.search(text) and not _WIDE & set(source.text[first:end]):
            context.insert_after(i, b" __attribute__((aligned(16)))")


def is_behind_a_scalar(source: Source) -> bool:
    """Whether a shared variable that is no array, and so of few bytes, stands in the file."""
    found = [declaration(source, i) for i in source.places.get(b"__shared__", ())]
    return any(x and not x[2] and b"[" not in source.text[x[0] : x[1]] for x in found)


def _may_bring_more(source: Source) -> bool:
    """Whether a local header may hold static shared variables."""
    return any(include.quoted for include in source.includes)
