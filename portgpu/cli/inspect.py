"""`portgpu inspect`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from portgpu import binary
from portgpu.binary import Contents, Kernel, compare, occupancy
from portgpu.binary.demangle import short
from portgpu.console import note, table
from portgpu.errors import Exit, InputError, UsageError


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="FILE|BUILD-DIR …")
@click.option(
    "--compare", "other", type=click.Path(path_type=Path), help="Binary or build folder before."
)
@click.option(
    "--fail-on-growth", is_flag=True, help="With --compare: exit 1 when a kernel needs more."
)
@click.option("--block", type=click.IntRange(1, 1024), help="Threads a block, for occupancy.")
@click.option("--kernel", "pattern", default="", help="Only kernels whose name contains this.")
@click.option(
    "--arguments", is_flag=True, help="Arguments of AMD kernels, as a launch lays them out."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(
    paths: tuple[Path, ...],
    other: Path | None,
    fail_on_growth: bool,
    block: int | None,
    pattern: str,
    arguments: bool,
    form: str,
) -> int:
    """Show architectures, kernels, registers and spills of binaries, for both vendors.

    Takes objects, libraries, programs, archives, cubins, fatbins, AMD code objects, and build
    folders (default: build). Registers are per thread; spills are bytes of spill stores (NVIDIA)
    or spilled registers (AMD), ? where an NVIDIA binary does not tell. Occupancy is the most that
    fits at the given block size without dynamic shared memory.
    """
    if fail_on_growth and other is None:
        raise UsageError("--fail-on-growth needs --compare", hint="name the build to compare with")
    if arguments:
        if other is not None:
            raise UsageError("--arguments does not go with --compare", hint="leave one of them out")
        from portgpu.cli import inspect_arguments

        inspect_arguments.show(
            [f for p in paths or (Path("build"),) for f in files(p)], pattern, form
        )
        return int(Exit.OK)
    held = contents(paths or (Path("build"),))
    kernels = [k for c in held for k in c.kernels if pattern in k.name or pattern in short(k.name)]
    if other is not None:
        before = [k for c in contents((other,)) for k in c.kernels]
        if pattern:
            before = [k for k in before if pattern in k.name or pattern in short(k.name)]
        changes = compare.compare(before, kernels)
        _show_changes(changes, form)
        grew = any(change.grew for change in changes)
        return int(Exit.FINDINGS) if fail_on_growth and grew else int(Exit.OK)
    if form == "json":
        click.echo(json.dumps({"files": [_file_json(c, block or 0) for c in held]}, indent=1))
        return int(Exit.OK)
    for item in held:
        archs = ", ".join(item.archs) or "no device code"
        note(f"{item.path}: {item.machine or 'device code'}, {archs}")
    if kernels:
        click.echo(kernel_table(kernels, block or 0))
    return int(Exit.OK)


def contents(paths: Sequence[Path]) -> list[Contents]:
    """Read files; a folder stands for the libraries that its build.json names."""
    found = []
    for path in paths:
        for file in files(path):
            found.append(binary.read(file))
    return found


def files(path: Path) -> list[Path]:
    """A file itself, or the libraries of a build folder."""
    if not path.is_dir():
        return [path]
    record = path / "build.json"
    if not record.is_file():
        raise InputError(
            f"{path}: no build.json in this folder", hint="run portgpu build, or name files"
        )
    try:
        targets: dict[str, Any] = json.loads(record.read_bytes())["targets"]
        # Relative to the folder, so that a copied or moved build folder can be read.
        return [path / name / Path(entry["library"]).name for name, entry in targets.items()]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{record}: not a build record of portgpu", hint="build again") from error


def kernel_table(kernels: Sequence[Kernel], block: int = 0) -> str:
    """One row for each kernel and architecture."""
    head = [
        "kernel",
        "arch",
        "regs",
        "sgpr",
        "agpr",
        "spills",
        "shared",
        "stack",
        "block",
        "occupancy",
    ]
    rows = []
    for kernel in sorted(kernels, key=lambda k: (short(k.name), k.arch)):
        amd = kernel.arch.startswith("gfx")
        fits = occupancy.of(kernel, block)
        why = f"{fits.fraction:4.0%} {fits.limit}".rstrip(" -") if fits else "?"
        rows.append(
            [
                _cut(short(kernel.name)),
                kernel.arch,
                str(kernel.registers),
                str(kernel.sgprs) if amd else "",
                str(kernel.agprs) if amd else "",
                "?" if kernel.spills is None else str(kernel.spills),
                str(kernel.shared),
                str(kernel.stack),
                str(fits.block) if fits else "",
                why,
            ]
        )
    return table(head, rows, right=range(2, 9))


def _cut(name: str, most: int = 60) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _file_json(item: Contents, block: int) -> dict[str, Any]:
    kernels = []
    for kernel in item.kernels:
        fits = occupancy.of(kernel, block)
        entry = kernel.to_json() | {"display": short(kernel.name)}
        entry["occupancy"] = (
            {"warps": fits.warps, "most": fits.most, "block": fits.block, "limit": fits.limit}
            if fits
            else None
        )
        kernels.append(entry)
    images = [{"arch": i.arch, "kind": i.kind, "size": i.size} for i in item.images]
    return {"path": item.path, "machine": item.machine, "images": images, "kernels": kernels}


def _show_changes(changes: Sequence[compare.Change], form: str) -> None:
    if form == "json":
        click.echo(json.dumps({"changes": [change.to_json() for change in changes]}, indent=1))
        return
    if not changes:
        click.echo("no kernel changed")
        return
    rows = []
    for change in changes:
        before = "-" if change.before is None else str(change.before)
        after = "-" if change.after is None else str(change.after)
        if change.measure == "kernel":
            what = "new" if change.before is None else "gone"
        else:
            what = f"{change.measure} {'grew' if change.grew else 'shrank'}"
        rows.append([_cut(short(change.kernel)), change.arch, what, before, after])
    click.echo(table(["kernel", "arch", "change", "before", "after"], rows, right=(3, 4)))
