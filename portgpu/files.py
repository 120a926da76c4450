"""Reading sources: regular files alone, since a pipe would wait for ever and a device never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from portgpu.findings import Finding, page

UNREADABLE = "PG1704"


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; raises `OSError` for anything else."""
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def is_lock(name: str) -> bool:
    """Whether this is an editor's lock: a link to nowhere beside the file that it edits."""
    return name.startswith(".#")


def reason(error: OSError, path: Path) -> str:
    """Why a path could not be read, in words."""
    if error.errno == errno.ELOOP:
        return "a symbolic link that leads back to itself"
    if error.errno == errno.ENOENT and path.is_symlink():
        return f"a symbolic link to {path.readlink()}, which does not exist"
    if error.errno == errno.ENXIO:
        return "not a regular file"
    return (error.strerror or str(error)).lower()


def unreadable(label: str, path: Path, error: OSError) -> Finding:
    """The finding about a source that was left out."""
    text = f"left out: {reason(error, path)}"
    hint = "make it readable, or --exclude it"
    return Finding(label, 1, 1, UNREADABLE, page(UNREADABLE).severity, text, hint)
