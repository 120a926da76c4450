"""Lints many files: finds them, asks the cache, spreads the rest over processes."""

from __future__ import annotations

import hashlib
import os
import pickle
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from portgpu import __version__
from portgpu.errors import InputError, InternalError
from portgpu.files import is_lock, read_regular, unreadable
from portgpu.findings import Finding
from portgpu.lint import suppress
from portgpu.lint.options import Options, chosen

SOURCES = (".cu", ".cuh", ".hip", ".h", ".hpp", ".hh", ".hxx", ".inl", ".cpp", ".cc", ".cxx", ".c")
_Entry = tuple[list[Finding], tuple[str, ...], bytes]
_SKIPPED = frozenset({".git", ".portgpu", "build", "node_modules", "__pycache__", ".venv", "venv"})
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)


@dataclass
class Result:
    """Findings of a run, suppressed ones taken out, and how the run went."""

    findings: list[Finding] = field(default_factory=list)
    files: int = 0
    cached: int = 0


def collect(paths: Sequence[Path], exclude: Sequence[str], root: Path) -> list[str]:
    """Files to lint, relative to `root`. Raises `InputError` for a path that does not exist."""
    found: dict[str, None] = {}
    for path in paths:
        full = root / path
        if full.is_file() or (not full.is_dir() and os.path.lexists(full)):
            found[_relative(full, root)] = None
        elif full.is_dir():
            for folder, names, files in os.walk(full):
                names[:] = sorted(n for n in names if n not in _SKIPPED and not n.startswith("."))
                for name in sorted(files):
                    if is_lock(name):
                        continue
                    if name.endswith((*SOURCES, ".cmake")) or name == "CMakeLists.txt":
                        found[_relative(Path(folder) / name, root)] = None
        else:
            raise InputError(
                f"{path}: no such file or folder", hint="check the path and the working folder"
            )
    if not found:
        raise InputError(
            f"{', '.join(map(str, paths))}: no sources in there",
            hint=f"sources end in {', '.join(SOURCES)}, .cmake, or are CMakeLists.txt",
        )
    return [f for f in found if not any(fnmatchcase(f, glob) for glob in exclude)]


def _relative(path: Path, root: Path) -> str:
    return os.path.normpath(os.path.relpath(path, root))


