#!/usr/bin/env python3
"""Measures portgpu on real CUDA projects.

    pip install pypi-simple
    python bench/corpora.py download --folder ~/corpora
    python bench/corpora.py translate --folder ~/corpora --json corpora.json

The projects are the pinned source packages of bench/corpora.toml. `translate` reports per project:
files, lines, edits, findings by ID, findings that stand for untranslated CUDA (residue), seconds
of CPU time, cold and unchanged.
`compile` reports how many translation units compile with hipcc for AMD, by both routes, and sorts
the first errors of those that don't. Results are kept in the work folder: the next run compiles
what failed and what changed (`--keep`: translations and what compiled stand as they are). `--sdk`
names folders of ROCm headers that are not installed, `--torch` PyTorch's include folder.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import corpora_compile

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
    compile: corpora_compile.Compile | None = None

    def folder(self, corpora: Path) -> Path:
        return corpora / f"{self.name}-{self.version}"

    def source(self, corpora: Path) -> Path:
        return self.folder(corpora) / self.root


def projects(names: list[str]) -> list[Project]:
    table = tomllib.loads((HERE / "corpora.toml").read_text())["project"]
    found = []
    for row in table:
        rules = row.pop("compile", None)
        found.append(Project(**row, compile=rules and corpora_compile.Compile(**rules)))
    if unknown := set(names) - {project.name for project in found}:
        sys.exit(f"no project called {', '.join(sorted(unknown))} in bench/corpora.toml")
    return [project for project in found if not names or project.name in names]


def download(project: Project, corpora: Path) -> None:
    """Download, verify and unpack one source package; does nothing when it is there."""
    folder = project.folder(corpora)
    if folder.is_dir():
        return
    import pypi_simple

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
    command += ["--format", "json", "--stats"]
    shutil.rmtree(out, ignore_errors=True)
    seconds, done = _cpu(command)
    if done.returncode not in (0, 1):
        sys.exit(f"{project.name}: exit {done.returncode}: {done.stderr[-2000:]}")
    report = json.loads(done.stdout)
    edits = re.search(r"total: \d+ files, (\d+) edits", done.stderr)
    again, _ = _cpu(command)
    findings = collections.Counter(finding["id"] for finding in report["findings"])
    return {
        "project": project.name,
        "version": project.version,
        "files": len(files),
        "lines": lines,
        "edits": int(edits[1]) if edits else None,
        "findings": dict(findings.most_common()),
        "errors": report["counts"]["error"],
        "warnings": report["counts"]["warning"],
        "notes": report["counts"]["note"],
        "residue": sum(1 for f in report["findings"] if _is_residue(f)),
        "seconds": round(seconds, 2),
        "again": round(again, 2),
    }


# Findings that stand for CUDA without a translation: names, headers, PTX, libraries.
_RESIDUE = ("PG1001", "PG1002", "PG1005", "PG12", "PG16", "PG17", "PG1801", "PG1803")


def _is_residue(finding: dict[str, str]) -> bool:
    return finding["severity"] != "note" and finding["id"].startswith(_RESIDUE)


def _cpu(command: list[str]) -> tuple[float, subprocess.CompletedProcess[str]]:
    """CPU seconds of a command with all its processes, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


# The set whose time is measured: CUDA files of three projects, as a folder each.
SPEED_SET = {"llama-cpp-python": "", "deepspeed": "csrc", "mmcv": "mmcv/ops/csrc"}


def speed(corpora: Path, work: Path, scales: list[int]) -> list[dict[str, object]]:
    """Times cold, second and one-file-changed runs over the set, and several times ggml-cuda.

    CPU seconds are those of all processes of the run, and do not depend on what else runs.
    """
    known = {project.name: project for project in projects([])}
    folder = work / "speed"
    shutil.rmtree(folder, ignore_errors=True)
    for name, part in SPEED_SET.items():
        source = known[name].source(corpora) / part
        _copy_cuda(source, folder / "set" / name)
    rows = [_timed("the set", folder / "set", folder / "out")]
    for times in scales:
        tree = folder / f"x{times}"
        for i in range(times):
            _copy_cuda(known["llama-cpp-python"].source(corpora), tree / str(i))
        rows.append(_timed(f"ggml-cuda x{times}", tree, folder / f"out{times}"))
        shutil.rmtree(tree)
        shutil.rmtree(folder / f"out{times}")
    return rows


def _copy_cuda(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.suffix in (".cu", ".cuh"):
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())


