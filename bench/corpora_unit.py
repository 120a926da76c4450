"""Compiles one unit of a real project for AMD, remembers the result, and reads the errors.

A result is kept per unit and route. It stands as long as the command and every file that the
compiler read are the same, so that a run after a mend compiles what failed and what changed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

PASSES = ("device", "host")
_ERROR = re.compile(r"^(?P<path>[^\s:]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$")
_PLACE = re.compile(r"(?:^|from |at )(?P<path>[^\s:]+):(?P<line>\d+)[:,]")
_MISSING = re.compile(r"'([^']+)' file not found")
_QUOTED = re.compile(r"'[^']*'")


@dataclass(frozen=True)
class Error:
    """The first error of a pass; `places` are all file:line that its message names."""

    text: str
    path: str
    line: int
    places: list[tuple[str, int]] = field(default_factory=list)

    @property
    def missing(self) -> str:
        """The header that was not found, or ""."""
        found = _MISSING.search(self.text)
        return found[1] if found else ""

    @property
    def kind(self) -> str:
        """The message without the names in it, for counting."""
        return f"{Path(self.path).name}: {_QUOTED.sub('…', self.text)}"


@dataclass
class Result:
    """What became of one unit; `own` and `ours` identify the files that were read."""

    ok: bool
    command: str
    own: str
    ours: str
    files: list[str]
    errors: list[Error]
    seconds: float


@functools.cache
def _digest_of(path: str) -> str:
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=12).hexdigest()
    except OSError:
        return "gone"


def digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=12).hexdigest()


def tree_digest(folder: Path) -> str:
    """Identity of all files of a folder."""
    files = sorted(str(p) for p in folder.rglob("*") if p.is_file())
    return digest(*(f"{f}={_digest_of(f)}" for f in files))


def _identity(files: list[str], base: Path) -> tuple[str, str]:
    """(files of the project, files of ours): our headers lie in `portgpu/` of a translation."""
    own: list[str] = []
    ours: list[str] = []
    for name in files:
        inside = name.startswith(f"{base}/") and not name.startswith(f"{base}/portgpu/")
        (own if inside else ours).append(f"{name}={_digest_of(name)}")
    return digest(*own), digest(*ours)


class Compiler:
    """hipcc for one project: `shared` words that its neighbours have too, and its `own`.

    `prefix` are headers to precompile with the shared words, for speed. `keep` lets what compiled
    stand although headers of ours have changed since. `watched` is a folder of headers of ours:
    what failed is compiled again when any of them changed.
    """

    def __init__(
        self,
        shared: list[str],
        own: list[str],
        base: Path,
        work: Path,
        prefix: tuple[str, ...],
        keep: bool,
        watched: Path,
        passes: tuple[str, ...] = PASSES,
    ) -> None:
        self.passes = passes
        self.keep = keep
        self.watched = watched
        self.shared = shared
        self.words = [*shared, *own]
        self.base = base
        self.prefix = prefix
        self.env = os.environ | {"HIP_PLATFORM": "amd"}
        self.lock = threading.Lock()
        self.ready = False
        self.identity = digest(*self.words, *prefix)
        self.pch = work / "pch" / digest(*prefix, *shared)

    def kept(self, record: Path) -> Result | None:
        """The result in `record` when it still stands."""
        old = _load(record)
        if old is None or old.command != self.identity or not all(e.path for e in old.errors):
            return None
        own, ours = _identity(old.files, self.base)
        return old if own == old.own and (ours == old.ours or (old.ok and self.keep)) else None

    def compile(self, unit: Path, record: Path, timeout: float) -> Result:
        """Compiles `unit` and writes the result to `record`."""
        start = time.perf_counter()
        errors: list[Error] = []
        files: set[str] = set()
        for which in self.passes:
            deps = record.with_suffix(f".{which}.d")
            deps.parent.mkdir(parents=True, exist_ok=True)
            extra = ["-MD", "-MF", str(deps), "-MT", "unit", f"--cuda-{which}-only"]
            extra += self._precompiled(which)
            log = record.with_suffix(f".{which}.txt")
            message = self._run([*self.words, *extra, str(unit)], log, timeout)
            files |= _dependencies(deps) | {str(unit)}
            if message:
                errors.append(_first(message))
                break
        if errors:  # no list of dependencies then: all sources of the project, and ours
            for folder in (self.base, self.watched):
                files |= {str(p) for p in folder.rglob("*") if p.is_file()}
            files |= {place[0] for place in errors[0].places if Path(place[0]).is_file()}
        listed = _listed(files)
        own, ours = _identity(listed, self.base)
        seconds = round(time.perf_counter() - start, 1)
        result = Result(not errors, self.identity, own, ours, listed, errors, seconds)
        record.write_text(json.dumps(asdict(result)))
        return result

    def _run(self, words: list[str], log: Path, timeout: float) -> str:
        """Runs the compiler; "" or its messages."""
        try:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                env=self.env,
                timeout=timeout,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return f"no result after {timeout:.0f} s"
        log.write_text(" ".join(words) + "\n" + done.stderr)
        return done.stderr if done.returncode else ""

    def _precompiled(self, which: str) -> list[str]:
        """Options that start from the precompiled prefix; none when there is none."""
        path = self.pch / f"{which}.pch"
        if not self.prefix or not path.is_file():
            return []
        return ["-Xclang", "-include-pch", "-Xclang", str(path)]

    def prepare(self) -> None:
        """Precompiles the prefix for both passes, where its headers changed."""
        with self.lock:
            if not self.ready:
                self._prepare()
            self.ready = True

    def _prepare(self) -> None:
        for which in self.passes if self.prefix else ():
            record, path = self.pch / f"{which}.json", self.pch / f"{which}.pch"
            old = json.loads(record.read_text()) if record.is_file() else {}
            if old and all(_digest_of(f) == known for f, known in old.items()):
                continue
            self.pch.mkdir(parents=True, exist_ok=True)
            source, deps = self.pch / f"{which}.h", self.pch / f"{which}.d"
            source.write_text("".join(f"#include <{name}>\n" for name in self.prefix))
            words = [*self.shared, f"--cuda-{which}-only", "-MD", "-MF", str(deps), "-MT", "unit"]
            path.unlink(missing_ok=True)
            for word in ("-fpch-instantiate-templates", "-fno-pch-timestamp", "-emit-pch", "-o"):
                words += ["-Xclang", word]
            words += ["-Xclang", str(path), str(source)]
            self._run(words, self.pch / f"{which}.txt", 600)
            record.write_text(json.dumps({f: _digest_of(f) for f in _listed(_dependencies(deps))}))


def _load(record: Path) -> Result | None:
    try:
        raw = json.loads(record.read_text())
        raw["errors"] = [
            Error(e["text"], e["path"], e["line"], [(p, n) for p, n in e["places"]])
            for e in raw["errors"]
        ]
        return Result(**raw)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _dependencies(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    text = path.read_text(errors="replace").replace("\\\n", " ")
    names = text.partition(":")[2].split()
    return {os.path.normpath(name) for name in names if name.startswith("/")}


def _listed(files: set[str]) -> list[str]:
    return sorted(f for f in files if not f.startswith(("/usr/", "/lib/")))


def _first(message: str) -> Error:
    """The first error of the compiler's output, with all places that its lines name."""
    lines = message.splitlines()
    at = next((i for i, line in enumerate(lines) if _ERROR.match(line)), None)
    if at is None:
        crash = next((line for line in lines if "PLEASE submit a bug report" in line), "")
        text = "the compiler crashed" if crash else (lines or ["no message"])[-1]
        return Error(text, "", 0)
    start = at
    while start and ("In file included" in lines[start - 1] or lines[start - 1].startswith(" ")):
        start -= 1
    end = at + 1
    while (
        end < len(lines) and ": error: " not in lines[end] and "In file included" not in lines[end]
    ):
        end += 1
    found = _ERROR.match(lines[at])
    assert found is not None
    places = [(os.path.normpath(found["path"]), int(found["line"]))]
    for line in [*lines[at + 1 : end], *lines[start:at]]:
        places += [(os.path.normpath(m["path"]), int(m["line"])) for m in _PLACE.finditer(line)]
    return Error(found["text"], places[0][0], places[0][1], places)
