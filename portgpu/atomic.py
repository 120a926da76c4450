"""Files that others see old or new, never in part."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write `path`, in a folder that exists, in one step. Raises `OSError` and leaves no rest.

    `mode` are the permission bits, by default those of any new file.
    """
    part = path.with_name(f".{os.getpid()}.{threading.get_ident()}.part")
    try:
        # What is to be private is so from its first byte on.
        flags, first = os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666 if mode is None else 0o600
        with os.fdopen(os.open(part, flags, first), "wb") as out:
            out.write(data)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
