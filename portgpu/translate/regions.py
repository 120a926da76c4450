"""Where names hold: reopened namespaces, methods outside of their class, heirs, templates."""

from __future__ import annotations

import bisect
from collections.abc import Generator, Iterable, Iterator

from portgpu.source.syntax import Source
from portgpu.translate.scope import brace_kind

_HEADS = (b"class", b"struct", b"union")


class Spans:
    """Ranges of indices, ends included: whether one of them holds an index is a bisection."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in sorted(ranges):
            if self._lasts and first <= self._lasts[-1] + 1:
                self._lasts[-1] = max(self._lasts[-1], last)
            else:
                self._firsts.append(first)
                self._lasts.append(last)

    def __contains__(self, i: int) -> bool:
        k = bisect.bisect_right(self._firsts, i) - 1
        return k >= 0 and i <= self._lasts[k]


def further(source: Source, opener: int, seen: set[bytes]) -> Iterator[tuple[int, int]]:
    """Ranges beyond the braces at `opener` in which the names declared there are found too.

    `seen` are the classes and namespaces for which the ranges are known; it grows.
    """
    kind = brace_kind(source, opener)
    if kind == "class":
        name = class_name(source, opener)
        while name and name not in seen:
            seen.add(name)
            yield from _bodies(source, name)
            name = yield from _heirs(source, name)
    elif kind == "namespace" and source.is_ident(opener - 1):
        name = source.text[opener - 1]
        if b"::" + name in seen:
            return  # all that follows the first one
        seen.add(b"::" + name)
        for i in source.places.get(name, ()):
            if source.word(i + 1) == b"{" and i + 1 != opener:
                before = source.word(i - 1)
                close = source.match.get(i + 1)
                if before in (b"namespace", b"::") and close is not None and i > opener:
                    yield i + 1, close


def class_name(source: Source, opener: int) -> bytes:
    """Name of the class whose body opens at `opener`; b"" when it has none."""
    i = opener - 1
    while i >= 0 and source.text[i] not in (b";", b"{", b"}"):
        if source.text[i] in _HEADS and source.is_ident(i + 1):
            j = i + 1
            while source.word(j + 1) == b"::" and source.is_ident(j + 2):
                j += 2
            return source.text[j]
        i -= 1
    return b""


def _bodies(source: Source, name: bytes) -> Iterator[tuple[int, int]]:
    """Bodies of functions defined as `Name::function(...) { }` or `Name<T>::function(...) { }`."""
    for i in source.places.get(name, ()):
        j = i + 1
        if source.word(j) == b"<":
            close = source.template_close(j, len(source.code))
            j = close + 1 if close is not None else j
        if source.word(j) != b"::":
            continue
        j += 1
        while source.is_ident(j) or source.word(j) in (b"~", b"::"):
            j += 1
        close = source.match.get(j)
        if source.word(j) != b"(" or close is None:
            continue
        body = close + 1
        while source.word(body) not in (b"{", b";", b"}", b""):
            body = max(body, source.match.get(body, body)) + 1
        if source.word(body) == b"{" and body in source.match:
            yield close + 1, source.match[body]


def _heirs(source: Source, name: bytes) -> Generator[tuple[int, int], None, bytes]:
    """Bodies of classes of the file that derive from `name`; returns the last heir's name.

    A base of templates is searched by `this->` alone, so that `Name<T>` makes no heir.
    """
    heir = b""
    for i in source.places.get(name, ()):
        if source.word(i + 1) not in (b",", b"{"):
            continue
        j = i - 1
        while source.word(j) not in (b";", b"{", b"}", b"(", b")", b""):
            if source.text[j] == b":" and any(
                source.word(k) in _HEADS for k in range(max(0, j - 6), j)
            ):
                opener = i
                while source.word(opener) not in (b"{", b";", b""):
                    opener += 1
                if source.word(opener) == b"{" and opener in source.match:
                    yield opener, source.match[opener]
                    heir = class_name(source, opener)
                break
            j -= 1
    return heir


def template_head(source: Source, i: int) -> int | None:
    """Index of the ">" of `template <...>` when `i` declares one of its parameters."""
    for j in range(i - 1, max(-1, i - 120), -1):
        if source.text[j] in (b";", b"{", b"}"):
            return None
        if source.text[j] == b"<" and source.word(j - 1) == b"template":
            close = source.template_close(j, len(source.code))
            return close if close is not None and close > i else None
    return None


def declaration_end(source: Source, i: int) -> int:
    """Index of the last token of the declaration that goes on behind `i`."""
    j = i + 1
    while j < len(source.code):
        if source.text[j] in (b";", b"{"):
            return source.match.get(j, j)
        if source.text[j] in (b"(", b"["):
            j = source.match.get(j, j)
        j += 1
    return len(source.code) - 1


def is_binding(source: Source, opener: int) -> bool:
    """Whether the "[" opens a structured binding: `auto& [a, b]`."""
    k = opener - 1
    while source.word(k) in (b"&", b"&&"):
        k -= 1
    return source.word(k) == b"auto"
