"""Which translation units of the real projects compile for AMD without a manual edit.

`count` compiles the units of one project twice: translated by `portgpu translate`, and untouched
with the shadow headers of `portgpu headers`. What a project needs is in bench/corpora.toml. A
failure is "missing" when a header of a third party is not there, "found" when a finding of the
translator stands at its place, and "silent" otherwise. Units that include CUTLASS are counted and
not compiled: no translator brings that library to AMD, and a finding (PG1701) says so.
"""

from __future__ import annotations

import collections
import concurrent.futures
import difflib
import functools
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from corpora_unit import PASSES, Compiler, Error, Result

from portgpu.translate.headers import is_cuda_header

STUBS = Path(__file__).resolve().parent / "corpora_stubs"
ROUTES = ("translate", "headers")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.MULTILINE)
_HIPBLAS = "HIPBLAS_V2"
# Notes that say what may not compile: names of newer versions, branches by a version of CUDA.
_TELLING = ("PG1004", "PG1502")
_CUTLASS = ("cutlass/", "cute/")
TORCH_PREFIX = ("torch/extension.h", "ATen/cuda/CUDAContext.h")


@dataclass(frozen=True)
class Compile:
    """The `compile` table of a project in bench/corpora.toml; paths are relative to its root.

    `root` is the folder to translate when it is not the measured one; `units` are glob patterns.
    `include_all` is a folder all of whose folders are include folders. `some` are families of
    generated units of which that many are taken. `torch` adds PyTorch's own headers, translated
    for the first route, `prefix` names headers to precompile. `outside` names units that cannot
    compile for AMD whatever a translator does, with the reason.
    """

    units: tuple[str, ...]
    root: str = ""
    include: tuple[str, ...] = ()
    include_all: str = ""
    define: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    std: str = "c++17"
    torch: bool = False
    prefix: tuple[str, ...] = ()
    some: dict[str, int] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Setup:
    """Where things are: headers of ROCm that the distribution lacks (`sdk`), PyTorch's headers.

    `hip` is a folder with the headers of another ROCm: then clang++-19 compiles device code alone.
    `keep` translates nothing again and lets units that compiled stand; after `until` (a time of
    the monotonic clock) no further unit is compiled.
    """

    work: Path
    sdk: tuple[Path, ...] = ()
    torch: Path | None = None
    hip: Path | None = None
    arch: str = "gfx90a"
    codegen: bool = False
    jobs: int = 2
    timeout: float = 600.0
    keep: bool = False
    until: float = float("inf")


