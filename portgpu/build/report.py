"""Shows what was built: the table at the end, and `build.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from portgpu import __version__
from portgpu.build import files
from portgpu.build.model import TargetResult
from portgpu.build.state import to_json
from portgpu.console import size, table

JSON_FORMAT = 1


def summary(results: Sequence[TargetResult]) -> str:
    """One row a target; architectures and kernels are those that were read back."""
    rows = []
    for result in results:
        kernels = result.kernels
        names = {kernel.name for kernel in kernels}
        gpu = result.target != "cpu"
        rows.append(
            [
                result.target,
                result.toolchain.name,
                ", ".join(result.archs),
                str(len(names)) if gpu else "-",
                str(max((kernel.registers for kernel in kernels), default=0)) if gpu else "-",
                spills(result) if gpu else "-",
                size(result.size),
                "up to date" if result.up_to_date else f"{result.seconds:.1f}",
            ]
        )
    head = [
        "target",
        "toolchain",
        "architectures",
        "kernels",
        "registers",
        "spills",
        "size",
        "seconds",
    ]
    return table(head, rows, right=(3, 4, 5, 6, 7))


def spills(result: TargetResult) -> str:
    """How many kernels spill, `0` when none does; `?` marks kernels that cannot tell."""
    kernels = result.kernels
    count = len({k.name for k in kernels if k.spills})
    unknown = any(k.spills is None for k in kernels)
    return ("?" if not count else f"{count}?") if unknown else str(count)


def write_json(build_dir: Path, results: Sequence[TargetResult]) -> Path:
    """Write `build.json`. Targets of earlier builds in the same folder stay in it."""
    path = build_dir / "build.json"
    targets = {}
    try:
        old = json.loads(path.read_bytes())
        if old.get("format") == JSON_FORMAT:
            targets = {
                name: entry
                for name, entry in old["targets"].items()
                if Path(entry["library"]).is_file()
            }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        targets = {}
    for result in results:
        targets[result.target] = to_json(result)
    data = {"format": JSON_FORMAT, "portgpu": __version__, "targets": targets}
    files.write(path, (json.dumps(data, indent=1) + "\n").encode())
    return path
