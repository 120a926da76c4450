"""Whether an include within `#if` is there wherever the file needs it."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from portgpu.source.syntax import Source


class Branches:
    """The preprocessor's branches of a file, asked by byte offset.

    A branch is the text of its condition, so that two `#ifdef X` are the same one.
    """

    def __init__(self, source: Source) -> None:
        self._starts = [0]
        self._chains: list[frozenset[bytes]] = [frozenset()]
        stack: list[bytes] = []
        for d in source.directives:
            if d.name in (b"if", b"ifdef", b"ifndef"):
                stack.append(_condition(source, d.first, d.last))
            elif d.name in (b"elif", b"else", b"elifdef", b"elifndef") and stack:
                stack[-1] = b"not " + stack[-1] + b" " + _condition(source, d.first, d.last)
            elif d.name == b"endif" and stack:
                stack.pop()
            else:
                continue
            self._starts.append(source.code[d.last].end)
            self._chains.append(frozenset(stack))

    def at(self, offset: int) -> frozenset[bytes]:
        """Conditions that hold at a byte; a directive's own line lies outside of it."""
        return self._chains[bisect.bisect_right(self._starts, offset) - 1]

    def covers(self, include: int, uses: Iterable[int]) -> bool:
        """Whether the code at every use is compiled only where that at `include` is."""
        needed = self.at(include)
        return not needed or all(needed <= self.at(use) for use in uses)


def _condition(source: Source, first: int, last: int) -> bytes:
    return b" ".join(source.text[first + 1 : last + 1])
