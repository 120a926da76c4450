#!/usr/bin/env python3
"""Checks every mapping row against the vendors' headers and rewrites the tables.

    python ci/mapping/verify.py fetch  DIR    download the pinned headers (about 2 GB of wheels)
    python ci/mapping/verify.py verify DIR    rewrite portgpu/data/mapping/*.csv and the summary
    python ci/mapping/verify.py check  DIR    write nothing; exit 1 if anything would change

Needs Python 3.11 (AMD's binding wheels), libclang and clang's headers; for HIP 5.2, Debian 12 with
libamdhip64-dev, libhiprand-dev, libhipsparse-dev and clang-15. Headers are read where they lie and
are not redistributed. Columns that people wrote (adapter, finding, the note's first part) are kept.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mapping_check import candidates, fetch, hip_only, mentions, readers, report  # noqa: E402
from mapping_check.check import Evidence, Row, check, evidence  # noqa: E402

DATA = ROOT / "portgpu" / "data" / "mapping"
HIP_ONLY = ROOT / "portgpu" / "data" / "translate" / "hip_only.csv"
GROUPS = ROOT / "templates" / "compat" / "portgpu" / "hip_compat_cg.h"
SUMMARY = ROOT / "docs" / "mapping-verification.md"
from portgpu import mapping  # noqa: E402
from portgpu.mapping import COLUMNS, FAMILIES  # noqa: E402


def main() -> int:
    """Runs the command line; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["fetch", "verify", "check"])
    parser.add_argument("folder", type=Path, help="where the headers are or go")
    parser.add_argument("--git-base", default="https://github.com/", help="prefix of repositories")
    parser.add_argument("--set", action="append", default=[], help="fetch only this header set")
    options = parser.parse_args()
    if options.command == "fetch":
        fetch.fetch(options.folder, options.git_base, options.set)
        return 0
    seen = [
        evidence(
            entry, readers.facts(options.folder, entry), readers.headers(options.folder, entry)
        )
        for entry in fetch.sets()
    ]
    texts_seen = mentions.read(options.folder)
    before = {family: _read(family) for family in FAMILIES}
    tables = _verify({family: _read(family) for family in FAMILIES}, seen, texts_seen)
    added = sum(map(len, tables.values())) - sum(map(len, before.values()))
    print(f"{max(added, 0)} public names of the headers had no row")
    texts = {DATA / f"{family}.csv": _text(rows) for family, rows in tables.items()}
    hip = [e for e in seen if e.vendor == "hip"]
    texts[HIP_ONLY] = hip_only.table(HIP_ONLY, tables, hip)
    shims = mapping.shims()
    shown = {
        family: [
            {**row, "status": "adapter", "adapter": shims[row["cuda"]]}
            if row["cuda"] in shims
            else row
            for row in rows
        ]
        for family, rows in tables.items()
    }
    texts[SUMMARY] = report.summary(shown, seen, fetch.sets())
    changed = [p for p, text in texts.items() if not p.exists() or p.read_text() != text]
    for path in changed:
        print(f"{'changed' if options.command == 'verify' else 'would change'}: {path}")
        if options.command == "verify":
            path.write_text(texts[path], encoding="utf-8")
    return 1 if changed and options.command == "check" else 0


def _verify(
    tables: dict[str, list[Row]], seen: list[Evidence], texts_seen: list[mentions.Mentions]
) -> dict[str, list[Row]]:
    cuda = [e for e in seen if e.vendor == "cuda"]
    hip = [e for e in seen if e.vendor == "hip"]
    partners = candidates.Partners(hip)
    known = {row["cuda"] for rows in tables.values() for row in rows}
    for source in (candidates.missing, candidates.classes):
        for family, rows in source(cuda, known, partners).items():
            tables[family] = tables[family] + rows
    tables["headers"] = tables["headers"] + candidates.headers(cuda, hip, known)
    _complete(tables, seen, partners)
    types = {
        row["cuda"]: row["hip"]
        for rows in tables.values()
        for row in rows
        if row["kind"] in ("type", "struct") and row["hip"]
    }
    return {
        family: sorted(
            (
                check(row, family, seen, types, texts_seen)
                for row in rows
                if _wanted(row, family, cuda)
            ),
            key=lambda row: (row["cuda"].lower(), row["cuda"]),
        )
        for family, rows in tables.items()
    }


def _complete(
    tables: dict[str, list[Row]], seen: list[Evidence], partners: candidates.Partners
) -> None:
    """Gives rows without a partner, or with one that no header has, the partner that exists.

    The functions of our cooperative groups header become adapters; the other shims are laid over
    the tables when these are loaded.
    """
    groups = set(re.findall(r"(?:class|struct|using) (\w+)|(\w+)\(", GROUPS.read_text("utf-8")))
    for row in tables["cooperative_groups"]:
        scope, _, name = row["cuda"].rpartition("::")
        if scope == "cooperative_groups" and any(name in found for found in groups):
            row["adapter"] = f"pg_compat::cg::{name}"
    for family, rows in tables.items():
        for row in rows:
            own = "::" in row["cuda"] or "::cg::" in row["adapter"]
            if row["adapter"].startswith("pg_compat::") and not own:
                row["adapter"] = ""
            if row["kind"] in ("header", "library", "flag", "cmake") or "::" in row["cuda"]:
                continue
            later = row["hip"].replace("_v2", "")
            # hipBLAS 6 had _v2 names for what is the plain name before (other types) and after.
            if family == "blas" and later != row["hip"] and later in partners.newest:
                row["hip"] = later
            if row["hip"] and row["hip"] in partners.facts:
                continue
            kinds: set[str] = set()
            for where in seen:
                if where.vendor == "cuda" and row["cuda"] in where.facts:
                    kinds |= where.facts[row["cuda"]].kinds
            guess = partners.of(row["cuda"], family, kinds)
            if guess:
                row["hip"] = guess


def _wanted(row: Row, family: str, cuda: list[Evidence]) -> bool:
    """False for plain words that CUDA no longer declares: they would clash with users' names."""
    if family not in ("device", "half") or row["cuda"].startswith("_") or row["adapter"]:
        return True
    return row["kind"] not in ("device_function",) or any(row["cuda"] in e.facts for e in cuda[1:])


def _read(family: str) -> list[Row]:
    path = DATA / f"{family}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [candidates.row(**row) for row in csv.DictReader(file)]


def _text(rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
