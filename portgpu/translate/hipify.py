"""Files in and out as hipify-clang and hipify-perl do it."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from portgpu import console
from portgpu.atomic import STDOUT, back_up, write
from portgpu.errors import OutputError
from portgpu.files import is_lock, read_regular
from portgpu.findings import Edit, Finding
from portgpu.source.edits import apply_edits
from portgpu.translate import Result, hipify_stats, translate
from portgpu.translate.hipify_stats import Counts
from portgpu.translate.model import Options
from portgpu.translate.project_names import known_names
from portgpu.translate.tree import SUFFIXES, File, collect

_SEPARATOR = ";"


@dataclass(frozen=True)
class Job:
    """Where output and statistics go. `headers` is "", "direct" or "recursive"."""

    output: str = ""
    output_dir: str = ""
    inplace: bool = False
    backup: bool = True
    write: bool = True
    clang: bool = False
    stats: bool = False
    stats_csv: bool = False
    stats_file: str = ""
    headers: str = ""
    include_dirs: Sequence[str] = ()
    exclude_dirs: Sequence[str] = ()
    exclude_files: Sequence[str] = ()
    verbose: bool = False


@dataclass
class Run:
    """All files of one command."""

    options: Options
    job: Job
    counts: list[Counts] = field(default_factory=list)
    taken: dict[Path, Path] = field(default_factory=dict)  # output -> input
    files: dict[Path, File] = field(default_factory=dict)
    known: dict[Path, frozenset[bytes]] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)  # of the last input, for warnings

    def prepare(self, names: Sequence[str]) -> None:
        """Reads the inputs' local headers, once for all of them (hipify-clang alone has any)."""
        paths = [p for p in map(Path, names) if p.is_file() and os.access(p, os.R_OK)]
        if not self.job.clang or not paths:
            return
        folders = [Path(d) for d in self.job.include_dirs if Path(d).is_dir()]
        _, files, _ = collect(paths, include_dirs=folders)
        self.files = {file.source: file for file in files}
        self.known = known_names(files)

    def convert(self, name: str) -> list[Finding]:
        """Translates one file, writes what the job asks for, and returns the findings.

        Raises `OSError` for a file that cannot be read; writes nothing for one that is no text.
        """
        started = time.perf_counter()
        path = Path(name)
        data = _read(name)
        known, local = self._project(path) if name != "-" else (frozenset(), {})
        options = replace(self.options, known=self.options.known | known)
        if self.job.inplace and not self.job.clang and name != "-":
            data = self._source(path, data, options)
        label = "<stdin>" if name == "-" else name
        self.texts[label] = data
        result = translate(data, label, options)
        if any(finding.id == "PG1803" for finding in result.findings):
            return result.findings
        if self.job.headers and not self.job.inplace:
            result = _rename_includes(data, name, result, set(local))
        if self.job.verbose:
            print(f"[HIPIFY] info: {name}: {len(result.edits)} edits", file=sys.stderr)
        if self.job.write:
            self._write(path, name, data, result)
        if self.job.stats or self.job.stats_csv or self.job.stats_file:
            self.counts.append(hipify_stats.count(name, data, result, started))
        findings = result.findings
        for header in local.values():
            if self.job.headers and header not in self.taken.values():
                self.taken[header] = header
                findings = findings + self.convert(str(header))
        return findings

    def _source(self, path: Path, data: bytes, options: Options) -> bytes:
        """What hipify-perl translates in place: FILE.prehip, unless FILE was edited since."""
        kept = path.with_name(path.name + ".prehip")
        if not os.path.isfile(kept):  # noqa: PTH113 (its name may be too long)
            return data
        original = kept.read_bytes()
        tried = itertools.product(("keep", "convert"), (False, True), (False, True))
        made = (
            replace(options, launches=launches, roc=roc, miopen=miopen)
            for launches, roc, miopen in tried
        )
        if any(translate(original, str(path), one).text == data for one in made):
            return original
        return data

    def _project(self, path: Path) -> tuple[frozenset[bytes], dict[str, Path]]:
        """Macros that local headers define, and the headers to translate by include name."""
        own = self.files.get(path.resolve())
        if own is None:
            return frozenset(), {}
        known = self.known.get(own.source, frozenset())
        quoted = {name for name, marks, _ in own.outline.includes if marks}
        direct = {n: p for n, p in own.includes.items() if n in quoted}
        if self.job.headers == "direct" and path.suffix in (".h", ".hpp", ".cuh", ".hh"):
            direct = {}  # a header's own headers only with -recursive
        return frozenset(known), direct

    def _write(self, path: Path, name: str, data: bytes, result: Result) -> None:
        job = self.job
        if job.inplace and name != "-":
            if result.text == data:
                return  # nothing to convert: an earlier backup stays what it is
            if job.backup:
                back_up(path, data, ".prehip")
            write(path.resolve(), result.text, like=path)  # a link stays one
            return
        target = self._target(path, name)
        if target is None:
            try:
                sys.stdout.buffer.write(result.text)
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                raise  # its reader went away
            except OSError as error:
                console.discard_output()
                raise OutputError(
                    f"standard output: {error.strerror}", hint="make room, or use -o FILE"
                ) from error
        else:
            write(target, result.text)

    def _target(self, path: Path, name: str) -> Path | None:
        """The output file; None for standard output."""
        job = self.job
        if job.output in STDOUT and path not in self.taken:
            return None
        folder = Path(job.output_dir) if job.output_dir else None
        if job.output and path not in self.taken:
            target = Path(job.output)
            return folder / target if folder and not target.is_absolute() else target
        if folder is not None:
            target = folder / (path.name + ".hip")
            # "a/x.cu" and "b/x.cu" keep their folders where they would meet.
            if self.taken.setdefault(target, path) != path:
                target = folder / path.parent.name / (path.name + ".hip")
            return target
        return path.with_name(path.name + ".hip") if job.clang and name != "-" else None

    def statistics(self) -> None:
        """Prints and writes what was counted."""
        job = self.job
        if job.stats:
            for counts in self.counts:
                text = hipify_stats.clang(counts) if job.clang else hipify_stats.perl(counts)
                sys.stderr.write(text)
            if len(self.counts) > 1:
                total = self._total()
                if not job.clang:
                    sys.stderr.write(hipify_stats.perl(total))
                else:
                    sys.stderr.write(hipify_stats.clang(total))
                    sys.stderr.write(hipify_stats.clang_total(self.counts))
        if self.counts and (job.stats_csv or job.stats_file):
            self._csv()

    def _total(self) -> Counts:
        total = Counts("GLOBAL")
        for counts in self.counts:
            total.add(counts)
        return total

    def _csv(self) -> None:
        """FILE.csv for one input, sum_stat.csv for several, or the file of -o-stats."""
        folder = Path(self.job.output_dir or ".")
        parts = [hipify_stats.clang(c, separator=_SEPARATOR) for c in self.counts]
        if len(self.counts) > 1:
            parts.append(hipify_stats.clang(self._total(), separator=_SEPARATOR))
            parts.append(hipify_stats.clang_total(self.counts, separator=_SEPARATOR))
        if self.job.stats_file:
            target = folder / self.job.stats_file
        elif len(self.counts) == 1:
            name = self.counts[0].name
            beside = Path(f"{name}.csv")
            target = folder / beside.name if self.job.output_dir else beside
        else:
            target = folder / "sum_stat.csv"
        write(target, "".join(parts).encode())


