"""Support pages: the rows of a family as Markdown or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from portgpu.errors import UsageError
from portgpu.mapping.tables import FAMILIES, Entry, Kind, Status, Tables

FORMATS = ("md", "csv")
LAYOUTS = ("full", "strict", "compact")  # every row; those with a counterpart; those, names alone
ROC = ("skip", "separate", "joint")
_SECTIONS: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("Functions", frozenset((Kind.FUNCTION, Kind.DEVICE_FUNCTION))),
    ("Types", frozenset((Kind.TYPE, Kind.STRUCT, Kind.NAMESPACE))),
    ("Enumerators and constants", frozenset((Kind.ENUM, Kind.MACRO, Kind.VARIABLE))),
    ("Names", frozenset((Kind.HEADER, Kind.LIBRARY, Kind.FLAG, Kind.CMAKE))),
)


def page(
    tables: Tables, family: str, form: str = "md", layout: str = "full", roc: str = "joint"
) -> str:
    """The page of one family. Raises `UsageError` for an unknown family, format or layout.

    `roc` says where AMD's own libraries stand: "skip", "separate" (HIP's place) or "joint".
    """
    for value, choices in ((form, FORMATS), (layout, LAYOUTS), (roc, ROC)):
        if value not in choices:
            raise UsageError(f"{value!r} is no choice", hint=f"choose one of {', '.join(choices)}")
    rows = tables.family(family)
    has_roc = any(row.roc for row in rows)
    roc = roc if has_roc else "skip"
    if layout != "full":
        rows = [r for r in rows if (r.roc if roc == "separate" else r.target or r.roc)]
    columns = ["CUDA", "A", "D", "R"]
    if roc != "separate":
        columns += ["HIP", "A", "D", "R"]
    if roc != "skip":
        columns.append("ROC")
    columns.append("Rename")
    if layout == "compact":
        columns = [c for c in columns if len(c) > 1 and c != "Rename"]
    if form == "csv":
        return _csv(columns, [_cells(row, roc, layout) for row in rows])
    text = f"# {FAMILIES[family]}\n\n" + _summary(rows)
    for title, kinds in _SECTIONS:
        part = [row for row in rows if row.kind in kinds]
        if part:
            text += f"\n## {title}\n\n"
            text += _table(columns, [_cells(row, roc, layout) for row in part])
    return text + "\nA: added, D: deprecated, R: removed. Versions of CUDA, then of HIP.\n"


def index(tables: Tables, names: dict[str, str]) -> str:
    """The page that leads to the others; `names` is family -> file name."""
    statuses = [s.value for s in Status]
    rows = []
    for family, file in names.items():
        found = [r.status.value for r in tables.family(family)]
        rows.append([f"[{FAMILIES[family]}]({file})", str(len(found))]
                    + [str(found.count(s)) for s in statuses])  # fmt: skip
    return "# Supported CUDA names\n\n" + _table(["family", "rows", *statuses], rows)


def _summary(rows: Sequence[Entry]) -> str:
    usable = sum(bool(row.target) for row in rows)
    return f"{len(rows)} names, {usable} with a counterpart in HIP.\n"


def _cells(row: Entry, roc: str, layout: str) -> list[str]:
    cells = [row.cuda]
    versions = layout != "compact"
    if versions:
        cells += [row.cuda_added, row.cuda_deprecated, row.cuda_removed]
    if roc != "separate":
        cells.append(row.target)
        if versions:
            cells += [row.hip_added, row.hip_deprecated, row.hip_removed]
    if roc != "skip":
        cells.append(row.roc)
    if versions:
        cells.append(row.status.value + (f": {row.note}" if row.note else ""))
    return cells


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = "|" + "|".join(columns) + "|\n|" + "|".join(":--" for _ in columns) + "|\n"
    for row in rows:
        code = {0} | {i for i, c in enumerate(columns) if c in ("HIP", "ROC")}
        cells = [_code(cell) if i in code else _plain(cell) for i, cell in enumerate(row)]
        text += "|" + "|".join(cells) + "|\n"
    return text


def _code(text: str) -> str:
    return text if text.startswith("[") else f"`{text}`" if text else ""


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
