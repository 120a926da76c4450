"""`portgpu mapping`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from portgpu import mapping
from portgpu.atomic import write
from portgpu.errors import Exit, UsageError
from portgpu.mapping import Entry, Status, Tables, pages

_MEANING = {
    Status.SAME: "renaming is right",
    Status.ADAPTER: "a shim in our compat header has CUDA's meaning",
    Status.DIFFERS: "renaming alone is not enough",
    Status.UNSUPPORTED: "no counterpart",
    Status.UNVERIFIED: "not seen in the headers of both vendors",
}


@click.command()
@click.argument("names", nargs=-1, metavar="NAME…")
@click.option("--to", type=click.Choice(["rocm", "cuda"]), help="Direction (default: both).")
@click.option("--family", metavar="FAMILY", help="All rows of a family, or only names in it.")
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status]),
    help="With --family: only rows of this status.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "md", "csv"]),
    default="text",
    show_default=True,
    help="md and csv: the support page of --family.",
)
@click.option(
    "--docs", metavar="DIR", help="Write the support pages of all families (or --family)."
)
def command(
    names: tuple[str, ...],
    to: str | None,
    family: str | None,
    status: str | None,
    form: str,
    docs: str | None,
) -> int:
    """Explain what a CUDA or HIP name becomes on the other side.

    NAME is an identifier (cudaMalloc, hipMalloc, cub::BlockReduce), a header (cuda_fp16.h), a
    library (cublas), a compiler flag (after --, such as -- -gencode) or a CMake name. Without
    names: the families and their sizes. Exit code 1 when a name is unknown.
    """
    tables = mapping.load()
    if family is not None:
        tables.family(family)
    if docs is not None:
        if names or status is not None or form == "json":
            raise UsageError("--docs writes whole pages", hint="with --family and --format alone")
        _pages(tables, Path(docs), [family] if family else list(tables.families), form)
        return Exit.OK
    if form in ("md", "csv"):
        if names or family is None or status is not None:
            raise UsageError(f"--format {form} is a page", hint="give --family and no names")
        click.echo(pages.page(tables, family, form), nl=False)
        return Exit.OK
    if not names:
        if family is None:
            _families(tables, form)
            return Exit.OK
        rows = [e for e in tables.family(family) if status in (None, e.status.value)]
        _print(rows, form, long=False)
        return Exit.OK
    if status is not None:
        raise UsageError("--status needs --family and no names", hint="leave --status out")
    found: list[Entry] = []
    unknown: list[str] = []
    alone: list[str] = []
    for name in names:
        rows = [e for e in lookup(tables, name, to) if family in (None, e.family)]
        found += [row for row in rows if row not in found]
        if not rows and name in mapping.hip_only() and to != "rocm" and family is None:
            alone.append(name)
        elif not rows:
            unknown.append(name)
    _print(found, form, long=True, alone=alone)
    for name in unknown:
        click.echo(f"portgpu: no row for {name!r}{_why(tables, name, family)}", err=True)
    return Exit.FINDINGS if unknown else Exit.OK


def _pages(tables: Tables, folder: Path, families: list[str], form: str) -> None:
    """Writes a page a family, and in Markdown one that leads to them."""
    form = form if form == "csv" else "md"
    names = {family: f"{family}.{form}" for family in families}
    for family, name in names.items():
        write(folder / name, pages.page(tables, family, form).encode())
    if form == "md" and len(names) > 1:
        write(folder / "index.md", pages.index(tables, names).encode())
    click.echo(f"{len(names)} pages in {folder}", err=True)


def lookup(tables: Tables, name: str, to: str | None) -> list[Entry]:
    """The rows of `name`: as a CUDA name (`to` rocm), as a HIP name (`to` cuda), or as either."""
    rows = tables.find(name)
    if to == "rocm":
        return [row for row in rows if row.cuda == name]
    if to == "cuda":
        rows = [row for row in rows if name in (row.hip, row.roc, row.adapter)]
        best = tables.reverse(name)
        # The row that a translation back to CUDA takes comes first.
        return sorted(rows, key=lambda row: row != best)
    return rows


def _families(tables: Tables, form: str) -> None:
    counts = {
        family: Counter(row.status.value for row in tables.family(family))
        for family in tables.families
    }
    if form == "json":
        body = [
            {"family": f, "title": tables.families[f], "rows": c.total(), "status": dict(c)}
            for f, c in counts.items()
        ]
        click.echo(json.dumps(body, indent=1, ensure_ascii=False))
        return
    statuses = [status.value for status in Status]
    click.echo(f"{'family':20}{'rows':>7}" + "".join(f"{s:>13}" for s in statuses))
    for family, count in counts.items():
        cells = "".join(f"{count[s]:>13}" for s in statuses)
        click.echo(f"{family:20}{count.total():>7}{cells}")


def _print(rows: list[Entry], form: str, *, long: bool, alone: Sequence[str] = ()) -> None:
    others = [(name, *mapping.hip_only()[name]) for name in alone]
    if form == "json":
        shown = [as_dict(row) for row in rows]
        shown += [{"hip": h, "cuda": c, "note": n, "status": "HIP only"} for h, c, n in others]
        click.echo(json.dumps(shown, indent=1, ensure_ascii=False))
    elif long:
        texts = [explain(row) for row in rows]
        texts += [
            f"{hip}  →  {cuda or 'nothing in CUDA'}" + (f"\n  note: {note}" if note else "")
            for hip, cuda, note in others
        ]
        click.echo("\n\n".join(texts)) if texts else None
    else:
        for row in rows:
            click.echo(f"{row.cuda}  →  {row.target or 'nothing'}  [{row.status.value}]")


def as_dict(row: Entry) -> dict[str, Any]:
    """A row as JSON has it; empty columns are left out."""
    fields = {name: getattr(row, name) for name in row.__slots__}
    return {name: str(value) for name, value in fields.items() if value}


def explain(row: Entry) -> str:
    """A row in words, several lines."""
    lines = [f"{row.cuda}  →  {row.target or 'nothing'}"]
    lines.append(f"  {row.kind.value.replace('_', ' ')}, family {row.family}")
    lines.append(f"  {row.status.value}: {_MEANING[row.status]}")
    if row.adapter and row.hip:
        lines.append(f"  HIP's own: {row.hip}")
    if row.roc:
        lines.append(f"  below it: {row.roc}")
    if row.note:
        lines.append(f"  note: {row.note}")
    cuda = _span(row.cuda_added, row.cuda_deprecated, row.cuda_removed)
    hip = _span(row.hip_added, row.hip_deprecated, row.hip_removed)
    if cuda:
        lines.append(f"  CUDA: {cuda}")
    if hip:
        lines.append(f"  HIP: {hip}")
    if row.finding:
        lines.append(f"  reported as {row.finding}: portgpu explain {row.finding}")
    lines.append(f"  seen in: {row.verified or 'no header looked at'}")
    return "\n".join(lines)


def _span(added: str, deprecated: str, removed: str) -> str:
    parts = [
        f"{word} {version}"
        for word, version in (("since", added), ("deprecated", deprecated), ("gone in", removed))
        if version
    ]
    return ", ".join(parts)


def _why(tables: Tables, name: str, family: str | None) -> str:
    elsewhere = tables.find(name)
    if family and any(row.family != family for row in elsewhere):
        return f" in family {family}; it is in {elsewhere[0].family}"
    if elsewhere:
        return " in that direction; leave --to out"
    return _close(tables, name)


def _close(tables: Tables, name: str) -> str:
    import difflib

    keys = [
        key
        for rows in (tables.names, tables.headers, tables.libraries, tables.flags, tables.cmake)
        for key in rows
    ]
    lower = {key.lower(): key for key in keys} | {hip.lower(): hip for hip in tables.reverse_names}
    # Names that differ in case alone come first; difflib over all would be slow.
    prefix = name.lower()[:4]
    near = [key for key in lower if key[:4] == prefix or abs(len(key) - len(name)) < 2]
    close = difflib.get_close_matches(name.lower(), near, n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(lower[c] for c in close)}?" if close else ""
