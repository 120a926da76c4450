"""The disk cache of compiled kernels: safe with concurrent processes, bounded in size.

An entry is one file named by a digest of everything that decides its content. It appears under its
name only when it is complete, and carries a checksum, so that a torn file is never used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from portgpu.atomic import replace_file
from portgpu.errors import OutputError, UsageError

_MAGIC = b"portgpu-jit 1\n"
_DEFAULT_LIMIT = 1 << 30


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What the cache holds. Sizes are bytes."""

    folder: Path
    entries: int
    size: int
    limit: int


def folder() -> Path:
    """`PORTGPU_CACHE_DIR`, else `portgpu` in `XDG_CACHE_HOME` or `~/.cache`."""
    given = os.environ.get("PORTGPU_CACHE_DIR")
    if given:
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "portgpu"


def limit() -> int:
    """Most bytes: `PORTGPU_CACHE_LIMIT`, else 1 GiB; 0 keeps nothing. Raises `UsageError`."""
    text = os.environ.get("PORTGPU_CACHE_LIMIT", "")
    if not text:
        return _DEFAULT_LIMIT
    if not text.isdigit():
        raise UsageError(
            f"PORTGPU_CACHE_LIMIT={text} is no number of bytes", hint="such as 268435456"
        )
    return int(text)


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for content that depends on `parts` and their borders."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:40]


class Cache:
    """Entries in one folder. A folder that cannot be used makes a cache that never hits."""

    def __init__(self, place: Path | None = None, most: int | None = None) -> None:
        self.folder = (place or folder()) / "jit"
        self.limit = limit() if most is None else most

    def path(self, key: str, suffix: str = ".bin") -> Path:
        """Where the entry `key` is, or would be."""
        return self.folder / key[:2] / (key + suffix)

    def get(self, key: str) -> bytes | None:
        """The content of `key`; None when it is not there, or torn."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + 32
        content = data[head:]
        if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : head] != _checksum(content):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # recently used ones stay
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep `content`; silently not, when the folder cannot be written or the limit is small."""
        if len(content) > self.limit:
            return
        with contextlib.suppress(OSError):
            self.path(key).parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.path(key), _MAGIC + _checksum(content) + content, 0o600)
            self.trim(keep=self.path(key))

    def info(self) -> CacheInfo:
        """Number and size of the entries."""
        sizes = [size for _, size, _ in self._entries()]
        return CacheInfo(self.folder, len(sizes), sum(sizes), self.limit)

    def clear(self) -> CacheInfo:
        """Remove all entries; returns what was removed. Raises `OutputError`."""
        before = self.info()
        for path, _, _ in self._entries():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"{path}: {error.strerror}", hint="check its owner") from None
        return before

    def trim(self, keep: Path | None = None) -> None:
        """Remove the least recently used entries above the limit."""
        entries = sorted(self._entries(), key=lambda entry: entry[2])
        total = sum(size for _, size, _ in entries)
        for path, size, _ in entries:
            if total <= self.limit:
                return
            if path != keep:
                with contextlib.suppress(OSError):
                    path.unlink()
                total -= size

    def _entries(self) -> list[tuple[Path, int, float]]:
        found = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):
                stat = path.stat()
                found.append((path, stat.st_size, stat.st_mtime))
        return found


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
