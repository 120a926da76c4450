"""Which translation units of the real projects compile for AMD without a manual edit.

`count` compiles the units of one project twice: translated by `portgpu translate`, and untouched
with the shadow headers of `portgpu headers`. What a project needs is in bench/corpora.toml.
"""

from __future__ import annotations

import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

STUBS = Path(__file__).resolve().parent / "corpora_stubs"
ROUTES = ("translate", "headers")
_ERROR = re.compile(r"^(?P<where>[^\s:]+:\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'")


@dataclass(frozen=True)
class Compile:
    """The `compile` table of a project in bench/corpora.toml; paths are relative to its root.

    `root` is the folder to translate when it is not the measured one; `units` are glob patterns.
    `torch` adds PyTorch's own headers, translated for the first route. `outside` names units that
    cannot compile for AMD whatever a translator does, with the reason.
    """

    units: tuple[str, ...]
    root: str = ""
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    torch: bool = False
    outside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Setup:
    """Where things are: headers of ROCm that the distribution lacks (`sdk`), PyTorch's headers."""

    work: Path
    sdk: tuple[Path, ...] = ()
    torch: Path | None = None
    arch: str = "gfx90a"
    codegen: bool = False
    jobs: int = 2
    timeout: float = 600.0


def _portgpu(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "portgpu", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-2000:]}")


def _torch_include(setup: Setup, route: str) -> list[str]:
    if setup.torch is None:
        return []
    folder = setup.torch
    if route == "translate":
        folder = setup.work / "torch"
        # PyTorch has HIP branches for most; what is under its cuda folders is written for CUDA.
        if not folder.is_dir():
            _portgpu("translate", setup.torch, "-o", folder, "-q")
    python = f"/usr/include/python{sys.version_info.major}.{sys.version_info.minor}"
    api = "torch/csrc/api/include"
    return [f"-I{folder}", f"-I{folder}/{api}", f"-I{setup.torch}", f"-I{python}"]


def units(compile: Compile, root: Path) -> list[Path]:
    """The units of a project, relative to its root, without those that cannot compile for AMD."""
    found = sorted({p.relative_to(root) for glob in compile.units for p in root.glob(glob)})
    return [path for path in found if not any(path.match(pattern) for pattern in compile.outside)]


def command(compile: Compile, root: Path, translated: Path, setup: Setup, route: str) -> list[str]:
    """The hipcc command of one project, without the unit."""
    base = translated if route == "translate" else root
    words = ["hipcc", "-x", "hip", f"--offload-arch={setup.arch}", "-std=c++17", "-w"]
    words += ["-c", "-O1", "-o", os.devnull] if setup.codegen else ["-fsyntax-only"]
    words += ["-ferror-limit=5", "-D__HIP_PLATFORM_AMD__=1"]
    if route == "headers":
        shadow = setup.work / "shadow"
        words.append(f"@{shadow / 'portgpu-rocm.rsp'}")
    for name in compile.include:
        # A folder outside the translated tree is used as it is.
        inside = (base / name).resolve()
        ours = inside.is_relative_to(base.resolve()) and inside.is_dir()
        words.append(f"-I{inside if ours else (root / name).resolve()}")
    words += [f"-I{path}" for path in (*setup.sdk, STUBS)]
    if compile.torch:
        words += _torch_include(setup, route)
        words += ["-DTORCH_API_INCLUDE_EXTENSION_H", "-DTORCH_EXTENSION_NAME=extension"]
    words += [f"-D{name}" for name in compile.define]
    return words + list(compile.flags)


def _one(words: list[str], unit: Path, log: Path, timeout: float) -> str:
    """Compiles one unit; returns "" or its first error."""
    env = os.environ | {"HIP_PLATFORM": "amd"}
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            [*words, str(unit)],
            capture_output=True,
            text=True,
            env=env,
            timeout=timeout,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return f"no result after {timeout:.0f} s"
    log.write_text(" ".join([*words, str(unit)]) + "\n" + done.stderr)
    if done.returncode == 0:
        return ""
    found = _ERROR.search(done.stderr)
    if found is None:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return f"{Path(found['where']).name}: {found['text']}"


def count(
    name: str, compile: Compile, root: Path, setup: Setup, routes: tuple[str, ...], limit: int = 0
) -> dict[str, object]:
    """Compiles a project by the given routes; `limit` takes every n-th unit so that few remain."""
    translated = setup.work / "hip" / name
    if "translate" in routes:
        _portgpu("translate", root, "-o", translated, "-q")
    if "headers" in routes:
        _portgpu("headers", "--to", "rocm", "-o", setup.work / "shadow", "-q")
    all_units = units(compile, root)
    chosen = all_units[:: max(1, -(-len(all_units) // limit))] if limit else all_units
    row: dict[str, object] = {
        "project": name,
        "units": len(all_units),
        "compiled": len(chosen),
        "outside": compile.outside,
    }
    for route in routes:
        base = translated if route == "translate" else root
        words = command(compile, root, translated, setup, route)
        start = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(setup.jobs) as pool:
            logs = [setup.work / "log" / name / route / f"{unit}.txt" for unit in chosen]
            errors = list(
                pool.map(
                    lambda unit, log: _one(words, base / unit, log, setup.timeout),  # noqa: B023
                    chosen,
                    logs,
                )
            )
        failed = {str(u): e for u, e in zip(chosen, errors, strict=True) if e}
        groups = collections.Counter(_QUOTED.sub("'…'", e) for e in failed.values())
        row[route] = {
            "ok": len(chosen) - len(failed),
            "failed": failed,
            "groups": dict(groups.most_common()),
            "seconds": round(time.perf_counter() - start, 1),
        }
    return row
