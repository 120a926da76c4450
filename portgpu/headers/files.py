"""Writes rendered headers: only what changed, and never half a file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

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
            _replace(path, text)
    except OSError as error:
        raise OutputError(
            f"{error.filename or out}: {error.strerror or error}",
            hint="name an output folder that can be written and has room",
        ) from error
    return written


def _replace(path: Path, text: bytes) -> None:
    """Write atomically: a build that is killed, or one beside it, never sees half a header."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
