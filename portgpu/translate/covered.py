"""What is there under which `#if`: includes where they are needed, declarations for AMD alone."""

from __future__ import annotations

import bisect
import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from portgpu.source.syntax import Source
from portgpu.translate.model import HIP_TESTS

# What projects define for AMD themselves: hipcc knows nothing of it.
_OWN_TESTS = frozenset((b"USE_ROCM", b"USE_HIP"))
_DEEPEST = 256  # conditions in each other that are told apart
_LONGEST = 1000  # bytes of a condition


@dataclass(slots=True, eq=False)
class _Branch:
    text: bytes
    outer: _Branch | None
    chain: frozenset[bytes]
    last: int | None = None  # index of its last code token, once it is closed


class Branches:
    """The preprocessor's branches of a file.

    A branch is the text of its condition, so that two `#ifdef X` are the same one.
    """

    def __init__(self, source: Source) -> None:
        self._firsts = [-1]  # index of the directive that begins a stretch
        self._starts = [0]  # offset behind it
        self._inner: list[_Branch | None] = [None]
        branch: _Branch | None = None
        for d in source.directives:
            if d.name in (b"if", b"ifdef", b"ifndef"):
                branch = _opened(_condition(source, d.first, d.last), branch)
            elif d.name in (b"elif", b"else", b"elifdef", b"elifndef") and branch:
                branch.last = d.first - 1
                other = b"not " + _short(branch.text) + b" " + _condition(source, d.first, d.last)
                branch = _opened(other, branch.outer)
            elif d.name == b"endif" and branch:
                branch.last = d.first - 1
                branch = branch.outer
            else:
                continue
            self._firsts.append(d.first)
            self._starts.append(source.code[d.last].end)
            self._inner.append(branch)

    def at(self, offset: int) -> frozenset[bytes]:
        """Conditions that hold at a byte; a directive's own line lies outside of it."""
        branch = self._inner[bisect.bisect_right(self._starts, offset) - 1]
        return branch.chain if branch else frozenset()

    def covers(self, include: int, uses: Iterable[int]) -> bool:
        """Whether the code at every use is compiled only where that at `include` is."""
        needed = self.at(include)
        return not needed or all(needed <= self.at(use) for use in uses)

    def end(self, i: int, tests: frozenset[bytes]) -> int | None:
        """Last code token of the innermost branch around `i` that needs one of `tests`, or None."""
        branch = self._inner[bisect.bisect_right(self._firsts, i) - 1]
        while branch and not _needs(branch.text, tests):
            branch = branch.outer
        return branch.last if branch else None


def _opened(text: bytes, outer: _Branch | None) -> _Branch:
    chain = outer.chain if outer else frozenset()
    return _Branch(text, outer, chain | {text} if len(chain) < _DEEPEST else chain)


def _condition(source: Source, first: int, last: int) -> bytes:
    return b" ".join(source.text[first + 1 : last + 1])


def _short(text: bytes) -> bytes:
    """A text that is as good as `text` to tell branches apart: chains of #elif add up."""
    return text if len(text) <= _LONGEST else b"not " + hashlib.sha256(text).hexdigest().encode()


@functools.lru_cache(maxsize=1)
def branches_of(source: Source) -> Branches:
    """The branches of a file, found once."""
    return Branches(source)


def in_amd_branch(source: Source, i: int) -> bool:
    """Whether `i` lies in a branch for AMD, where code has HIP's meaning already."""
    return _end_of_branch(source, i, HIP_TESTS) is not None


def end_of_own_branch(source: Source, i: int) -> int | None:
    """Last code token of the innermost branch around `i` that a project has for AMD, or None.

    Such a branch is left as it is, and whether it is compiled is for the project to say.
    """
    return _end_of_branch(source, i, _OWN_TESTS)


def _end_of_branch(source: Source, i: int, tests: frozenset[bytes]) -> int | None:
    return branches_of(source).end(i, tests) if _mentions(source, tests) else None


@functools.lru_cache(maxsize=4)
def _mentions(source: Source, tests: frozenset[bytes]) -> bool:
    return any(name in source.data for name in tests)


@functools.lru_cache(maxsize=1000)
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
