"""Which code the preprocessor excludes, as far as `#if 0` and `#ifdef NAME` tell."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.source.syntax import Directive, Source

_ALWAYS = frozenset((b"__CUDACC__", b"__NVCC__", b"__cplusplus", b"__CUDA__"))


def excluded(source: Source, defined: frozenset[bytes]) -> Iterator[int]:
    """Indices of code tokens in blocks that are surely skipped (unclear ones are not)."""
    known = set(defined | _ALWAYS)
    # Each level: (is this branch taken or unclear?, has a branch been taken for sure?)
    stack: list[tuple[bool, bool]] = []
    position = 0
    for d in source.directives:
        if any(not live for live, _ in stack):
            yield from range(position, d.first)
        position = d.last + 1
        live = all(level for level, _ in stack)
        if d.name in (b"if", b"ifdef", b"ifndef"):
            value = _value(source, d, known)
            stack.append((value is not False, value is True))
        elif d.name in (b"elif", b"else") and stack:
            _, done = stack[-1]
            value = True if d.name == b"else" else _value(source, d, known)
            stack[-1] = (not done and value is not False, done or value is True)
        elif d.name == b"endif" and stack:
            stack.pop()
        elif d.name == b"define" and live:
            known.add(source.word(d.first + 2))
        elif not live:
            yield from range(d.first, d.last + 1)


def _value(source: Source, d: Directive, known: set[bytes]) -> bool | None:
    """The condition's value; None when it is not one of the plain forms."""
    words = source.text[d.first + 2 : d.last + 1]
    if d.name in (b"ifdef", b"ifndef"):
        return (words[:1] != [] and words[0] in known) == (d.name == b"ifdef")
    if words in ([b"0"], [b"false"]):
        return False
    if words in ([b"1"], [b"true"]):
        return True
    negated = words[:1] == [b"!"]
    plain = [w for w in words[negated:] if w not in (b"(", b")")]
    if len(plain) == 2 and plain[0] == b"defined":
        return (plain[1] in known) != negated
    return None
