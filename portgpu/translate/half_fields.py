"""`h.x` and `h.y` of a half2: numbers of 16 bits in CUDA, but raw bits in older versions of HIP.

There `float(h.x)` would compile and be wrong. Where the file itself declares the variable as half2,
the access goes through our header, which gives a `__half&` in every version.
"""

from __future__ import annotations

from portgpu.source.launch import kernel_start
from portgpu.source.syntax import Source
from portgpu.translate.covered import in_amd_branch
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

_TYPES = frozenset((b"half2", b"__half2"))
_SKIPPED = frozenset((b"const", b"*", b"&", b"__restrict__", b"volatile"))


def rewrite(context: Context, declared: Declarations) -> None:
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
        if source.word(start - 1) == b"::" or source.word(i + 1) == b"(":
            continue
        known = names[source.text[start]]
        if source.word(start - 1) in (b".", b"->"):
            # A member, if every member of that name is one of these.
            first = kernel_start(source, start)
            if first is None or not declared.members(source.text[start], known):
                continue
            start = first
        elif declared.declaration(start) not in known:
            continue
        if in_amd_branch(source, i):
            continue
        arrow = source.word(i - 1) == b"->"
        shim = context.shim("half_x" if word == b"x" else "half_y")
        context.insert_before(start, shim + (b"(*" if arrow else b"("))
        context.replace(i - 1, b")")
        context.replace(i, b"")


def _declared(source: Source) -> dict[bytes, set[int | None]]:
    """Names that the file declares as half2, pointer or array of it -> where."""
    names: dict[bytes, set[int | None]] = {}
    for i, word in enumerate(source.text):
        if word not in _TYPES:
            continue
        j = i + 1
        while source.is_ident(j) or source.word(j) in _SKIPPED:
            if source.word(j) in _SKIPPED:
                j += 1
                continue
            if source.word(j + 1) != b"(":
                names.setdefault(source.text[j], set()).add(j)
            # "half2 a, b[2], *c = p;"
            j += 1
            while source.word(j) not in (b",", b";", b")", b"{", b"}", b""):
                j = max(j, source.match.get(j, j)) + 1
            if source.word(j) != b"," or _ends_parameter(source, i):
                break
            j += 1
    return names


def _ends_parameter(source: Source, i: int) -> bool:
    """Whether the type at `i` is a parameter's, so that a comma ends its declaration."""
    j = i - 1
    while source.word(j) == b"const":
        j -= 1
    return source.word(j) in (b"(", b",")
