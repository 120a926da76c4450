"""What is there under which `#if`: includes where they are needed, declarations for AMD alone."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from portgpu.source.syntax import Source
from portgpu.translate.model import HIP_TESTS


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


# What projects define for AMD themselves: hipcc knows nothing of it.
_OWN_TESTS = frozenset((b"USE_ROCM", b"USE_HIP"))


def in_amd_branch(source: Source, i: int) -> bool:
    """Whether `i` lies in a branch for AMD, where code has HIP's meaning already."""
    return end_of_branch(source, i, HIP_TESTS) is not None


def end_of_own_branch(source: Source, i: int) -> int | None:
    """Last code token of the innermost branch around `i` that a project has for AMD, or None.

    Such a branch is left as it is, and whether it is compiled is for the project to say.
    """
    return end_of_branch(source, i, _OWN_TESTS)


def end_of_branch(source: Source, i: int, tests: frozenset[bytes]) -> int | None:
    """Last code token of the innermost branch around `i` that needs one of `tests`, or None."""
    if not any(name in source.data for name in tests):
        return None
    stack: list[bytes] = []
    depth = 0
    for d in source.directives:
        if d.first > i and not depth:
            depth = max((k for k, text in enumerate(stack, 1) if _needs(text, tests)), default=0)
            if not depth:
                return None
        if d.name in (b"if", b"ifdef", b"ifndef"):
            stack.append(_condition(source, d.first, d.last))
            continue
        if d.name not in (b"elif", b"else", b"elifdef", b"elifndef", b"endif") or not stack:
            continue
        if depth == len(stack):
            return d.first - 1
        if d.name == b"endif":
            stack.pop()
        else:
            stack[-1] = b"not " + stack[-1] + b" " + _condition(source, d.first, d.last)
    return None


def _needs(condition: bytes, tests: frozenset[bytes]) -> bool:
    """Whether code under a condition is compiled only where one of the macros `tests` is there."""
    words = condition.split()
    wanted = words[0] != b"not"
    if not wanted:
        if words[-1] != b"else" or b"not" in words[1:]:
            return False
        words = words[1:-1]
    if words[0] in (b"ifdef", b"ifndef"):
        return words[1:] != [] and words[1] in tests and wanted == (words[0] == b"ifdef")
    if words[0] != b"if" or (b"||" if wanted else b"&&") in words:
        return False
    for k, word in enumerate(words):
        if word in tests:
            before = [w for w in words[max(0, k - 3) : k] if w not in (b"(", b"defined")]
            return wanted != (before[-1:] == [b"!"])
    return False
