"""`portgpu inspect --arguments`: what a launch of each AMD kernel has to lay out in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from portgpu.binary import amd_kernels
from portgpu.binary.amd_kernels import KernelImage
from portgpu.console import note, table
from portgpu.errors import InputError


def show(paths: Sequence[Path], pattern: str, form: str) -> None:
    """Print the arguments of the kernels whose name contains `pattern`.

    Raises `InputError` when no file holds an AMD kernel.
    """
    found: list[tuple[Path, list[KernelImage]]] = []
    for path in paths:
        kernels = [k for k in amd_kernels.load(path) if pattern in k.name or pattern in k.display]
        if kernels:
            found.append((path, kernels))
    if not found:
        named = f" whose name contains {pattern!r}" if pattern else ""
        raise InputError(
            f"{', '.join(map(str, paths))}: no AMD kernel{named}",
            hint="--arguments reads what hipcc makes: objects, libraries, bundles, code objects",
        )
    if form == "json":
        files = [{"path": str(p), "kernels": [k.to_json() for k in ks]} for p, ks in found]
        click.echo(json.dumps({"files": files}, indent=1))
        return
    for path, kernels in found:
        note(f"{path}: {len(kernels)} kernels")
        for kernel in sorted(kernels, key=lambda k: (k.display, k.arch)):
            click.echo(_text(kernel))


def _text(kernel: KernelImage) -> str:
    limits = f"{kernel.threads} threads of a block, waves of {kernel.wave}"
    if kernel.block:
        limits = f"blocks of {kernel.block} only, waves of {kernel.wave}"
    head = (
        f"{kernel.display} [{kernel.arch}]\n  {kernel.name}\n  {limits}, "
        f"{kernel.shared} bytes shared, {kernel.private} bytes private, "
        f"{kernel.kernarg_size} bytes of arguments"
    )
    rows = [
        [
            "" if a.hidden else str(kernel.explicit.index(a) + 1),
            str(a.offset),
            str(a.size),
            " ".join(filter(None, (a.kind, a.space, a.name))),
        ]
        for a in kernel.arguments
    ]
    if not rows:
        return f"{head}\n"
    shown = table(["argument", "offset", "size", "kind"], rows, right=(0, 1, 2))
    return f"{head}\n" + "".join(f"  {line}\n" for line in shown.splitlines())
