"""Side-by-side views of one file, from its edits: no diff algorithm guesses what was changed.

A view is plain data for the page's script. Columns count UTF-16 units, as JavaScript does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from portgpu.findings import Edit, Finding, Severity
from portgpu.report.model import SourceFile
from portgpu.source import LineIndex

_LEVELS = list(Severity)
# Characters that would hide or reorder code on the page (CVE-2021-42574) become visible ones.
_VISIBLE = {c: 0x2400 + c for c in range(0x20) if c != 9} | {0x7F: 0x2421}
_VISIBLE |= dict.fromkeys([1564, 8206, 8207, *range(8234, 8239)], 65533)
_VISIBLE |= dict.fromkeys([*range(8294, 8298), 8232, 8233, 8203, 65279], 65533)

Mark = tuple[int, int, int]  # line of the hunk (from 0), first column, column behind


@dataclass(slots=True)
class Hunk:
    """Lines `[first, first + count)` (from 1) of the original become `right`."""

    first: int
    count: int
    removed: list[Mark] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    added: list[Mark] = field(default_factory=list)


def visible(text: str) -> str:
    """`text` with control and direction characters made visible, each by one character."""
    return text.translate(_VISIBLE).encode("utf-8", "replace").decode()


def view(file: SourceFile, around: int | None = None) -> dict[str, Any]:
    """The file as data: `segments` of original lines, `hunks`, `findings`.

    With `around`, only that many lines around hunks and findings are in `segments`.
    """
    index = LineIndex(file.data)
    lines = split(file.data)
    parts = hunks(file.data, file.edits, index)
    found = [_finding(f, file.data, index, len(lines)) for f in file.findings]
    near = None
    if around is not None:
        near = {n for h in parts for n in range(h.first - around, h.first + h.count + around)}
        near |= {n for f in found for n in range(f[0] - around, f[0] + around + 1)}
    return {
        "segments": _segments(lines, near),
        "lines": len(lines),
        "hunks": [[h.first, h.count, h.removed, h.right, h.added] for h in parts],
        "findings": found,
    }


def split(data: bytes) -> list[str]:
    """Lines without their ends; a last empty line does not count."""
    starts = LineIndex(data).starts
    pieces = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    if len(pieces) > 1 and not pieces[-1]:
        pieces.pop()
    return [_text(piece) for piece in pieces]


def hunks(data: bytes, edits: Sequence[Edit], index: LineIndex) -> list[Hunk]:
    """Groups of edits that touch the same lines, each with what these lines become."""
    groups: list[tuple[int, int, list[Edit]]] = []
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        first, last = index.position(edit.start)[0], index.position(edit.end)[0]
        if edit.start == edit.end == index.starts[first - 1] and edit.text.endswith(b"\n"):
            last = first - 1  # whole lines before this one, which stands beside its own change
        if groups and groups[-1][1] >= first:
            old = groups[-1]
            groups[-1] = (old[0], max(old[1], last), [*old[2], edit])
        else:
            groups.append((first, last, [edit]))
    return [_hunk(data, first, last, group, index) for first, last, group in groups]


def _hunk(data: bytes, first: int, last: int, edits: list[Edit], index: LineIndex) -> Hunk:
    begin = index.starts[first - 1]
    end = index.starts[last] if last < len(index.starts) else len(data)
    if last < first:
        end = begin
    right = b""
    added, removed = [], []
    at = begin
    for edit in edits:
        right += data[at : edit.start]
        added.append((len(right), len(right) + len(edit.text)))
        removed.append((edit.start - begin, edit.end - begin))
        right += edit.text
        at = edit.end
    right += data[at:end]
    left = data[begin:end]
    count = len(split(left)) if left else 0  # an insertion behind the last line end
    return Hunk(
        first, count, _marks(left, removed), split(right) if right else [], _marks(right, added)
    )


def _marks(data: bytes, spans: Sequence[tuple[int, int]]) -> list[Mark]:
    """Byte spans as marks of lines; empty ones are left out."""
    index = LineIndex(data)
    marks = []
    for start, end in spans:
        line = bisect_right(index.starts, start)
        while start < end:
            begin = index.starts[line - 1]
            stop = index.starts[line] if line < len(index.starts) else len(data)
            body = data[begin:stop].rstrip(b"\r\n")
            a = _units(body[: start - begin])
            b = _units(body[: min(end, stop) - begin])
            if b > a:
                marks.append((line - 1, a, b))
            start, line = stop, line + 1
    return marks


def _finding(finding: Finding, data: bytes, index: LineIndex, lines: int) -> list[Any]:
    """[line, column, column behind, level, id, message, hint, confidence]; columns from 0."""
    line = min(max(finding.line, 1), lines)
    begin = index.starts[line - 1]
    stop = index.starts[line] if line < len(index.starts) else len(data)
    body = data[begin:stop].rstrip(b"\r\n")
    start = min(max(finding.column - 1, 0), len(body))
    end = min(start + max(finding.end - finding.start, 0), len(body))
    return [
        line,
        _units(body[:start]),
        _units(body[:end]),
        _LEVELS.index(finding.severity),
        finding.id,
        visible(finding.message),
        visible(finding.hint),
        finding.confidence,
    ]


def _segments(lines: list[str], near: set[int] | None) -> list[list[Any]]:
    if near is None:
        return [[1, lines]]
    found: list[list[Any]] = []
    for number, line in enumerate(lines, 1):
        if number in near:
            if found and found[-1][0] + len(found[-1][1]) == number:
                found[-1][1].append(line)
            else:
                found.append([number, [line]])
    return found


def _text(piece: bytes) -> str:
    return visible(piece.rstrip(b"\r\n").decode("utf-8", "replace"))


def _units(piece: bytes) -> int:
    text = piece.decode("utf-8", "replace")
    return len(text) + sum(c > "\uffff" for c in text)
