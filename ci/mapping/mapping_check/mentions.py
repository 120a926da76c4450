"""Names in texts that are no public headers: they show that a name exists, and a call's arguments.

Tokens are read, so that a name in a comment or a string is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapping_check import clang_facts, fetch
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source


@dataclass(slots=True)
class Mentions:
    """One text source: name -> the numbers of arguments it is called or declared with."""

    name: str
    counts: dict[str, set[int]]


def read(folder: Path) -> list[Mentions]:
    """All sources of `sets.toml`, in its order."""
    return [Mentions(e["name"], _counts(_files(folder, e))) for e in fetch.mentions()]


def _files(folder: Path, entry: dict[str, Any]) -> list[Path]:
    if "clang" in entry:
        base = clang_facts.clang_includes(entry["clang"])
    else:
        base = folder / entry.get("of", f"mention-{entry['name']}") / "include"
    return [base / name for name in entry["files"]]


def _counts(files: list[Path]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for path in files:
        source = Source(path.read_bytes(), path.name)
        for i, token in enumerate(source.code):
            if token[0] == Kind.INCLUDE:
                name = source.text[i].split(b"<")[-1].split(b'"')[-1].rstrip(b'">')
                found.setdefault(name.decode("latin-1").rpartition("/")[2], set())
            if token[0] != Kind.IDENT:
                continue
            counts = found.setdefault(source.text[i].decode("latin-1"), set())
            close = source.match.get(i + 1)
            if source.word(i + 1) == b"(" and close is not None:
                counts.add(len(source.split_commas(i + 2, close - 1)))
    return found
