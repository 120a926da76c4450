"""Members of the host API's structures that HIP calls otherwise, or has not."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator

from portgpu import resources
from portgpu.source.syntax import Source
from portgpu.translate.model import Context

_REACH = 24  # tokens of a declaration behind the type's name


@functools.cache
def table() -> dict[bytes, dict[bytes, tuple[bytes, str]]]:
    """CUDA's structure -> member -> (HIP's name for it or nothing, a note): `fields.csv`."""
    found: dict[bytes, dict[bytes, tuple[bytes, str]]] = {}
    path = resources.data("translate", "fields.csv")
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            members = found.setdefault(row["struct"].encode(), {})
            members[row["field"].encode()] = (row["hip"].encode(), row["note"])
    return found


def rewrite(context: Context) -> None:
    """Renames such members of variables that this file declares, and reports the others."""
    source = context.source
    for struct, members in table().items():
        if struct not in source.places:
            continue
        used = [member for member in members if member in source.places]
        declared = _declared(source, struct) if used else frozenset()
        for member in used:
            hip, note = members[member]
            for i in source.places[member]:
                if i in context.claimed or not _is_member(source, i, declared):
                    continue
                if hip:
                    context.replace(i, hip)
                    context.claimed.add(i)
                    continue
                context.report(
                    "PG1003",
                    i,
                    f"{struct.decode()} and HIP's structure differ: {note}",
                    hint=f"portgpu mapping {struct.decode()}",
                    symbol=struct.decode(),
                )


def _declared(source: Source, struct: bytes) -> frozenset[bytes]:
    """Variables, parameters and members of that type, pointers and containers of it too."""
    return frozenset(name for i in source.places[struct] for name in _names_behind(source, i))


def _names_behind(source: Source, i: int) -> Iterator[bytes]:
    depth = 0
    for j in range(i + 1, min(i + _REACH, len(source.text))):
        word = source.text[j]
        depth += (word in (b"(", b"[", b"{")) - (word in (b")", b"]", b"}"))
        if word == b";" or depth < 0 or (depth == 0 and word == b"{"):
            return
        if word == b"," and depth == 0 and not _goes_on(source, j + 1):
            return
        after = source.word(j + 1)
        ends = after in (b"=", b";", b",", b"[", b"{", b"(", b")")
        if depth == 0 and source.is_ident(j) and ends and source.word(j - 1) != b"=":
            yield word


def _goes_on(source: Source, j: int) -> bool:
    """Whether another name of the same declaration stands at `j`, and no next parameter."""
    return source.word(j) in (b"*", b"&") or source.word(j + 1) in (b"=", b";", b",", b"[", b"{")


def _is_member(source: Source, i: int, declared: frozenset[bytes]) -> bool:
    """Whether `i` is behind `name.`, `name->`, `name[…].` or `name.at(…).` with one of them."""
    if source.word(i - 1) not in (b".", b"->"):
        return False
    before = i - 2
    while True:
        depth, called = 0, False
        while before > 0 and (depth or source.text[before] in (b"]", b")")):
            depth += source.text[before] in (b"]", b")")
            depth -= source.text[before] in (b"[", b"(")
            called |= source.text[before] == b"("
            before -= 1
        if source.word(before) in declared:
            return True
        if not called or source.word(before - 1) not in (b".", b"->"):  # no `all.at(1).member`
            return False
        before -= 2
