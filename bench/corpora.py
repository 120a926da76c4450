#!/usr/bin/env python3
"""Measures portgpu on real CUDA projects.

    pip install portgpu[bench]
    python bench/corpora.py download --folder ~/corpora
    python bench/corpora.py translate --folder ~/corpora --json corpora.json

The projects are the pinned source packages of bench/corpora.toml. `translate` reports, per project,
files, lines, edits, findings by ID, findings that stand for untranslated CUDA (residue) and seconds.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import subprocess
import sys
import tarfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUFFIXES = {".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".cpp", ".cc", ".cxx", ".c", ".inl"}


@dataclass(frozen=True)
class Project:
    """One pinned package; `root` is the folder in it that is measured."""

    name: str
    version: str
    sha256: str
    title: str = ""
    root: str = ""

    def folder(self, corpora: Path) -> Path:
        return corpora / f"{self.name}-{self.version}"

    def source(self, corpora: Path) -> Path:
        return self.folder(corpora) / self.root


def projects(names: list[str]) -> list[Project]:
    table = tomllib.loads((HERE / "corpora.toml").read_text())["project"]
    found = [Project(**row) for row in table]
    if unknown := set(names) - {project.name for project in found}:
        sys.exit(f"no project called {', '.join(sorted(unknown))} in bench/corpora.toml")
    return [project for project in found if not names or project.name in names]


def download(project: Project, corpora: Path) -> None:
    """Download, verify and unpack one source package; does nothing when it is there."""
    import pypi_simple

    folder = project.folder(corpora)
    if folder.is_dir():
        return
    with pypi_simple.PyPISimple() as client:
        page = client.get_project_page(project.name)
        package = next(
            p
            for p in page.packages
            if p.package_type == "sdist" and p.digests.get("sha256") == project.sha256
        )
        archive = corpora / package.filename
        client.download_package(package, archive)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != project.sha256:
        sys.exit(f"{archive}: checksum differs from bench/corpora.toml")
    part = folder.with_name(folder.name + ".part")
    with tarfile.open(archive) as tar:
        tar.extractall(part, filter="data")
    # A source package holds one top folder.
    (top,) = (path for path in part.iterdir() if path.is_dir())
    top.rename(folder)
    part.rmdir()
    archive.unlink()


def measure(project: Project, corpora: Path, out: Path) -> dict[str, object]:
    """Translate one project and count; raises on a failure of the tool itself."""
    source = project.source(corpora)
    files = [path for path in source.rglob("*") if path.suffix in SUFFIXES and path.is_file()]
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    command = [sys.executable, "-m", "portgpu", "translate", str(source), "-o", str(out)]
    start = time.perf_counter()
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode not in (0, 1):
        sys.exit(f"{project.name}: exit {done.returncode}: {done.stderr[-2000:]}")
    report = json.loads(done.stdout)
    findings = collections.Counter(finding["id"] for finding in report["findings"])
    return {
        "project": project.name,
        "version": project.version,
        "files": len(files),
        "lines": lines,
        "edits": report.get("edits"),
        "findings": dict(findings.most_common()),
        "residue": sum(n for finding, n in findings.items() if finding.startswith(("PG10", "PG11"))),
        "seconds": round(seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("action", choices=["download", "translate"])
    parser.add_argument("--folder", type=Path, required=True, help="where the packages lie")
    parser.add_argument("--project", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for project in projects(options.project):
        download(project, options.folder)
        if options.action == "translate":
            row = measure(project, options.folder, options.folder / "hip" / project.name)
            rows.append(row)
            top = " ".join(f"{key}:{n}" for key, n in list(row["findings"].items())[:6])  # type: ignore[attr-defined]
            print(
                f"{row['project']:18} {row['files']:5} files {row['lines']:7} lines "
                f"{row['edits']!s:>6} edits {row['residue']:5} residue {row['seconds']:7} s  {top}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
