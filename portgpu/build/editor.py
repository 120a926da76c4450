"""Writes `compile_commands.json` for the original sources, so that clangd understands them.

The real builds compile translated copies with nvcc, hipcc or the host's compiler; clangd speaks
neither nvcc nor `<<<>>>` in C++. So the entries are clang's own: HIP mode with the shadow headers
for CUDA sources, CUDA mode with the found toolkit, plain C++ with the emulator's headers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from portgpu.build import files
from portgpu.build.model import Kind, Plan, SourceFile, Staged

NAME = "compile_commands.json"
# Whose view of a source is taken first: only HIP mode needs nothing that clang may be too old for.
_ORDER = ("rocm", "cuda", "cpu")


def write(plan: Plan, staged: Staged) -> Path:
    """Write the target's own file, `<build dir>/<target>/compile_commands.json`."""
    shadow = plan.project / "shadow"
    if plan.target == "rocm" and plan.route != "headers" and Kind.CUDA in staged.kinds.values():
        from portgpu.headers.shadow import render_shadow

        shadow = plan.folder / "editor"
        render_shadow("rocm", shadow)
    entries = []
    for source in plan.sources:
        kind = staged.kinds[source.path]
        if plan.target != "cpu" or _is_plain(source, kind):
            entries.append(_entry(plan, source, kind, shadow))
    path = plan.folder / NAME
    files.write(path, (json.dumps(entries, indent=1) + "\n").encode())
    return path


def merge(build_dir: Path) -> None:
    """Write `<build dir>/compile_commands.json`: each source once, as the best target sees it."""
    chosen: dict[str, Any] = {}
    for target in _ORDER:
        try:
            entries = json.loads((build_dir / target / NAME).read_bytes())
        except (OSError, ValueError):
            continue
        for entry in entries:
            chosen.setdefault(entry["file"], entry)
    files.write(build_dir / NAME, (json.dumps(list(chosen.values()), indent=1) + "\n").encode())


def _is_plain(source: SourceFile, kind: Kind) -> bool:
    """Whether a C++ compiler can read the source untranslated."""
    return kind is not Kind.CUDA and b"<<<" not in source.path.read_bytes()


def _entry(plan: Plan, source: SourceFile, kind: Kind, shadow: Path) -> dict[str, Any]:
    words = ["clang" if kind is Kind.C else "clang++", *_mode(plan, kind, shadow)]
    words += [] if kind is Kind.C else [f"-std={plan.std}"]
    words += [*_flags(plan), *(f"-D{macro}" for macro in plan.defines)]
    folders = [plan.project / "include"]
    if plan.target == "cpu":
        folders.append(plan.project / "include" / "shadow")
    words += [f"-I{folder}" for folder in (*folders, *plan.include_dirs, plan.root)]
    return {
        "directory": str(plan.root),
        "file": str(source.path),
        "arguments": [*words, "-c", str(source.path)],
    }


def _mode(plan: Plan, kind: Kind, shadow: Path) -> list[str]:
    if kind in (Kind.HOST, Kind.C):
        # The system's own folder must keep its place at the end.
        found = [folder for folder in plan.toolchain.include_dirs if folder != Path("/usr/include")]
        system = [f"-isystem{folder}" for folder in found]
        return ["-x", "c" if kind is Kind.C else "c++", *(system if plan.target == "cuda" else [])]
    if plan.target == "cpu":
        return ["-x", "c++", "-include", "pgcpu.h"]
    if plan.target == "cuda":
        arch = next((a for a in plan.archs if a.startswith("sm_")), "sm_80")
        place = plan.toolchain.include_dirs[0].parent if plan.toolchain.include_dirs else ""
        return ["-x", "cuda", f"--cuda-path={place}", f"--cuda-gpu-arch={arch}",
                "--no-cuda-version-check", "-nocudalib"]  # fmt: skip
    arch = plan.archs[0].split(":")[0]
    words = ["-x", "hip", f"--rocm-path={plan.toolchain.root}", f"--offload-arch={arch}"]
    words += ["-nogpulib", "-D__HIP_PLATFORM_AMD__=1"]
    if kind is Kind.CUDA:
        return [*words, f"@{shadow / 'portgpu-rocm.rsp'}"]
    return [*words, "-include", "hip/hip_runtime.h"]


def _flags(plan: Plan) -> list[str]:
    """The configured flags as far as clang knows them: nvcc has a language of its own."""
    if plan.target == "cuda":
        return [flag for flag in plan.flags if flag.startswith(("-D", "-U", "-I"))]
    return list(plan.flags)
