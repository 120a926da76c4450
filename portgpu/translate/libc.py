"""Functions of C that nvcc brings into every `.cu` and HIP does not in every version."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.scope import enclosing_heads

# Header -> functions for whose sake it is included. <stdlib.h> comes with HIP's compiler, as does
# <cmath>; only <math.h> itself brings the classifications and the functions of a float (`pow`) into
# the global namespace.
_FUNCTIONS = {
    "string.h": frozenset(
        b"memset memcpy memmove memcmp memchr strlen strcmp strncmp strcpy strncpy strcat strncat"
        b" strchr strrchr strstr strtok strdup strerror strspn strcspn strpbrk".split()
    ),
    "math.h": frozenset(
        b"isnan isinf isfinite isnormal signbit fpclassify fabs pow sqrt cbrt exp exp2 expm1 log"
        b" log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh floor"
        b" ceil round trunc rint fmod fmin fmax hypot erf erfc tgamma lgamma copysign fma"
        b" ldexp".split()
    ),
}
_ALSO = {"string.h": frozenset(("cstring",)), "math.h": frozenset(("complex.h", "tgmath.h"))}
_ANY = re.compile(
    rb"\b(?:" + b"|".join(b"|".join(sorted(f)) for f in _FUNCTIONS.values()) + rb")\b"
)
# HIP's own take ints alone on the host; ours take what nvcc's take.
_MIN_MAX = frozenset((b"min", b"max"))
_UNSIGNED = re.compile(
    rb"\b(?:unsigned|u(?:int|long)\w*|size_t|sizeof|(?:thread|block)Idx|(?:block|grid)Dim)\b|\d[uU]"
)
_FLOAT = re.compile(rb"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?[fF]?")
_BEFORE_CALL = frozenset((b"return", b"else", b"do", b"case", b"throw"))


def needed(context: Context) -> list[str]:
    """Names of the headers that the file's host code needs and does not include."""
    source = context.source
    suffix = PurePosixPath(source.path).suffix.lower()
    if suffix != ".cu" or context.is_hip or context.options.hipify:
        return []
    if _ANY.search(source.data) is None:
        return []
    have = {i.name for i in source.includes}
    return [
        header
        for header, functions in _FUNCTIONS.items()
        if not have & ({header} | _ALSO[header]) and _calls(source, functions)
    ]


def needs_min_max(context: Context) -> bool:
    """Whether host code calls nvcc's `min` or `max`, or device code may with unsigned numbers.

    HIP compares numbers of two types as doubles on devices: `min(unsigned, int)` would have a sign.
    """
    source = context.source
    if context.is_hip or context.options.hipify or not context.options.compat:
        return False
    suffix = PurePosixPath(source.path).suffix.lower()
    if suffix in (".cpp", ".cc", ".cxx", ".c") or not _MIN_MAX & set(source.text):
        return False
    own = {source.word(d.first + 2) for d in source.directives if d.name == b"define"}
    if not (_MIN_MAX - own) & set(source.text):
        return False  # macros of the file's own
    if _calls(source, _MIN_MAX):
        return True
    return _UNSIGNED.search(source.data) is not None and any(
        word in _MIN_MAX
        and source.word(i + 1) == b"("
        and source.word(i - 1) not in (b"::", b".", b"->")
        and not _are_floats(source, i + 1)
        for i, word in enumerate(source.text)
    )


def _are_floats(source: Source, opener: int) -> bool:
    """Whether an argument of the call is a floating-point number as it stands there."""
    return any(
        _FLOAT.fullmatch(w) for w in source.text[opener + 1 : source.match.get(opener, opener)]
    )


def _calls(source: Source, functions: frozenset[bytes]) -> bool:
    """Whether host code calls one of these; one that the file has itself is no such call."""
    found = False
    for i, word in enumerate(source.text):
        if word not in functions or source.word(i + 1) != b"(" or not source.is_ident(i):
            continue
        before = source.word(i - 1)
        if before in (b".", b"->") or (before == b"::" and source.is_ident(i - 2)):
            continue
        if source.is_ident(i - 1) and before not in _BEFORE_CALL and _same_line(source, i):
            return False  # `int strlen(...)` declares it
        found = found or not _on_device(source, i)
    return found


def _same_line(source: Source, i: int) -> bool:
    return b"\n" not in source.data[source.code[i - 1].end : source.code[i].start]


def _on_device(source: Source, i: int) -> bool:
    """Whether `i` lies in a function for devices alone."""
    return any(
        words & {b"__global__", b"__device__"} and b"__host__" not in words
        for _, words in enclosing_heads(source, i)
    )
