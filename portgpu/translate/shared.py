"""Shared memory for the CPU target: a C++ compiler knows neither dynamic nor per-block arrays."""

from __future__ import annotations

import re

from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.scope import function_depths

_QUALIFIERS = frozenset((b"__shared__", b"extern", b"static"))
_STORAGE = frozenset((b"extern", b"static", b"volatile", b"const"))
_ALIGN = frozenset((b"__align__", b"alignas", b"__attribute__"))


def rewrite_for_cpu(context: Context) -> None:
    """Writes PGCPU_DYN_SHARED and PGCPU_SHARED for dynamic and static shared memory."""
    source = context.source
    if b"__shared__" not in source.data:
        return
    in_function: set[int] | None = None
    for i, word in enumerate(source.text):
        if word != b"__shared__" or i in context.claimed:
            continue
        found = declaration(source, i)
        if found is None:
            continue
        first, semicolon, extern = found
        if extern:
            _dynamic(context, first, semicolon)
            continue
        if in_function is None:
            in_function = function_depths(source)
        if i in in_function:
            _static(context, first, semicolon)


def declaration(source: Source, i: int) -> tuple[int, int, bool] | None:
    """(first token, index of ";", whether extern) of the declaration around `__shared__` at `i`."""
    first = i
    # The type may come first: `extern double __shared__ s[];`
    while first > 0 and (source.is_ident(first - 1) or source.text[first - 1] == b"::"):
        gap = source.data[source.code[first - 1].end : source.code[first].start]
        if b"\n" in gap and source.text[first - 1] not in _STORAGE:
            break
        first -= 1
    j = i
    while j < len(source.code) and source.text[j] not in (b";", b"}"):
        if source.text[j] in (b"(", b"[", b"{"):
            j = source.match.get(j, len(source.code))
        j += 1
    if j >= len(source.code) or source.text[j] != b";":
        return None
    extern = any(source.text[k] == b"extern" for k in range(first, j))
    return first, j, extern


def _type_words(context: Context, first: int, end: int, *, keep_align: bool) -> bytes:
    """Spelling of the type in `code[first:end]`, without storage words."""
    source = context.source
    words: list[tuple[int, int]] = []
    i = first
    while i < end:
        word = source.text[i]
        if word in _ALIGN and source.word(i + 1) == b"(" and not keep_align:
            i = source.match.get(i + 1, i + 1) + 1
            continue
        if word not in _QUALIFIERS:
            words.append(source.span(i, i))
        i += 1
    pieces: list[bytes] = []
    last_end = None
    for start, stop in words:
        gap = b"" if last_end is None else (b"" if last_end == start else b" ")
        pieces.append(gap + source.data[start:stop])
        last_end = stop
    # `typedef alignas(16) T name;` is no C++; the attribute may stand there.
    return re.sub(rb"\balignas(?=\s*\()", b"__align__", b"".join(pieces))


def _dynamic(context: Context, first: int, semicolon: int) -> None:
    """extern __shared__ [__align__(n)] T name[];"""
    source = context.source
    bracket = semicolon - 1
    if source.word(bracket) != b"]" or source.match.get(bracket) != bracket - 1:
        context.report(
            "PG1806",
            first,
            "this dynamic shared memory declaration could not be understood",
            hint="declare one unsized array a statement: extern __shared__ T name[];",
        )
        return
    name = bracket - 2
    kind = _type_words(context, first, name, keep_align=False)
    if b"," in kind:
        kind = b"(" + kind + b")"
    text = b"PGCPU_DYN_SHARED(" + kind + b", " + source.text[name] + b");"
    context.replace_span(first, semicolon, _keep_lines(source, first, semicolon, text))


def _static(context: Context, first: int, semicolon: int) -> None:
    """__shared__ T a[N][M], *b, c;"""
    source = context.source
    pieces = source.split_commas(first, semicolon - 1, declaration=True)
    head = pieces[0]
    name = _declarator_name(source, *head)
    if name is None:
        return
    star = name
    while source.word(star - 1) in (b"*", b"&", b"const") and star - 1 > first:
        star -= 1
    kind = _type_words(context, first, star, keep_align=True)
    out: list[bytes] = []
    for number, (a, b) in enumerate(pieces):
        at = name if number == 0 else _declarator_name(source, a, b)
        if at is None or b < a:
            return
        stars = source.data[slice(*source.span(star if number == 0 else a, at))]
        stars = stars[: len(stars) - len(source.text[at])].strip()
        rest = source.data[source.code[at].end : source.code[b].end].strip()
        if rest and not rest.startswith(b"["):
            return  # an initialiser or a bit field: CUDA does not allow it here either
        full = kind + (b" " + stars if stars else b"")
        dims = b", " + rest if rest else b""
        out.append(b"PGCPU_SHARED((" + full + b"), " + source.text[at] + dims + b");")
    context.replace_span(first, semicolon, _keep_lines(source, first, semicolon, b" ".join(out)))


def _declarator_name(source: Source, first: int, last: int) -> int | None:
    """The last identifier before the array bounds."""
    i = last
    while i > first and source.text[i] == b"]":
        i = source.match.get(i, first) - 1
    return i if i >= first and source.is_ident(i) else None


def _keep_lines(source: Source, first: int, last: int, text: bytes) -> bytes:
    """`text` with as many line ends as it replaces, so that later lines keep their numbers."""
    start, end = source.span(first, last)
    old, new = source.data[start:end].count(b"\n"), text.count(b"\n")
    return text + b"\n" * max(0, old - new)
