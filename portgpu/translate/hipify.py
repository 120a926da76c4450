"""Files in and out as hipify-clang and hipify-perl do it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from portgpu.errors import InputError
from portgpu.findings import Finding
from portgpu.translate import Result, translate
from portgpu.translate.model import Options
from portgpu.translate.project import SUFFIXES, write


@dataclass(frozen=True)
class Job:
    """Where output and statistics go."""

    output: str = ""
    output_dir: str = ""
    inplace: bool = False
    backup: bool = True
    write: bool = True
    clang: bool = False
    stats: bool = False
    stats_csv: bool = False
    stats_file: str = ""
    quiet: bool = False
    exclude_dirs: Sequence[str] = ()
    exclude_files: Sequence[str] = ()


def options(
    *,
    convert: bool,
    roc: bool,
    skip_excluded: bool,
    hip_version: str,
    known: Sequence[str],
    allow: Sequence[str],
) -> Options:
    """Options that spell the output as HIPIFY does."""
    return Options(
        launches="convert" if convert else "keep",
        roc=roc,
        skip_excluded=skip_excluded,
        hip_version=hip_version,
        known=frozenset(name.encode() for name in known),
        allow=tuple(allow),
        compat=None,
        hipify=True,
    )


def expand(inputs: Sequence[str], job: Job) -> Iterator[str]:
    """Inputs one by one; a folder stands for the sources in it."""
    for name in inputs:
        if not Path(name).is_dir():
            yield name
            continue
        for top, dirs, files in os.walk(name):
            dirs[:] = sorted(d for d in dirs if d not in job.exclude_dirs)
            for file in sorted(files):
                if Path(file).suffix in SUFFIXES and file not in job.exclude_files:
                    yield str(Path(top, file))


def convert(name: str, options: Options, job: Job) -> list[Finding]:
    """Translates one file, writes what the job asks for, and returns the findings.

    In place, an existing FILE.prehip is the input again, so that a second run starts from CUDA.
    """
    path = Path(name)
    kept = path.with_name(path.name + ".prehip")
    source = kept if job.inplace and kept.is_file() else path
    try:
        data = sys.stdin.buffer.read() if name == "-" else source.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}", hint="check its permissions") from error
    result = translate(data, "<stdin>" if name == "-" else name, options)
    if job.write:
        _write(path, name, data, result, job)
    if job.stats or job.stats_csv:
        _stats(name, data, result, job)
    return result.findings


def _write(path: Path, name: str, data: bytes, result: Result, job: Job) -> None:
    if job.inplace and name != "-":
        if job.backup:
            write(path.with_name(path.name + ".prehip"), data)
        write(path, result.text, like=path)
    elif job.output and job.output != "-":
        target = Path(job.output)
        if job.output_dir and not target.is_absolute():
            target = Path(job.output_dir) / target
        write(target, result.text)
    elif job.output_dir:
        write(Path(job.output_dir) / (path.name + ".hip"), result.text)
    elif job.clang and name != "-":
        write(path.with_name(path.name + ".hip"), result.text)
    else:
        sys.stdout.buffer.write(result.text)
        sys.stdout.buffer.flush()


def _stats(name: str, data: bytes, result: Result, job: Job) -> None:
    refs = Counter(
        (data[e.start : e.end].decode("latin-1"), e.text.decode("latin-1"))
        for e in result.edits
        if e.end > e.start and data[e.start : e.start + 1] not in (b"(", b"<", b">", b")", b",")
    )
    converted = sum(refs.values())
    left = sum(f.id in ("PG1001", "PG1002", "PG1601", "PG1701") for f in result.findings)
    total = converted + left
    percent = 100.0 * converted / total if total else 100.0
    changed = sum(e.end - e.start for e in result.edits)
    rows = [
        ("CONVERTED refs count", str(converted)),
        ("UNCONVERTED refs count", str(left)),
        ("CONVERSION %", f"{percent:.1f}"),
        ("REPLACED bytes", str(changed)),
        ("TOTAL bytes", str(len(data))),
        ("TOTAL lines of code", str(data.count(b"\n") + (not data.endswith(b"\n")))),
        ("WARNINGS", str(sum(f.severity != "note" for f in result.findings))),
    ]
    text = f"[HIPIFY] info: file '{name}' statistics:\n"
    text += "".join(f"  {title}: {value}\n" for title, value in rows)
    if refs:
        text += "[HIPIFY] info: CONVERTED refs by names:\n"
        text += "".join(
            f"  {' '.join(old.split())} => {' '.join(new.split())}: {count}\n"
            for (old, new), count in sorted(refs.items())
        )
    if job.stats:
        sys.stderr.write(text)
    if job.stats_csv or job.stats_file:
        target = job.stats_file or f"{name}.csv"
        csv = "".join(f'"{title}","{value}"\n' for title, value in [("file", name), *rows])
        write(Path(target), csv.encode())
