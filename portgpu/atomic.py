"""Files that others see old or new, never in part."""

from __future__ import annotations

import itertools
import os
import stat
import threading
from pathlib import Path

from portgpu.errors import OutputError, UsageError


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write `path`, in a folder that exists, in one step. Raises `OSError` and leaves no rest.

    `mode` are the permission bits, by default those of any new file. A device or pipe (/dev/null)
    is written to: it is never replaced by a file.
    """
    if is_stream(path):
        with path.open("wb") as device:
            device.write(data)
        return
    part = path.with_name(f".{os.getpid()}.{threading.get_ident()}.part")
    try:
        # What is to be private is so from its first byte on.
        flags, first = os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666 if mode is None else 0o600
        with os.fdopen(os.open(part, flags, first), "wb") as out:
            out.write(data)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    except OSError as error:
        # Messages name the file that was asked for.
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        part.unlink(missing_ok=True)


_LONGEST = 255  # bytes of a file's name
STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe or an open file: `/dev/stdout`, `>(command)`."""
    kernels = str(path.absolute()).startswith(("/dev/", "/proc/"))
    return path.exists() and not path.is_dir() and (kernels or not path.is_file())


def write(path: Path, data: bytes, like: Path | None = None) -> bool:
    """Write a file, and the folders it needs, unless it holds these bytes. Whether it wrote.

    It gets the permissions of `like`. Raises `OutputError` when it cannot be written.
    """
    try:
        if not is_stream(path) and path.is_file() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data, None if like is None else stat.S_IMODE(like.stat().st_mode))
    except OSError as error:
        raise OutputError(
            f"{error.filename or path}: {error.strerror or error}",
            hint="name an output folder that can be written and has room",
        ) from error
    return True


def check_report(path: Path) -> None:
    """Raises `UsageError` where a page about sources would overwrite one, or a folder stands."""
    from portgpu.translate.tree import SUFFIXES

    if path.is_dir():
        raise UsageError(f"-o {path} is a folder", hint=f"-o {path / 'report.html'}")
    known = path.suffix.lower() in SUFFIXES or path.name.lower() == "cmakelists.txt"
    if known and path.is_file():
        raise UsageError(
            f"-o {path}: a source, which a report would overwrite",
            hint=f"-o {path.with_suffix('.html')} --format html",
        )


def back_up(source: Path, data: bytes, suffix: str) -> None:
    """Keeps `data` as FILE.suffix, or FILE.suffix1 and so on: what is there is never lost.

    Raises `OutputError` where that cannot be written.
    """
    for number in itertools.count():
        kept = source.with_name(f"{source.name}{suffix}{number or ''}")
        if len(os.fsencode(kept.name)) > _LONGEST:
            raise OutputError(
                f"{source}: its name is too long for a backup, {suffix} behind it",
                hint="rename it, or --no-backup writes without one",
            )
        if kept.is_file() and kept.read_bytes() == data:
            return
        if not os.path.lexists(kept):
            write(kept, data, like=source)
            return
