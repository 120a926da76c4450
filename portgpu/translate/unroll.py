"""`#pragma unroll` before what is no loop: nvcc passes over it, for Clang it is an error."""

from __future__ import annotations

from portgpu.source.syntax import Directive, Source
from portgpu.translate.model import Context

_LOOPS = frozenset((b"for", b"while", b"do"))
_UNROLL = frozenset((b"unroll", b"nounroll"))


def rewrite(context: Context) -> None:
    """Takes such pragmas away; one before a macro's call stays, which may be a loop."""
    source = context.source
    if context.is_hip or b"unroll" not in source.data:
        return
    for d in source.directives:
        if d.name == b"pragma" and source.word(d.first + 2) in _UNROLL and not _serves(source, d):
            context.replace_span(d.first, d.last, b"")


def _serves(source: Source, pragma: Directive) -> bool:
    i = pragma.last + 1
    if source.word(i) in _LOOPS or source.word(i) in (b"#", b"[", b"", b"_Pragma"):
        return True  # another pragma, an attribute, or what `#if` decides
    if not source.is_ident(i):
        return source.word(i) != b"{"
    after = source.word(i + 1)
    if after == b"(" and source.word(i) not in (b"if", b"switch", b"return"):
        return True
    return after == b":" and source.word(i + 2) in _LOOPS  # a label
