"""Writes rendered headers: only what changed, and never half a file."""

from __future__ import annotations

from pathlib import Path

from portgpu.atomic import replace_file
from portgpu.errors import OutputError


def write(files: dict[str, bytes], out: Path) -> list[Path]:
    """Write `files` (path below `out` -> bytes) and return their paths, in order.

    A file whose bytes are already right is not touched. Raises `OutputError`.
    """
    written = []
    try:
        for name, text in files.items():
            path = out / name
            written.append(path)
            if path.is_file() and path.read_bytes() == text:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text, 0o644)
    except OSError as error:
        raise OutputError(
            f"{error.filename or out}: {error.strerror or error}",
            hint="name an output folder that can be written and has room",
        ) from error
    return written
