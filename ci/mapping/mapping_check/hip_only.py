"""Public HIP names that no row stands for: other spellings of rows, and what CUDA does not have."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from mapping_check.check import Evidence, Row

COLUMNS = ("hip", "cuda", "note")
_PUBLIC = re.compile(
    r"hip[A-Z]\w+|HIP_[A-Z]\w+|hip(?:blas|blasLt|fft|rand|sparse|solver|rtc)[A-Z]\w*"
    r"|HIP(?:BLAS|BLASLT|FFT|RAND|SPARSE|SOLVER|RTC)_\w+"
)
_INTERNAL = re.compile(
    r"_INCLUDE_|_H_?$|_EXPORT$|^HIP_(DEPRECATED|PUBLIC|INTERNAL|VERSION|SAMPLER|IMAGE|TEXTURE_OBJECT"
    r"|API|USE|CXX|STATIC|vector|HOST|DEVICE|BF16_|TRACE|BEGIN_|END_|SCOPED_|FP8_)|DEPRECATED|_DETAIL"
    r"|Internal$|[Uu]nused|^hip_impl|_VERSION|TOSTRING|(union|struct)_\d|_params_union|^HIPRT_CB$"
    r"|^(HIP_KERNEL_NAME|HIP_SYMBOL|hipLaunchKernelGGL|HIP_DYNAMIC_SHARED\w*)$"
)


def table(path: Path, tables: dict[str, list[Row]], hip: list[Evidence]) -> str:
    """The text of `hip_only.csv`: what people wrote is kept, new names are added without a row."""
    old: dict[str, Row] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            old = {row["hip"]: row for row in csv.DictReader(file)}
    known = {
        name
        for rows in tables.values()
        for row in rows
        if row["status"] != "unsupported" or row["roc"]
        for name in (row["hip"], row["roc"])
    }
    by_hip = {row["hip"]: row["cuda"] for rows in tables.values() for row in rows if row["hip"]}
    found: dict[str, Row] = {n: r for n, r in old.items() if r["cuda"] or r["note"]}
    for where in hip:
        for name in where.facts:
            if name in known or name in found or "::" in name:
                continue
            if _PUBLIC.fullmatch(name) and not _INTERNAL.search(name):
                plain = re.sub(r"_v2(?=$|_64$)", "", name)
                cuda = by_hip.get(plain, "") if plain != name else ""
                found[name] = {"hip": name, "cuda": cuda, "note": ""}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    rows = (row for name, row in found.items() if name not in known)
    writer.writerows(sorted(rows, key=lambda row: (row["hip"].lower(), row["hip"])))
    return out.getvalue()