def _timed(title: str, tree: Path, out: Path) -> dict[str, object]:
    files = [path for path in tree.rglob("*") if path.is_file()]
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    row: dict[str, object] = {"what": title, "files": len(files), "lines": lines}
    print(f"{title}: {len(files)} files, {lines} lines", flush=True)
    command = [sys.executable, "-m", "portgpu", "translate", str(tree), "-o", str(out), "-q"]
    for run in ("cold", "again", "changed"):
        if run == "changed":
            files[0].write_bytes(files[0].read_bytes() + b"\n")
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([*command, "--format", "json"], capture_output=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{title}: exit {done.returncode}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        row[run] = round(time.perf_counter() - start, 2)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        row[f"{run} CPU"] = round(cpu, 2)
        print(f"  {run}: {row[run]} s, {row[f'{run} CPU']} s of CPU", flush=True)
    return row


def show_translated(row: dict[str, object]) -> str:
    """One line of a Markdown table."""
    findings: dict[str, int] = row["findings"]  # type: ignore[assignment]
    top = ", ".join(f"{key} {n}" for key, n in list(findings.items())[:5])
    names = [
        "project",
        "files",
        "lines",
        "edits",
        "errors",
        "warnings",
        "notes",
        "residue",
        "seconds",
        "again",
    ]
    return "| " + " | ".join(str(row[name]) for name in names) + f" | {top} |"


def show_compiled(row: dict[str, object]) -> str:
    """One line of a Markdown table, and the first errors below it."""
    text = f"| {row['project']} | {row['units']} | {row['compiled']} |"
    outside: dict[str, str] = row["outside"]  # type: ignore[assignment]
    cutlass: list[str] = row["CUTLASS"]  # type: ignore[assignment]
    text += f" {len(outside)} | {len(cutlass)} |"
    notes = []
    for route in corpora_compile.ROUTES:
        result = row.get(route)
        if isinstance(result, dict):
            text += f" {result['ok']} |"
            if result["not run"]:
                notes.append(f"    {route}: {result['not run']} not run")
            notes += [f"    {route}: {n} x {e}" for e, n in result["groups"].items()]
        else:
            text += " |"
    return "\n".join([text, *notes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("action", choices=["download", "translate", "compile", "speed"])
    parser.add_argument("--folder", type=Path, required=True, help="where the packages lie")
    parser.add_argument("--work", type=Path, help="where results go; default: FOLDER/work")
    parser.add_argument("--project", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--route", choices=corpora_compile.ROUTES, help="compile by this one only")
    parser.add_argument("--sdk", type=Path, action="append", default=[], help="ROCm headers")
    parser.add_argument("--torch", type=Path, help="PyTorch's include folder")
    parser.add_argument("--hip", type=Path, help="another ROCm's headers: device code by clang 19")
    parser.add_argument("--arch", default="gfx90a")
    parser.add_argument("--codegen", action="store_true", help="compile to machine code")
    parser.add_argument("--only", default="", help="compile units with this in their name")
    parser.add_argument("--keep", action="store_true", help="what compiled stands")
    parser.add_argument("--minutes", type=float, help="start no unit after so many minutes")
    parser.add_argument("--scale", type=int, action="append", help="speed: so often ggml-cuda")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    work = options.work or options.folder / "work"
    setup = corpora_compile.Setup(
        work=work,
        sdk=tuple(options.sdk),
        torch=options.torch,
        hip=options.hip,
        arch=options.arch,
        codegen=options.codegen,
        jobs=options.jobs,
        keep=options.keep,
        until=time.monotonic() + 60 * options.minutes if options.minutes else float("inf"),
    )
    routes = (options.route,) if options.route else corpora_compile.ROUTES
    rows = []
    if options.action == "speed":
        for project in projects(list(SPEED_SET)):
            download(project, options.folder)
        rows = speed(options.folder, work, options.scale or [1, 10])
    for project in projects(options.project) if options.action != "speed" else []:
        download(project, options.folder)
        if options.action == "translate":
            rows.append(measure(project, options.folder, work / "measured" / project.name))
            print(show_translated(rows[-1]), flush=True)
        elif options.action == "compile" and project.compile:
            if project.compile.torch and not options.torch:
                print(f"{project.name}: needs --torch", file=sys.stderr)
                continue
            root = project.folder(options.folder) / (project.compile.root or project.root)
            rows.append(
                corpora_compile.count(
                    project.name, project.compile, root, setup, routes, options.only
                )
            )
            print(show_compiled(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