def expand(inputs: Sequence[str], job: Job) -> Iterator[str]:
    """Inputs one by one; a folder stands for the sources in it."""
    for name in inputs:
        if not Path(name).is_dir():
            yield name
            continue
        for top, dirs, files in os.walk(name):
            dirs[:] = sorted(d for d in dirs if not _left_out(Path(top, d), name, job.exclude_dirs))
            for file in sorted(files):
                path = Path(top, file)
                if is_lock(file) or path.is_fifo():
                    continue
                if path.suffix in SUFFIXES and not _left_out(path, name, job.exclude_files):
                    yield str(path)


def _left_out(path: Path, root: str, names: Sequence[str]) -> bool:
    """Whether a list of names or paths (as given, or below the input folder) has this one."""
    given = {n.rstrip("/") for n in names}
    return bool(given & {path.name, str(path), path.relative_to(root).as_posix()})


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    path = Path(name)
    # A pipe that the user names, such as <(command), is read; one in a folder would never end.
    return path.read_bytes() if path.is_fifo() else read_regular(path)


def _rename_includes(data: bytes, path: str, result: Result, names: set[str]) -> Result:
    """`#include "x.h"` -> `"x.h.hip"`, the translation of a local header."""
    from portgpu.source.syntax import Source

    source = Source(data, path)
    edits = list(result.edits)
    taken = Counter(e.start for e in edits if e.end > e.start)
    for include in source.includes:
        token = source.code[include.index]
        if include.quoted and include.name in names and token.start not in taken:
            edits.append(Edit(include.end - 1, include.end - 1, b".hip"))
    edits.sort(key=lambda e: (e.start, e.end))
    return replace_text(result, data, edits)


def replace_text(result: Result, data: bytes, edits: list[Edit]) -> Result:
    """The result with other edits."""
    return Result(apply_edits(data, edits), edits, result.findings, result.shims)
