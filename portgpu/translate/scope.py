"""Scopes of a file, as far as braces and a few words tell: which braces are function bodies."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from portgpu.source.syntax import Source

_DEEPEST = 256  # brackets in each other that Clang takes
_TYPE_WORDS = frozenset((b"class", b"struct", b"union", b"enum"))


def brace_kind(source: Source, i: int) -> str:
    """What the "{" at `i` opens: "namespace", "class", "enum", "function", "block" or "init"."""
    j = i - 1
    previous = source.word(j)
    if previous == b")":
        return "function"
    if previous in (b"=", b",", b"(", b"return", b"[", b"<", b"<<"):
        return "init"
    if previous in (b"else", b"do", b"try", b";", b"{", b"}", b":", b""):
        return "block"
    if previous in (
        b"const",
        b"noexcept",
        b"override",
        b"final",
        b"mutable",
        b"&",
        b"&&",
        b"volatile",
    ):
        if previous != b"final" and source.word(j - 1) == b")":
            return "function"
        if previous in (b"override", b"noexcept", b"mutable"):
            return "function"
    # Walk back to the start of the declaration.
    while j >= 0:
        word = source.text[j]
        if word in (b";", b"{", b"}"):
            break
        if word == b")":
            opener = source.match.get(j)
            if opener is None:
                break
            if source.word(opener - 1) not in (
                b"__align__",
                b"alignas",
                b"__attribute__",
                b"__declspec",
            ):
                return "function"  # a trailing return type, a constructor's initialiser list
            j = opener - 1
            continue
        if word in (b"namespace",):
            return "namespace"
        if word in _TYPE_WORDS:
            return "enum" if word == b"enum" or source.word(j - 1) == b"enum" else "class"
        if word == b"extern":
            return "namespace"  # extern "C" {
        if word in (b"=", b"return", b","):
            return "init" if word != b"," else "class"
        j -= 1
    return "init"


def enclosing_heads(source: Source, i: int) -> Iterator[tuple[int, set[bytes]]]:
    """Each "{" around `i`, innermost first, and the words since the statement before it."""
    opener = source.enclosing(i)
    for _ in range(_DEEPEST):
        if opener is None:
            break
        if source.text[opener] == b"{":
            yield opener, _head(source, opener)
        opener = source.enclosing(opener)


def _head(source: Source, brace: int) -> set[bytes]:
    heads = _heads(source)
    if brace not in heads:
        words = heads[brace] = set()
        k = brace - 1
        while k >= 0 and source.text[k] not in (b";", b"{"):
            if source.text[k] == b"}":
                if not _is_value(source, k):
                    break
                k = source.match[k]
            words.add(source.text[k])
            k -= 1
    return heads[brace]


@functools.lru_cache(maxsize=1)
def _heads(source: Source) -> dict[int, set[bytes]]:
    """What `_head` has found in this file."""
    return {}


def _is_value(source: Source, close: int) -> bool:
    """Whether the braces that end here hold a value: `: a{}, b{1} {`, `f(int x = {}) {`."""
    before = source.match.get(close, 0) - 1
    if before < 0 or source.word(close + 1) not in (b",", b"{", b")"):
        return False
    if source.text[before] in (b">", b"=", b"(", b","):
        return True
    named = source.is_ident(before) and source.text[before] not in (b"else", b"do", b"try")
    return named and source.word(before - 1) in (b",", b":", b"::", b"(")


def function_depths(source: Source) -> set[int]:
    """Indices of all code tokens inside function bodies."""
    inside: set[int] = set()
    stack: list[bool] = []
    for i, word in enumerate(source.text):
        if stack and stack[-1]:
            inside.add(i)
        if word == b"{":
            nested = bool(stack) and stack[-1]
            kind = brace_kind(source, i)
            stack.append(nested or kind in ("function",))
        elif word == b"}" and stack:
            stack.pop()
    return inside
