"""Files in the build folder: written whole or not at all, and only when they change."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from portgpu.atomic import replace_file
from portgpu.console import note
from portgpu.errors import OutputError

TAG = "CACHEDIR.TAG"


def digest(data: bytes) -> str:
    """A content key: 128 bits, hexadecimal."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write(path: Path, data: bytes) -> bool:
    """Write a file if its content differs; returns whether it did. Never leaves half a file."""
    try:
        if path.is_file() and not path.is_symlink() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise unusable(path, error) from error
    return True


def link(path: Path, to: Path, *, relative: bool) -> None:
    """Make `path` a link to `to`; a `relative` one moves with the folder that holds both."""
    wanted = os.path.relpath(to, path.parent) if relative else str(to)
    try:
        if path.is_symlink() and str(path.readlink()) == wanted:
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(wanted)
    except OSError as error:
        raise unusable(path, error) from error


def unusable(path: Path, error: OSError) -> OutputError:
    """An `OutputError` that says what to do about a full disk or a read-only folder."""
    hints = {
        errno.ENOSPC: "free some space, or choose another folder with --build-dir",
        errno.EDQUOT: "your quota is used up; choose another folder with --build-dir",
        errno.EACCES: "make it writable, or choose another folder with --build-dir",
        errno.EPERM: "make it writable, or choose another folder with --build-dir",
        errno.EROFS: "the file system is read-only; choose another folder with --build-dir",
    }
    return OutputError(
        f"{error.filename or path}: {(error.strerror or str(error)).lower()}",
        hint=hints.get(error.errno or 0, "choose another folder with --build-dir"),
    )


def mark(build_dir: Path) -> None:
    """Say that the folder can be made anew: to git, to backup programs, and to our own globs.

    A folder that already holds other things is left alone: it may be the user's own.
    """
    if build_dir.is_dir() and any(build_dir.iterdir()):
        return
    write(build_dir / ".gitignore", b"*\n")
    write(build_dir / TAG, b"Signature: 8a477f597d28d172789f06886806bc55\n# Made by portgpu.\n")


def sync_tree(source: Path, to: Path) -> None:
    """Make `to` hold exactly the files of `source`; unchanged files keep their times."""
    wanted = set()
    for path in sorted(source.rglob("*")):
        if path.is_file():
            relative = path.relative_to(source)
            wanted.add(to / relative)
            write(to / relative, path.read_bytes())
    remove_others(to, wanted)


def remove_others(folder: Path, wanted: set[Path]) -> None:
    """Remove files below `folder` that are not wanted, and folders that are then empty."""
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() or path.is_symlink():
            if path not in wanted:
                path.unlink()
        else:
            with contextlib.suppress(OSError):
                path.rmdir()


def clear(folder: Path) -> None:
    """Remove a folder with everything in it."""
    if folder.is_dir():
        shutil.rmtree(folder)


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[int]:
    """Hold the folder's lock; yields its file descriptor for children to inherit.

    A second build waits. The lock belongs to the open file, which Ninja inherits: when a build is
    killed, the next one waits until its last compiler is gone.
    """
    path = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise unusable(path, error) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note(f"{folder}: another build is at work here; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
