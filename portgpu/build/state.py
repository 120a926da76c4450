"""Whether a target must be built again: a record of all inputs, kept beside the library.

The record is written last, when a build succeeded, and names every file that had a part in it. A
build whose record still holds calls no compiler, no CMake and no Ninja.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from portgpu import __version__, resources
from portgpu.binary.model import Kernel
from portgpu.build import files
from portgpu.build.model import ObjectReport, Plan, Request, SourceFile, Staged, TargetResult
from portgpu.toolchain import Toolchain

_FORMAT = 1
# The parts of portgpu that decide what a build folder holds.
_MAKERS = ("binary", "build", "data", "headers", "mapping", "source", "toolchain", "translate")
# Variables that decide which compiler is found and what it does.
_ENVIRONMENT = [
    "PATH",
    "CUDACXX",
    "CUDA_PATH",
    "CUDA_HOME",
    "HIPCXX",
    "ROCM_PATH",
    "HIP_PATH",
    "HIP_DEVICE_LIB_PATH",
    "DEVICE_LIB_PATH",
    "HIP_CLANG_PATH",
    "CXX",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "NVCC_CCBIN",
    "HIPCC_COMPILE_FLAGS_APPEND",
    "HIPCC_LINK_FLAGS_APPEND",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SDKROOT",
    "MACOSX_DEPLOYMENT_TARGET",
    "CCC_OVERRIDE_OPTIONS",
]


def settings_key(request: Request, target: str, archs: Iterable[str]) -> str:
    """A key of everything that was asked for, and of portgpu itself."""
    config = request.config
    settings = {
        "format": _FORMAT,
        "portgpu": [__version__, _tool_stamp()],
        "python": sys.executable,
        "environment": {name: os.environ.get(name) for name in _ENVIRONMENT},
        "archs": list(archs),
        "options": {k: str(v) for k, v in asdict(request.options).items()},
        "project": asdict(config.project),
        "build": {
            k: v
            for k, v in asdict(config.build).items()
            if k not in ("targets", "jobs", "build_dir")
        },
        "folder": str(request.build_dir),
        "target": asdict(config.target(target)),
        "translate": asdict(config.translate),
        "root": str(config.root),
    }
    return files.digest(json.dumps(settings, sort_keys=True).encode())


def _tool_stamp() -> str:
    """A stamp of portgpu's own files: another translator or table makes other code."""
    package = Path(resources.__file__).parent
    parts = []
    for folder in (*(package / name for name in _MAKERS), resources.templates()):
        for path, names, entries in os.walk(folder):
            names[:] = sorted(name for name in names if name != "__pycache__")
            for entry in sorted(entries):
                if not entry.endswith(".pyc"):
                    parts.append(f"{path}/{entry} {_stat(Path(path, entry))}")
    return files.digest("\n".join(parts).encode())


def _stat(path: Path) -> list[int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def _content(path: Path) -> str | None:
    try:
        return files.digest(path.read_bytes())
    except OSError:
        return None


def record(
    plan: Plan,
    key: str,
    staged: Staged,
    dependencies: Collection[Path],
    outputs: Iterable[Path],
    result: TargetResult,
    started_ns: int,
) -> None:
    """Write the record of a build that succeeded.

    `staged.content` has the digests of the originals as they were read, so that an edit during the
    build is seen by the next one; for the same reason nothing is recorded when a header has
    changed.
    """
    for path in dependencies:
        found = _stat(path)
        if found is None or (found[1] >= started_ns and not path.is_relative_to(plan.project)):
            return
    watched = {*dependencies, *outputs, plan.toolchain.compiler, plan.project / "CMakeLists.txt"}
    data = {
        "key": key,
        "sources": [source.relative for source in plan.sources],
        "content": {str(path): staged.content[path] for path in sorted(staged.content)},
        "links": {str(link): str(place) for link, place in sorted(staged.links.items())},
        "stat": {str(path): _stat(path) for path in sorted(watched)},
        "result": to_json(result),
    }
    files.write(plan.folder / "state.json", json.dumps(data).encode())


def forget(folder: Path, outputs: Iterable[Path]) -> None:
    """Drop the record: what follows may change the folder.

    Outputs that are not as the record has them are removed, since Ninja trusts what is new enough.
    """
    try:
        known = json.loads((folder / "state.json").read_bytes())["stat"]
    except (OSError, ValueError, KeyError, TypeError):
        known = {}
    try:
        for path in outputs:
            if str(path) in known and _stat(path) != known[str(path)]:
                path.unlink(missing_ok=True)
        (folder / "state.json").unlink(missing_ok=True)
    except OSError as error:
        raise files.unusable(folder / "state.json", error) from error


def recall(folder: Path, key: str, sources: Iterable[SourceFile]) -> TargetResult | None:
    """The result of an earlier build if nothing that it depends on has changed."""
    try:
        data = json.loads((folder / "state.json").read_bytes())
        if data["key"] != key or data["sources"] != [source.relative for source in sources]:
            return None
        if any(_stat(Path(path)) != old for path, old in data["stat"].items()):
            return None
        if any(_content(Path(path)) != old for path, old in data["content"].items()):
            return None
        if any(str(Path(link).resolve()) != place for link, place in data["links"].items()):
            return None
        result = from_json(data["result"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    result.up_to_date = True
    result.compiled = 0
    return result


def to_json(result: TargetResult) -> dict[str, Any]:
    """A target's result as plain data, as it stands in `build.json`."""
    return {
        "target": result.target,
        "name": result.name,
        "toolchain": result.toolchain.to_json(),
        "library": str(result.library),
        "archs": {"requested": list(result.requested), "found": list(result.archs)},
        "size": result.size,
        "seconds": round(result.seconds, 3),
        "compiled": result.compiled,
        "up_to_date": result.up_to_date,
        "warnings": result.warnings,
        "objects": [
            {
                "source": report.source,
                "object": report.object,
                "archs": list(report.archs),
                "size": report.size,
                "kernels": [kernel.to_json() for kernel in report.kernels],
            }
            for report in result.objects
        ],
    }


def from_json(data: dict[str, Any]) -> TargetResult:
    """The inverse of `to_json`."""
    return TargetResult(
        target=data["target"],
        name=data["name"],
        toolchain=Toolchain.from_json(data["toolchain"]),
        library=Path(data["library"]),
        requested=tuple(data["archs"]["requested"]),
        archs=tuple(data["archs"]["found"]),
        objects=[
            ObjectReport(
                source=entry["source"],
                object=entry["object"],
                archs=tuple(entry["archs"]),
                kernels=tuple(Kernel(**kernel) for kernel in entry["kernels"]),
                size=entry["size"],
            )
            for entry in data["objects"]
        ],
        size=data["size"],
        seconds=data["seconds"],
        compiled=data["compiled"],
        up_to_date=data["up_to_date"],
        warnings=list(data["warnings"]),
    )
