"""`h.x` and `h.y` of a half2: numbers of 16 bits in CUDA, but raw bits in older versions of HIP.

There `float(h.x)` would compile and be wrong. Where the file itself declares the variable as half2,
the access goes through our header, which gives a `__half&` in every version.
"""

from __future__ import annotations

from portgpu.source.syntax import Source
from portgpu.translate.model import Context

_TYPES = frozenset((b"half2", b"__half2"))
_SKIPPED = frozenset((b"const", b"*", b"&", b"__restrict__", b"volatile"))


def rewrite(context: Context) -> None:
    """Rewrites `name.x`, `name[i].x` and `name->x` for variables of type half2."""
    source = context.source
    if b"half2" not in source.data or context.options.compat is None or context.is_hip:
        return
    names = _declared(source)
    if not names:
        return
    for i, word in enumerate(source.text):
        if word not in (b"x", b"y") or source.word(i - 1) not in (b".", b"->"):
            continue
        end = i - 2
        start = source.match.get(end, end) - 1 if source.word(end) == b"]" else end
        if source.word(start) not in names or i in context.claimed:
            continue
        if source.word(start - 1) in (b".", b"->", b"::") or source.word(i + 1) == b"(":
            continue
        arrow = source.word(i - 1) == b"->"
        shim = context.shim("half_x" if word == b"x" else "half_y")
        context.insert_before(start, shim + (b"(*" if arrow else b"("))
        context.replace(i - 1, b")")
        context.replace(i, b"")


def _declared(source: Source) -> set[bytes]:
    """Names that the file declares as half2, pointer or array of it, and as nothing else."""
    names: set[bytes] = set()
    for i, word in enumerate(source.text):
        if word in _TYPES:
            j = i + 1
            while source.word(j) in _SKIPPED:
                j += 1
            if source.is_ident(j) and source.word(j + 1) != b"(":
                names.add(source.text[j])
    # "float2 v" elsewhere in the file makes the name unclear.
    for i, word in enumerate(source.text):
        if word in names and source.is_ident(i - 1) and source.text[i - 1] not in _TYPES | _SKIPPED:
            before = source.text[i - 1]
            if before not in (b"return", b"else", b"case", b"throw"):
                names.discard(word)
    return names
