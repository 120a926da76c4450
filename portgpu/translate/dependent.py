"""Templates that nvcc reads more kindly: result types without `typename`, `T __restrict__ x`.

`T __restrict__ x` with a class for T is no pointer that could be restricted: the word is dropped.

`template <class T> A<T>::value A<T>::get()` needs it before C++20, and in HIP's compiler before
version 16 in C++20 too.
"""

from __future__ import annotations

from portgpu.source.syntax import Source
from portgpu.translate.model import Context

_SPECIFIERS = frozenset(
    b"inline static constexpr const __host__ __device__ __forceinline__ __inline__".split()
)
_NO_NAMES = frozenset((b"operator", b"template"))


def rewrite(context: Context) -> None:
    """Inserts `typename` before such types, and drops `__restrict__` behind template parameters."""
    source = context.source
    if b"template" not in source.data or context.is_hip:
        return
    if b"__restrict" in source.data:
        _restricted(context)
    for i, word in enumerate(source.text):
        if word != b"template" or source.word(i + 1) != b"<" or source.word(i + 2) == b">":
            continue
        close = source.template_close(i + 1, len(source.code))
        start = _type(source, close + 1) if close is not None else None
        if start is not None and start not in context.claimed:
            context.insert_before(start, b"typename ")


def _restricted(context: Context) -> None:
    source = context.source
    for i, word in enumerate(source.text):
        if word not in (b"__restrict__", b"__restrict") or not source.is_ident(i + 1):
            continue
        at = i - 2 if source.word(i - 1) == b"const" else i - 1  # "T const __restrict__ x"
        before = source.word(at - 1)
        if before in (b"(", b",", b"const") and _is_parameter(source, source.word(at)):
            context.replace(i, b"")


def _is_parameter(source: Source, name: bytes) -> bool:
    """Whether the file has a template parameter of that name."""
    return any(
        source.word(i - 1) in (b"typename", b"class") and source.word(i + 1) in (b",", b">", b"=")
        for i in source.places.get(name, ())
    )


def _type(source: Source, i: int) -> int | None:
    """First token of `A<…>::B` before a declarator, at `i` or behind specifiers."""
    while source.word(i) in _SPECIFIERS:
        i += 1
    if not source.is_ident(i) or source.word(i + 1) != b"<":
        return None
    close = source.template_close(i + 1, len(source.code))
    if close is None or source.word(close + 1) != b"::" or not source.is_ident(close + 2):
        return None
    if source.text[close + 2] in _NO_NAMES:
        return None
    follows = close + 3
    while source.word(follows) in (b"*", b"&", b"const"):
        follows += 1
    return i if source.is_ident(follows) and source.text[follows] != b"operator" else None
