"""Members of cooperative groups that neither HIP nor our header has."""

from __future__ import annotations

import functools
import re

from portgpu import mapping
from portgpu.mapping import Status
from portgpu.translate.declared import Declarations
from portgpu.translate.homes import words_of
from portgpu.translate.model import Context

_SPACE = b"cooperative_groups"
_ALIAS = re.compile(rb"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?cooperative_groups\s*;")
_OPENED = re.compile(rb"\busing\s+namespace\s+(?:::\s*)?(?:cooperative_groups|cg)\s*;")


@functools.cache
def _missing() -> dict[bytes, str]:
    """Member that our header lacks -> what the table says about it."""
    have = words_of("cg")
    rows = mapping.load().family("cooperative_groups")
    found = {row.cuda.rpartition("::")[2]: row.note for row in rows if "::" in row.cuda}
    return {name.encode(): note for name, note in found.items() if name not in have}


@functools.cache
def _nowhere() -> frozenset[bytes]:
    rows = mapping.load().family("cooperative_groups")
    return frozenset(
        row.cuda.rpartition("::")[2].encode() for row in rows if row.status is Status.UNSUPPORTED
    )


def rewrite(context: Context, declared: Declarations) -> None:
    """Reports such members, by the namespace's own name, an alias of it, or without either."""
    source = context.source
    if _SPACE not in source.data or context.is_hip:
        return
    missing = _missing()
    if not any(name in source.places for name in missing):
        return
    spaces = {_SPACE, *_ALIAS.findall(source.data)}
    opened = _OPENED.search(source.data) is not None
    for name, note in missing.items():
        if context.options.compat is None and name not in _nowhere():
            continue
        for i in source.places.get(name, ()):
            if i in context.claimed or not source.is_ident(i):
                continue
            if source.word(i - 1) == b"::":
                if source.word(i - 2) not in spaces:
                    continue
            elif not opened or source.word(i - 1) in (b".", b"->") or declared.covers(i):
                continue
            context.report(
                "PG1001",
                i,
                f"cooperative_groups::{name.decode()} has no counterpart in HIP"
                + (f": {note}" if note else ""),
                hint="write it by thread_block, or for CUDA only",
                symbol=f"cooperative_groups::{name.decode()}",
            )
