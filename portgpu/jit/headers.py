"""The dialect's headers for run-time compilers, rendered once into the cache's folder."""

from __future__ import annotations

import functools
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from portgpu import __version__, resources
from portgpu.jit.cache import Cache, digest

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.M)


@functools.cache
def stamp() -> str:
    """A digest of all templates that compiled kernels depend on."""
    parts: list[str | bytes] = [__version__]
    for name in ("dialect", "cpu", "jit", "compat"):
        root = resources.templates(name)
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            parts += [str(path.relative_to(root)), path.read_bytes()]
    return digest(parts)


def folder(target: str, cache: Cache) -> Path:
    """Folder of `portgpu.h` for `target`; complete, or not there."""
    from portgpu import headers

    place = cache.folder.parent / "headers" / f"{target}-{stamp()}"
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        headers.render(target, scratch)
        scratch.chmod(0o755)
        scratch.rename(place)
    except OSError:
        if not place.is_dir():  # another process may have been first
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return place


def included(source: str, folders: Sequence[Path]) -> Iterator[str | bytes]:
    """Names and contents of the user's headers that `source` includes, directly or not."""
    seen: set[Path] = set()
    queue: list[str] = [source]
    while queue:
        for name in _names(queue.pop()):
            path = next((f / name for f in folders if (f / name).is_file()), None)
            if path is None or path in seen:
                continue
            seen.add(path)
            data = path.read_bytes()
            yield from (str(path), data)
            queue.append(data.decode("utf-8", "replace"))


def _names(text: str) -> Iterable[str]:
    return _INCLUDE.findall(text)