def _portgpu(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "portgpu", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def translate(source: Path, setup: Setup, name: str, *options: str) -> Path:
    """Translates a tree to WORK/hip/NAME, its findings to WORK/findings/NAME.json."""
    out = setup.work / "hip" / name
    report = setup.work / "findings" / f"{name}.json"
    if setup.keep and report.is_file():
        return out
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(_portgpu("translate", source, "-o", out, "--format", "json", *options))
    return out


@functools.cache
def _torch(setup: Setup) -> Path:
    assert setup.torch is not None
    # PyTorch has HIP branches for most; what is under its cuda folders is written for CUDA. Two
    # thirds of its headers are generated declarations without anything of CUDA.
    return translate(setup.torch, setup, "torch", "--exclude", "ops")


def _torch_include(setup: Setup, route: str) -> list[str]:
    if setup.torch is None:
        return []
    folder = _torch(setup) if route == "translate" else setup.torch
    python = f"/usr/include/python{sys.version_info.major}.{sys.version_info.minor}"
    api = "torch/csrc/api/include"
    names = [folder, folder / api, setup.torch, setup.torch / api, python]
    words = [f"-I{name}" for name in names]
    return [*words, "-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=extension"]


def units(compile: Compile, root: Path) -> tuple[list[Path], list[Path], dict[str, str]]:
    """(units to compile, all units, those that cannot compile for AMD -> why), relative paths."""
    found = sorted({p.relative_to(root) for glob in compile.units for p in root.glob(glob)})
    outside = {
        str(path): why
        for path in found
        for glob, why in compile.outside.items()
        if fnmatch(str(path), glob)
    }
    chosen = [p for p in found if str(p) not in outside]
    for glob, number in compile.some.items():
        family = [p for p in chosen if fnmatch(str(p), glob)]
        taken = set(family[:: max(1, -(-len(family) // number))])
        chosen = [p for p in chosen if p not in family or p in taken]
    return chosen, found, outside


def includes_cutlass(unit: Path, compile: Compile, root: Path) -> bool:
    """Whether a unit, or one of the project's headers that it includes, includes CUTLASS."""
    folders = [root, *(root / name for name in compile.include)]
    seen: set[Path] = set()
    left = [root / unit]
    while left:
        path = left.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        for _, name in _INCLUDE.findall(path.read_text(errors="replace")):
            if name.startswith(_CUTLASS):
                return True
            places = (Path(os.path.normpath(f / name)) for f in (path.parent, *folders))
            left += [place for place in places if place.is_file()][:1]
    return False


def compiler(compile: Compile, root: Path, translated: Path, setup: Setup, route: str) -> Compiler:
    """hipcc as the project needs it."""
    base = translated if route == "translate" else root
    shared = ["hipcc"] if setup.hip is None else ["clang++-19", "-nogpulib", f"-isystem{setup.hip}"]
    shared += ["-x", "hip", f"--offload-arch={setup.arch}", f"-std={compile.std}", "-w"]
    shared += ["-c", "-O1", "-o", os.devnull] if setup.codegen else ["-fsyntax-only"]
    shared += ["-ferror-limit=20", "-D__HIP_PLATFORM_AMD__=1"]
    if route == "headers":
        # First, since its folders must come before those of ROCm.
        shared.append(f"@{setup.work / 'shadow' / 'portgpu-rocm.rsp'}")
    shared += [f"-I{path}" for path in (*setup.sdk, STUBS)]
    shared += _torch_include(setup, route) if compile.torch else []
    if compile.torch and _HIPBLAS in compile.define:  # the precompiled headers need it too
        shared.append(f"-D{_HIPBLAS}")
    own = []
    names = list(compile.include)
    if compile.include_all:
        below = (path for path in (root / compile.include_all).rglob("*") if path.is_dir())
        names += sorted(str(path.relative_to(root)) for path in below)
    for name in names:
        # A folder outside the translated tree is used as it is.
        inside = (base / name).resolve()
        ours = inside.is_relative_to(base.resolve()) and inside.is_dir()
        own.append(f"-I{inside if ours else (root / name).resolve()}")
    own += [f"-D{name}" for name in compile.define]
    prefix = compile.prefix or (TORCH_PREFIX if compile.torch else ())
    watched = setup.work / "shadow" if route == "headers" else translated / "portgpu"
    passes = PASSES if setup.hip is None else PASSES[:1]
    own += compile.flags
    return Compiler(shared, own, base, setup.work, prefix, setup.keep, watched, passes)


class Findings:
    """The places of all findings of a translation, asked by places of the translated files."""

    def __init__(self, report: Path, root: Path, translated: Path) -> None:
        self.root = root
        self.translated = translated
        self.at: dict[tuple[str, int], str] = {}
        if report.is_file():
            for row in json.loads(report.read_text())["findings"]:
                if row["severity"] != "note" or row["id"] in _TELLING:
                    path = str(Path(row["path"]).resolve())
                    for line in range(row["line"], row.get("end_line", row["line"]) + 1):
                        self.at[path, line] = row["id"]

    @functools.cache  # noqa: B019 - as long as the project
    def _lines(self, path: str) -> tuple[str, list[int]]:
        """The original of a translated file, and the original line of each of its lines."""
        original = self.root / Path(path).relative_to(self.translated)
        if not original.is_file():
            return "", []
        before = original.read_bytes().splitlines()
        after = Path(path).read_bytes().splitlines()
        lines = [0] * (len(after) + 1)
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for _, a, a_end, b, b_end in matcher.get_opcodes():
            for i in range(b, b_end):
                lines[i + 1] = min(a + i - b, max(a, a_end - 1)) + 1
        return str(original), lines

    def of(self, error: Error) -> str:
        """The finding at one of the places of an error, or ""."""
        for path, line in error.places:
            name, number = path, line
            if path.startswith(f"{self.translated}/"):
                name, lines = self._lines(path)
                number = lines[line] if line < len(lines) else 0
            if found := self.at.get((name, number)):
                return found
        return ""


def count(
    name: str, compile: Compile, root: Path, setup: Setup, routes: tuple[str, ...], only: str = ""
) -> dict[str, object]:
    """Compiles a project by the given routes; `only` is a part of the units' names."""
    root = root.resolve()
    translated = setup.work / "hip" / name
    if "translate" in routes:
        translate(root, setup, name)
    if "headers" in routes and not (setup.keep and (setup.work / "shadow").is_dir()):
        _portgpu("headers", "--to", "rocm", "-o", setup.work / "shadow", "-q")
    chosen, every, outside = units(compile, root)
    chosen = [unit for unit in chosen if only in str(unit)]
    cutlass = {unit for unit in chosen if includes_cutlass(unit, compile, root)}
    chosen = [unit for unit in chosen if unit not in cutlass]
    row: dict[str, object] = {
        "project": name,
        "units": len(every),
        "outside": outside,
        "CUTLASS": sorted(map(str, cutlass)),
        "compiled": len(chosen),
    }
    for route in routes:
        hipcc = compiler(compile, root, translated, setup, route)
        kind = route if setup.hip is None else f"{route}-newer-{setup.arch}"
        results = _compile(hipcc, chosen, setup, setup.work / "units" / name / kind)
        report = setup.work / "findings" / f"{name}.json"
        row[route] = _sum(results, Findings(report, root, translated))
    return row


def _compile(
    hipcc: Compiler, chosen: list[Path], setup: Setup, records: Path
) -> dict[str, Result | None]:
    def one(unit: Path) -> Result | None:
        record = records / f"{unit}.json"
        if kept := hipcc.kept(record):
            return kept
        if time.monotonic() > setup.until:
            return None
        hipcc.prepare()
        return hipcc.compile(hipcc.base / unit, record, setup.timeout)

    with concurrent.futures.ThreadPoolExecutor(setup.jobs) as pool:
        return dict(zip(map(str, chosen), pool.map(one, chosen), strict=True))


def _sum(results: dict[str, Result | None], findings: Findings) -> dict[str, object]:
    done = {unit: result for unit, result in results.items() if result is not None}
    failed: dict[str, list[str]] = {}
    for unit, result in done.items():
        for error in result.errors[:1]:
            failed[unit] = [_class(error, findings), error.kind, f"{error.path}:{error.line}"]
    return {
        "ok": len(done) - len(failed),
        "not run": len(results) - len(done),
        "classes": dict(collections.Counter(row[0] for row in failed.values())),
        "groups": dict(
            collections.Counter(f"{row[0]}: {row[1]}" for row in failed.values()).most_common()
        ),
        "failed": failed,
        "seconds": round(sum(result.seconds for result in done.values()), 1),
    }


def _class(error: Error, findings: Findings) -> str:
    found = findings.of(error)
    if error.missing and not found and not is_cuda_header(error.missing):
        return f"missing {error.missing}"
    return f"found {found}" if found else "silent"
