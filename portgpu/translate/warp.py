"""Warp intrinsics with the native warp: HIP's width, 64-bit masks, and findings about both."""

from __future__ import annotations

from portgpu.source.lexer import Kind
from portgpu.translate.model import Context

_MASK_RESULTS = frozenset(
    (b"__ballot", b"__ballot_sync", b"__activemask", b"__match_any_sync", b"__match_all_sync")
)
_NARROW = frozenset(
    (b"int", b"unsigned", b"uint32_t", b"int32_t", b"uint", b"unsigned int", b"long")
)


def native(context: Context, i: int, word: bytes, shim: str) -> None:
    """Renames one warp intrinsic to its native form, and reports 32-bit masks and results."""
    source = context.source
    if word == b"warpSize":
        context.report(
            "PG1403", i, "warpSize is 32 or 64 here, and no compile-time constant from HIP 7 on"
        )
        return
    if source.word(i + 1) == b"(":
        context.replace(i, context.shim(f"native::{shim}"))
    if word.endswith(b"_sync") and source.word(i + 1) == b"(":
        _mask(context, i + 2)
    if word in _MASK_RESULTS and _stored_narrow(context, i):
        context.report(
            "PG1404",
            i,
            f"{word.decode()} returns 64 bits, and 32 are kept",
            hint="store it in an unsigned long long, and count with __popcll",
        )


def _mask(context: Context, i: int) -> None:
    """A mask argument: a literal of 32 bits, or a variable declared with 32 bits."""
    source = context.source
    word = source.word(i)
    if word == b"~":
        word = source.word(i + 1)
    if source.code[i][0] == Kind.NUMBER or word[:1].isdigit():
        if not word.lower().rstrip(b"u").endswith(b"ll") and source.word(i + 1) in (b",", word):
            context.report(
                "PG1401",
                i,
                "a 32-bit mask names only half of a wave of 64 lanes",
                hint="use ~0ull for all lanes",
            )
    elif source.is_ident(i) and _declared_narrow(context, word):
        context.report(
            "PG1401",
            i,
            f"the mask {word.decode('utf-8', 'replace')} has 32 bits",
            hint="declare it as unsigned long long",
        )


def _declared_narrow(context: Context, name: bytes) -> bool:
    source = context.source
    return any(word == name and source.word(k - 1) in _NARROW for k, word in enumerate(source.text))


def _stored_narrow(context: Context, i: int) -> bool:
    """`unsigned m = __ballot(...)`, also through `auto`-free declarations with const."""
    source = context.source
    return (
        source.word(i - 1) == b"="
        and source.is_ident(i - 2)
        and (source.word(i - 3) in _NARROW or _declared_narrow(context, source.word(i - 2)))
    )