def run(
    files: Sequence[str],
    options: Options,
    *,
    root: Path,
    cache: Path | None = None,
    jobs: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Lint `files` (relative to `root`). In-source suppressions are applied.

    Nothing is parsed when contents, options and portgpu are as they were: results come from
    `cache`, a folder. `jobs` is the number of processes, 0 for one per core.
    """
    contents: dict[str, bytes] = {}
    left_out: list[Finding] = []
    for path in files:
        try:
            contents[path] = read_regular(root / path)
        except OSError as error:
            left_out.append(unreadable(path, root / path, error))
    result = Result([f for f in left_out if chosen(f.id, options)], len(files))
    store = _Cache(cache, options, contents)
    missing = []
    for path in contents:
        known = store.get(path)
        if known is None:
            missing.append(path)
        else:
            result.findings += known
            result.cached += 1
    if missing:
        for done in _examine(missing, list(contents), options, root, jobs, progress):
            result.findings += done.findings
            store.put(done)
        store.save()
    result.findings.sort()
    return result


@dataclass(frozen=True, slots=True)
class _Done:
    """What one file came to. `asked` are functions that were looked for in all files."""

    path: str
    findings: list[Finding]
    asked: tuple[str, ...]


class _Cache:
    """Findings by content. A file's key covers the files that it includes, directly or not.

    An entry also has the functions that were looked for in other files, and a digest of the files
    that have them.
    """

    def __init__(self, folder: Path | None, options: Options, contents: dict[str, bytes]) -> None:
        self._file = folder / "lint.pickle" if folder else None
        self._contents = contents
        self._hashes = {p: hashlib.blake2b(d, digest_size=16).digest() for p, d in contents.items()}
        self._base = hashlib.blake2b(
            f"{__version__} {_own_source()} {options!r}".encode(), digest_size=16
        ).digest()
        self._old: dict[bytes, _Entry] = {}
        self._new: dict[bytes, _Entry] = {}
        self._includes: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in contents:
            self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._keys: dict[str, bytes] = {}
        self._held: dict[tuple[str, ...], bytes] = {}
        if self._file is not None:
            try:
                self._old = pickle.loads(self._file.read_bytes())
            except Exception:  # missing, cut short or from another version: start anew
                self._old = {}

    def get(self, path: str) -> list[Finding] | None:
        found = self._old.get(self._key(path))
        if found is None or found[2] != self._holders(found[1]):
            return None
        self._new[self._key(path)] = found
        return found[0]

    def put(self, done: _Done) -> None:
        self._new[self._key(done.path)] = (done.findings, done.asked, self._holders(done.asked))

    def _holders(self, names: tuple[str, ...]) -> bytes:
        """A digest of all files that have these functions, and of what they include."""
        if not names:
            return b""
        if names not in self._held:
            words = b"|".join(re.escape(n.encode("latin-1")) for n in names)
            call = re.compile(rb"\b(?:%s)\s*\(" % words)
            keys = [self._key(p) for p, data in self._contents.items() if call.search(data)]
            self._held[names] = hashlib.blake2b(b"".join(keys), digest_size=16).digest()
        return self._held[names]

    def save(self) -> None:
        """Keep this run's results and drop all others, so that the file stays bounded."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._file.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(pickle.dumps(self._new, protocol=5))
            temporary.replace(self._file)
        except OSError:
            pass  # a cache that cannot be written costs time only

    def _key(self, path: str) -> bytes:
        known = self._keys.get(path)
        if known is None:
            digest = hashlib.blake2b(self._base, digest_size=16)
            digest.update(os.fsencode(path))
            for name in self._closure(path):
                digest.update(os.fsencode(name))
                digest.update(self._hashes[name])
            known = self._keys[path] = digest.digest()
        return known

    def _closure(self, path: str) -> list[str]:
        """The file and every project file whose name one of them includes."""
        seen = {path}
        todo = [path]
        while todo:
            for name in self._direct(todo.pop()):
                for candidate in self._by_name.get(name, ()):
                    if candidate not in seen:
                        seen.add(candidate)
                        todo.append(candidate)
        return sorted(seen)

    def _direct(self, path: str) -> list[str]:
        if path not in self._includes:
            names = {
                posixpath.basename(os.fsdecode(n)) for n in _INCLUDE.findall(self._contents[path])
            }
            self._includes[path] = sorted(names)
        return self._includes[path]


def _own_source() -> str:
    """Changes whenever the linter's files do, so that no edited rule is answered from the cache."""
    newest = 0
    count = 0
    here = Path(__file__).parent
    for folder in (here, here / "rules", here / "declarations", here.parent / "source"):
        if folder.is_dir():
            for entry in os.scandir(folder):
                if entry.name.endswith((".py", ".h")):
                    newest = max(newest, entry.stat().st_mtime_ns)
                    count += 1
    return f"{newest}:{count}"


_WORKER: dict[str, object] = {}


def _start(files: list[str], options: Options, root: str) -> None:
    from portgpu.lint.project import Project

    # Long generated expressions make deep trees.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    _WORKER["project"] = Project(files, root=Path(root))
    _WORKER["options"] = options


def examine(project: object, path: str, options: Options) -> list[Finding]:
    """Findings in one file of the project, in-source suppressions applied."""
    from portgpu.lint.check import check_file, language_of
    from portgpu.lint.project import Project

    assert isinstance(project, Project)
    found = check_file(project, path, options)
    return suppress.filter_source(path, project.read(path), found, language_of(path) == "cmake")


def _one(path: str) -> _Done:
    from portgpu.lint.project import Project

    options, project = _WORKER["options"], _WORKER["project"]
    assert isinstance(options, Options) and isinstance(project, Project)
    project.asked.clear()
    return _Done(path, examine(project, path, options), tuple(sorted(project.asked)))


def _examine(
    missing: list[str],
    files: list[str],
    options: Options,
    root: Path,
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Iterable[_Done]:
    """Each file's findings, as they become known."""
    # Here, since a run that is answered from the cache should not wait for it.
    from concurrent.futures.process import BrokenProcessPool

    workers = min(jobs or len(os.sched_getaffinity(0)), max(1, len(missing) // 4))
    total = len(missing)
    done = 0
    left = list(missing)
    for attempt in (options, replace(options, semantics=False)):
        try:
            for item in _pool(left, files, attempt, root, workers):
                yield item
                done += 1
                if progress:
                    progress(done, total)
            return
        except BrokenProcessPool:
            # libclang took a worker down; the linter's own parser stands alone for the rest.
            left = missing[done:]
    raise InternalError(f"the linter's workers died on {left[0]}", hint="run again with --jobs 1")


def _pool(
    paths: list[str], files: list[str], options: Options, root: Path, workers: int
) -> Iterable[_Done]:
    """Results in the order of `paths`. Processes keep a crash of libclang away from this one."""
    if not options.semantics and workers <= 1:
        _start(files, options, str(root))
        yield from map(_one, paths)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_start, initargs=(files, options, str(root))
    ) as pool:
        # Neighbours share headers, so that a worker parses them once.
        chunk = max(1, min(16, len(paths) // (workers * 4)))
        yield from pool.map(_one, paths, chunksize=chunk)
