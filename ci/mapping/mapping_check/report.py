"""Renders docs/mapping-verification.md: what was checked, counts, and every disagreement."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mapping_check import fetch
from mapping_check.check import AUTO, Evidence, Row

_STATUSES = ("same", "adapter", "differs", "unsupported", "unverified")
_LISTED = 60  # rows a family lists before it refers to the table


def summary(
    tables: dict[str, list[Row]], seen: list[Evidence], entries: list[dict[str, Any]]
) -> str:
    """The whole page."""
    parts = [
        _INTRODUCTION,
        _sets(seen, entries),
        _counts(tables),
        _disagreements(tables),
        _values(tables),
        _unverified(tables),
    ]
    return "\n".join(parts)


_INTRODUCTION = """<!-- Written by ci/mapping/verify.py; do not edit. -->
# How the mapping tables were verified

`ci/mapping/verify.py` reads the declarations in the vendors' own headers through libclang and
compares every row of `portgpu/data/mapping/` with them: does the name exist on both sides, in which
versions, does a function take as many parameters of the same kinds, has an enumerator the same
value. A row is `same` only if both names were seen and a call written for one compiles for the
other. To repeat it:

```sh
python ci/mapping/verify.py fetch  headers/
python ci/mapping/verify.py verify headers/
```

What a header cannot show, such as a different meaning of the same parameter, is written into the
row's note by hand and kept. Libraries, compiler flags and CMake names have no headers. Their rows
name what lists them: `nvcc13.0` (`nvcc --help`), `clang19` (its own list of options, for what a
flag becomes), `cmake4.4` (its variables, properties and `FindCUDAToolkit`); the rest are facts of
the vendors' manuals. `tests/mapping/test_manuals.py` holds the rows to these lists.
"""


def _sets(seen: list[Evidence], entries: list[dict[str, Any]]) -> str:
    lines = ["## Header sets", "", "| set | from | names read |", "|---|---|---|"]
    for where, entry in zip(seen, entries, strict=True):
        origin = ", ".join(
            [w.replace("==", " ") for w in entry.get("wheels", [])]
            + [f"{g['repo']}@{g['commit'][:8]}" for g in entry.get("git", [])]
            + (["Debian 12 packages and clang 15's HIP headers"] if "system" in entry else [])
        )
        lines.append(f"| {where.name} | {origin} | {len(where.facts)} |")
    lines += [
        "",
        "CUDA names that are in none of these were looked for in texts that use them; a call there",
        "must have as many arguments as HIP's function takes:",
        "",
    ]
    lines += [f"- {e['name']}: {e['origin']}" for e in fetch.mentions()]
    return "\n".join(lines) + "\n"


def _counts(tables: dict[str, list[Row]]) -> str:
    head = " | ".join(_STATUSES)
    lines = [
        "## Rows by family and status",
        "",
        f"| family | rows | {head} | seen on both sides |",
        "|---|" + "---:|" * (len(_STATUSES) + 2),
    ]
    total: Counter[str] = Counter()
    for family, rows in tables.items():
        count = Counter(row["status"] for row in rows)
        count["both"] = sum(_both(row) for row in rows)
        count["rows"] = len(rows)
        total.update(count)
        lines.append(_line(family, count))
    lines.append(_line("**all**", total))
    return "\n".join(lines) + "\n"


def _line(name: str, count: Counter[str]) -> str:
    cells = [str(count[s]) for s in ("rows", *_STATUSES, "both")]
    return f"| {name} | {' | '.join(cells)} |"


def _both(row: Row) -> bool:
    return "cuda" in row["verified"] and ("hip" in row["verified"] or "rocm" in row["verified"])


def _disagreements(tables: dict[str, list[Row]]) -> str:
    lines = ["## Signatures that differ", ""]
    for family, rows in tables.items():
        found = [
            r for r in rows if r["status"] in ("differs", "adapter") and r["hip"] and r["note"]
        ]
        if not found:
            continue
        lines += [f"### {family} ({len(found)})", ""]
        for row in found[:_LISTED]:
            mark = f" (adapter `{row['adapter']}`)" if row["adapter"] else ""
            lines.append(f"- `{row['cuda']}` → `{row['hip']}`{mark}: {row['note']}")
        if len(found) > _LISTED:
            lines.append(f"- … {len(found) - _LISTED} more: `portgpu mapping --family {family}`")
        lines.append("")
    return "\n".join(lines)


def _values(tables: dict[str, list[Row]]) -> str:
    lines = ["## Values that differ", ""]
    for family, rows in tables.items():
        found = [r for r in rows if f"{AUTO}value" in r["note"]]
        if found:
            constants = sum(r["kind"] in ("enum", "macro") for r in rows)
            lines.append(
                f"- **{family}**: {len(found)} of {constants} constants; renaming is right, storing"
                " or comparing the number is not. For example "
                + ", ".join(f"`{r['cuda']}` ({r['note'].partition(AUTO)[2]})" for r in found[:3])
            )
    return "\n".join(lines) + "\n"


def _unverified(tables: dict[str, list[Row]]) -> str:
    lines = [
        "## Rows that no header of both sides shows",
        "",
        "Their HIP name exists; the CUDA name is in none of the headers and texts looked at: it",
        "went before CUDA 10.2 (before cuDNN 8), or belongs to a header that Linux packages lack.",
        "",
    ]
    for family, rows in tables.items():
        found = [r["cuda"] for r in rows if r["status"] == "unverified"]
        if found:
            more = f" and {len(found) - 40} more" if len(found) > 40 else ""
            names = ", ".join(f"`{n}`" for n in found[:40])
            lines.append(f"- **{family}** ({len(found)}): {names}{more}")
    return "\n".join(lines) + "\n"
