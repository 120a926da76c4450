"""Vectors with fewer values than members: `float4 a = {1}`.

CUDA's vector types are aggregates, whose other members are zero then. HIP's have constructors: of
all members, or of one value for all of them, so that `float4 a{1}` would mean (1, 1, 1, 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.source.syntax import Source
from portgpu.translate.elided import VECTORS, classes, width
from portgpu.translate.model import Context
from portgpu.translate.scope import brace_kind, enclosing_heads

_ALIAS = re.compile(
    rb"\b(?:typedef\s+(?P<old>\w+)\s+(?P<new>\w+)\s*;|using\s+(?P<name>\w+)\s*=\s*(?P<is>\w+)\s*;"
    rb"|define[ \t]+(?P<macro>\w+)[ \t]+(?P<text>\w+)[ \t]*\r?$)",
    re.MULTILINE,
)
_NUMBER = re.compile(rb"\.?\d[\w.']*")
_SIGNS = re.compile(rb"\{\s*[^\s{}]")
_NO_VALUES = frozenset((b"struct", b"class", b"union", b"enum", b"->", b"namespace"))


def rewrite(context: Context) -> None:
    """Completes the values with zeros; a value that may be a vector itself asks our header."""
    source = context.source
    if context.is_hip or context.options.compat is None or not _SIGNS.search(source.data):
        return
    kinds = _kinds(source)
    for kind in kinds:
        for i in source.places.get(kind, ()):
            if i in context.claimed or source.word(i - 1) in _NO_VALUES:
                continue
            if source.word(i + 1) == b"{":
                if brace_kind(source, i + 1) != "class":
                    _complete(context, i + 1, kind, kinds[kind], first=i)
                continue
            for opener, rank in _declared(source, i + 1):
                for inner in _at_depth(source, opener, rank):
                    _complete(context, inner, kind, kinds[kind])
    for i in source.places.get(b"return", ()):
        result = _returned(source, i, kinds) if source.word(i + 1) == b"{" else None
        if result:
            _complete(context, i + 1, result, kinds[result])
    _members(context, kinds)


def _kinds(source: Source) -> dict[bytes, int]:
    """Names of vector types in this file -> how many members they have."""
    kinds = {word: width(word) for word in VECTORS if word in source.places}
    if kinds:
        for m in _ALIAS.finditer(source.data):
            old = m["old"] or m["is"] or m["text"]
            if old in kinds:
                kinds[m["new"] or m["name"] or m["macro"]] = kinds[old]
    return kinds


def _declared(source: Source, j: int) -> Iterator[tuple[int, int]]:
    """The values of each variable declared from `j` on: their brace, and how many arrays deep."""
    if source.word(j) == b"const":
        j += 1
    while source.is_ident(j):
        j, rank = j + 1, 0
        while source.word(j) == b"[" and j in source.match:
            j, rank = source.match[j] + 1, rank + 1
        opener = j + 1 if source.word(j) == b"=" else j
        if source.word(opener) == b"{" and opener in source.match:
            yield opener, rank
            j = source.match[opener] + 1
        if source.word(j) != b",":
            return
        j += 1


def _at_depth(source: Source, opener: int, rank: int) -> Iterator[int]:
    if rank == 0:
        yield opener
        return
    for first, _ in _values(source, opener):
        if source.word(first) == b"{" and first in source.match:
            yield from _at_depth(source, first, rank - 1)


def _values(source: Source, opener: int) -> list[tuple[int, int]]:
    found = source.split_commas(opener + 1, source.match[opener] - 1)
    return found[:-1] if found and found[-1][0] > found[-1][1] else found


def _returned(source: Source, i: int, kinds: dict[bytes, int]) -> bytes | None:
    """The vector type that the function around the `return` at `i` gives back."""
    for opener, _ in enclosing_heads(source, i):
        if source.word(opener - 2) == b"->":
            return source.word(opener - 1) if source.word(opener - 1) in kinds else None
        close = opener - 1
        while source.word(close) in (b"const", b"noexcept", b"override"):
            close -= 1
        if source.word(close) != b")" or close not in source.match:
            continue
        name = source.match[close] - 1
        while source.word(name - 1) == b"::":
            name -= 2
        if source.word(name - 1) in kinds:
            return source.word(name - 1)
    return None


def _members(context: Context, kinds: dict[bytes, int]) -> None:
    """`S s = {{1}, 2}` of a structure that the file defines."""
    source = context.source
    for name, places in classes(source).items():
        if not any(kind in kinds for _, members in places for kind in members):
            continue
        for i in source.places.get(name, ()):
            before = [members for at, members in places if at < i]
            if not before or source.word(i - 1) in _NO_VALUES:
                continue
            temporary = source.word(i + 1) == b"{" and i + 1 in source.match
            for opener, rank in [(i + 1, 0)] if temporary else _declared(source, i + 1):
                for inner in _at_depth(source, opener, rank):
                    for kind, (first, _) in zip(before[-1], _values(source, inner), strict=False):
                        if kind in kinds and source.word(first) == b"{":
                            _complete(context, first, kind, kinds[kind])


def _complete(
    context: Context, opener: int, kind: bytes, members: int, first: int | None = None
) -> None:
    """Completes the values in the braces at `opener`; `first` is the type of a temporary."""
    source = context.source
    if opener not in source.match:
        return
    values = _values(source, opener)
    if not values or any(source.word(a) == b"{" for a, _ in values):
        return
    if all(source.word(a) == b"." and source.word(a + 2) == b"=" for a, _ in values):
        _by_name(context, values, members)
    elif 1 < len(values) < members or (len(values) == 1 and _is_number(source, *values[0])):
        context.insert_after(values[-1][1], b", 0" * (members - len(values)))
    elif source.word((first or 0) - 1) == b"new":
        return
    elif len(values) == 1 and not source.word(values[0][0]).startswith(b"make_"):
        call = context.shim("first_of") + b"<" + kind + b">("
        if first is not None:
            context.replace_span(first, opener, call)
        else:
            at = source.code[opener].start
            before = source.word(opener - 1)
            if before == b"return" and not source.data[at - 1 : at].isspace():
                call = b" " + call
            elif before not in (b"return", b"=", b"{", b","):  # `float4 a{x}`
                call = b" = " + call
            context.replace(opener, call)
        context.replace(source.match[opener], b")")


def _by_name(context: Context, values: list[tuple[int, int]], members: int) -> None:
    """`{.x = 1, .z = 2}` -> `{1, 0, 2, 0}`."""
    source = context.source
    places = [b"xyzw".find(source.word(a + 1)) for a, _ in values]
    if places != sorted(set(places)) or places[0] < 0:
        return
    at = 0
    for (first, _), place in zip(values, places, strict=True):
        context.replace_span(first, first + 2, b"0, " * (place - at))
        at = place + 1
    context.insert_after(values[-1][1], b", 0" * (members - at))


def _is_number(source: Source, first: int, last: int) -> bool:
    if source.word(first) in (b"-", b"+"):
        first += 1
    return first == last and _NUMBER.match(source.word(first)) is not None
