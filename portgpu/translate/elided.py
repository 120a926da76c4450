"""Braces left out around vectors: `float4 a[2] = {0, 1, 2, 3, 4, 5, 6, 7}`.

CUDA's vector types are aggregates, whose inner braces may be left out; HIP's have constructors. The
values of arrays of vectors, and of classes that the file defines, get their braces.
"""

from __future__ import annotations

import re

from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.scope import brace_kind

_VECTOR = re.compile(rb"(?:u?(?:char|short|int|long|longlong)|float|double)([2-4])\Z")
VECTORS = frozenset(
    sign + kind + b"%d" % count
    for sign, kinds in ((b"", b"float double"), (b"", b"char short int long longlong"),
                        (b"u", b"char short int long longlong"))
    for kind in kinds.split()
    for count in (2, 3, 4)
)  # fmt: skip
_NUMBER = re.compile(rb"[\d.]")
_ZERO = re.compile(rb"0[.uUlLfF0]*\Z|0x0+\Z")
_SIGNS = re.compile(rb"[^;=]=\s*\{\s*[-.\d]")
_CLASSES = (b"struct", b"union")


def rewrite(context: Context) -> None:
    source = context.source
    if context.is_hip or not _SIGNS.search(source.data):
        return
    found = {
        name: places
        for name, places in classes(source).items()
        if any(width(kind) for _, kinds in places for kind in kinds)
    }
    for i in source.places.get(b"{", ()):
        if source.word(i - 1) != b"=" or source.match.get(i) is None:
            continue
        end = i - 2  # of the declarator
        if source.word(end) == b"]":
            name = source.match.get(end, 0) - 1
            count = width(source.word(name - 1)) if source.is_ident(name) else 0
            if count:
                _wrap(context, i, [count], again=True)
        elif source.is_ident(end) and source.word(end - 1) in found:
            before = [kinds for at, kinds in found[source.word(end - 1)] if at < i]
            if before:
                _wrap(context, i, [width(kind) or 1 for kind in before[-1]], again=False)


def width(kind: bytes) -> int:
    """Members of a vector type, 0 for any other."""
    found = _VECTOR.match(kind)
    return int(found[1]) if found else 0


def classes(source: Source) -> dict[bytes, list[tuple[int, list[bytes]]]]:
    """Name -> (where it is defined, types of its first plain members)."""
    found: dict[bytes, list[tuple[int, list[bytes]]]] = {}
    for word in _CLASSES:
        for i in source.places.get(word, ()):
            opener = i + 2
            if not source.is_ident(i + 1) or source.word(opener) != b"{":
                continue
            if brace_kind(source, opener) != "class":
                continue
            kinds: list[bytes] = []
            j = opener + 1
            while source.is_ident(j) and source.is_ident(j + 1):
                kind, j = source.text[j], j + 2
                kinds.append(kind)
                while source.word(j) == b"," and source.is_ident(j + 1):  # "float4 a, b;"
                    kinds.append(kind)
                    j += 2
                if source.word(j) != b";":
                    kinds.pop()
                    break
                j += 1
            # All members of a union share their place: the first one takes the values.
            found.setdefault(source.text[i + 1], []).append(
                (opener, kinds[:1] if word == b"union" else kinds)
            )
    for places in found.values():
        places.sort()
    return found


def _wrap(context: Context, opener: int, widths: list[int], *, again: bool) -> None:
    """Puts braces around the values of each member, of `widths` values, in order."""
    source = context.source
    close = source.match[opener]
    values = source.split_commas(opener + 1, close - 1)
    if values and values[-1][0] > values[-1][1]:
        values.pop()  # a comma at the end
    at = 0
    spans: list[tuple[int, int, bool]] = []
    while at < len(values):
        for width in widths:
            group = values[at : at + width]
            if width > 1 and group:
                if not all(_is_number(source, first) for first, _ in group):
                    return
                zero = all(
                    first == last and _ZERO.match(source.text[first]) for first, last in group
                )
                if len(group) < width and not zero:
                    return
                spans.append((group[0][0], group[-1][1], len(group) < width))
            at += width
        if not again:
            break
    for first, last, empty in spans:
        if empty:
            context.replace_span(first, last, b"{}")
        else:
            context.wrap(first, last, b"{", b"}")


def _is_number(source: Source, i: int) -> bool:
    if source.word(i) in (b"-", b"+"):
        i += 1
    return _NUMBER.match(source.word(i)) is not None
