"""Writes rendered headers: only what changed, and never half a file."""

from __future__ import annotations

from pathlib import Path

from portgpu import atomic


def write(files: dict[str, bytes], out: Path) -> list[Path]:
    """Write `files` (path below `out` -> bytes) and return their paths, in order.

    A file whose bytes are already right is not touched. Raises `OutputError`.
    """
    for name, text in files.items():
        atomic.write(out / name, text)
    return [out / name for name in files]
