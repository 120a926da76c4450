#!/usr/bin/env python3
"""Times `portgpu lint` on a folder: cold, unchanged, and after one changed file.

    python bench/lint.py FOLDER [--jobs N]

FOLDER is a copy that may be written to (one comment line is added and taken back). Prints a
Markdown table; each time is the wall clock of a new process, start-up included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUFFIXES = {".cu", ".cuh", ".hip", ".h", ".hpp", ".cpp", ".cc", ".inl"}


def run(folder: Path, jobs: list[str]) -> float:
    """Seconds of one run; its exit code says whether there are findings, which is no failure."""
    command = [sys.executable, "-m", "portgpu", "lint", "--quiet", "--format", "json", *jobs]
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        done = subprocess.run(command, cwd=folder, stdout=out, check=False)
        seconds = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise SystemExit(f"portgpu lint ended with {done.returncode}")
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", default="")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    jobs = ["--jobs", arguments.jobs] if arguments.jobs else []
    sources = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    lines = sum(p.read_bytes().count(b"\n") for p in sources)
    cache = folder / ".portgpu" / "cache" / "lint.pickle"
    cache.unlink(missing_ok=True)
    cold = run(folder, jobs)
    warm = min(run(folder, jobs) for _ in range(3))
    changed = next(p for p in sources if p.suffix in (".cu", ".hip"))
    before = changed.read_bytes()
    try:
        changed.write_bytes(before + b"\n// changed\n")
        one = run(folder, jobs)
    finally:
        changed.write_bytes(before)
    print(f"| {len(sources)} files, {lines} lines | seconds |\n|---|---|")
    print(f"| cold | {cold:.1f} |\n| unchanged | {warm:.2f} |\n| one file changed | {one:.2f} |")


if __name__ == "__main__":
    main()
