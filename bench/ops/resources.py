"""Table of what the op library's kernels need on each architecture, as read back from binaries.

    portgpu build --target rocm --arch gfx90a --arch gfx908 --arch gfx1030 --types all
    python bench/ops/resources.py build > table.md

Takes whatever `portgpu inspect` takes. Kernels that differ in template arguments alone share a row:
the worst of them is shown.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from typing import Any

Kernel = dict[str, Any]


def family(display: str) -> str:
    """`pgops::(anonymous)::scan_rows<A, float, 32>` is of the family `scan_rows`."""
    text = re.sub(r"\(anonymous namespace\)|\{[^}]*\}", "", display)
    depth, kept = 0, []
    for character in text:
        depth += (character == "<") - (character == ">")
        if not depth and character != ">":
            kept.append(character)
    return "".join(kept).split("(")[0].split("::")[-1].split()[-1]


def read(paths: list[str]) -> list[Kernel]:
    """The kernels of all binaries, each once."""
    command = [sys.executable, "-m", "portgpu", "inspect", "--format", "json", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    files = json.loads(done.stdout)["files"]
    return [kernel for file in files for kernel in file["kernels"]]


def cell(kernels: list[Kernel]) -> str:
    """Registers, spills, stack bytes, shared bytes and the least occupancy, in percent."""
    if not kernels:
        return "-"
    most = {key: max(k[key] or 0 for k in kernels) for key in ("registers", "shared", "stack")}
    spills = [k["spills"] or 0 for k in kernels]
    filled = [100 * k["occupancy"]["warps"] // k["occupancy"]["most"] for k in kernels]
    text = f"{most['registers']} / {most['shared']} / {min(filled)} %"
    if max(spills) or most["stack"]:
        text += f" (spills {max(spills)} in {sum(n > 0 for n in spills)}, stack {most['stack']})"
    return text


def table(kernels: list[Kernel]) -> str:
    """Markdown: one row a family, one column an architecture."""
    archs = sorted({k["arch"] for k in kernels})
    rows: dict[str, dict[str, list[Kernel]]] = defaultdict(lambda: defaultdict(list))
    for kernel in kernels:
        rows[family(kernel["display"])][kernel["arch"]].append(kernel)
    lines = ["| kernels | number |" + "".join(f" {a} |" for a in archs)]
    lines.append("|---|---|" + "---|" * len(archs))
    for name, of in sorted(rows.items()):
        number = max(len(found) for found in of.values())
        lines.append(f"| {name} | {number} |" + "".join(f" {cell(of[a])} |" for a in archs))
    total = {a: [k for k in kernels if k["arch"] == a] for a in archs}
    lines.append(
        "| **all** | |"
        + "".join(
            f" {len(t)} kernels, {sum((k['spills'] or 0) > 0 for k in t)} spill |"
            for t in total.values()
        )
    )
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(table(read(sys.argv[1:])))
