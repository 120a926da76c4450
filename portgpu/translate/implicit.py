"""nvcc's implicit include, in headers and host files that lean on it."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable

from portgpu.source.syntax import Source
from portgpu.translate.covered import branches_of

# The C and C++ libraries, and what POSIX adds: nothing in them brings a GPU's runtime.
_STANDARD = re.compile(
    r"[a-z_0-9]+|sys/\w+\.h|(?:assert|complex|ctype|errno|fcntl|float|getopt|inttypes|iso646|limits"
    r"|locale|malloc|math|memory|pthread|setjmp|signal|stdalign|stdarg|stdbool|stddef|stdint|stdio"
    r"|stdlib|string|strings|tgmath|time|unistd|wchar|wctype|omp|values)\.h"
)
_OF_NVCC = (b"__CUDACC__", b"__NVCC__", b"__HIPCC__")


def standard(names: Iterable[str]) -> bool:
    """Whether all these includes are of the language's own libraries."""
    return all(_STANDARD.fullmatch(name) for name in names)


def condition(source: Source, at: int, uses: Iterable[int]) -> bytes | None:
    """Under what an include at `at` serves the code at `uses`; None where that cannot be told.

    Empty: always. Else the code is for nvcc alone, and others may read the file without an SDK.
    Bodies of macros do not count: whoever uses them has what they need.
    """
    branches = branches_of(source)
    here = branches.at(at)
    spans = [source.span(d.first, d.last) for d in source.directives]
    starts = [start for start, _ in spans]
    inner = []
    for use in uses:
        k = bisect.bisect_right(starts, use) - 1
        if k < 0 or use >= spans[k][1]:
            inner.append(branches.at(use) - here)
    if not inner:
        return None
    if not all(inner):
        return b""
    if all(any(test in text for text in found for test in _OF_NVCC) for found in inner):
        return b"#if defined(__HIPCC__)"
    return None
