"""Edits as byte spans on the original bytes."""

from __future__ import annotations

from collections.abc import Iterable

from portgpu.errors import InternalError
from portgpu.findings import Edit


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """`data` with all edits applied; every offset refers to `data` itself.

    Edits may touch but not overlap; insertions at one place keep their order. Raises
    `InternalError` for edits that overlap or leave the file.
    """
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < done or not edit.start <= edit.end <= len(data):
            raise InternalError(f"edits overlap or leave the file at byte {edit.start}")
        pieces += (data[done : edit.start], edit.text)
        done = edit.end
    pieces.append(data[done:])
    return b"".join(pieces)


def invert_edits(data: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The edits that turn `apply_edits(data, edits)` back into `data`."""
    inverse: list[Edit] = []
    shift = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        start = edit.start + shift
        inverse.append(Edit(start, start + len(edit.text), data[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return inverse
