"""`struct float4;`: CUDA's vector types are structures, HIP's are aliases of templates."""

from __future__ import annotations

import re

from portgpu.translate import headers
from portgpu.translate.model import Context

_VECTOR = re.compile(rb"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]\Z")


def rewrite(context: Context, local: frozenset[str] = frozenset()) -> None:
    """Drops forward declarations where the runtime brings the types, and `struct` in uses."""
    source = context.source
    for i, word in enumerate(source.text):
        if word != b"struct" or not _VECTOR.match(source.word(i + 1)) or i in context.claimed:
            continue
        after = source.word(i + 2)
        if after == b";":
            if headers.has_runtime(context, local):
                context.replace_span(i, i + 2, b"")
        elif after not in (b"{", b":", b"__align__", b"__attribute__", b"alignas"):
            context.replace(i, b"")
