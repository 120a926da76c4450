"""Compares one row of a table with the facts of every header set, and fills in what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mapping_check.facts import Fact, Facts, difference, is_soft
from mapping_check.mentions import Mentions

Row = dict[str, str]

# A note made here starts with this word; what people wrote stands before it and is kept.
AUTO = "Headers: "


# Families whose whole interface is plain C, so that the bindings show all of it.
_BOUND = ("blas", "sparse", "solver", "nvrtc")


@dataclass(slots=True)
class Evidence:
    """One header set with what was read from it."""

    name: str
    vendor: str
    version: str
    covers: list[str]
    facts: Facts
    headers: set[str] = field(default_factory=set)

    def knows(self, family: str) -> bool:
        """Whether a name of this family that is not here does not exist in this version."""
        return self.vendor == "cuda" or "*" in self.covers or family in self.covers

    def has_header(self, header: str) -> bool:
        """Whether this set has the header, or binds the library it belongs to."""
        return header in self.headers or (not self.headers and "Xt" not in header)


def evidence(entry: dict[str, Any], facts: Facts, headers: set[str]) -> Evidence:
    """Evidence of one entry of `sets.toml`."""
    covers = entry.get("covers", [])
    return Evidence(entry["name"], entry["vendor"], entry["version"], covers, facts, headers)


def check(
    row: Row,
    family: str,
    seen: list[Evidence],
    types: dict[str, str],
    mentions: Sequence[Mentions] = (),
) -> Row:
    """The row with status, versions, note and `verified` brought in line with the headers.

    A CUDA name that no header shows counts as seen in a text of `mentions` that uses it, unless it
    is called there with another number of arguments than HIP's function takes.
    """
    cuda = [e for e in seen if e.vendor == "cuda"]
    hip = [e for e in seen if e.vendor == "hip"]
    note_as_it_was = row["note"]
    human, _, _ = row["note"].partition(AUTO)
    human = human.strip().rstrip(";")
    row = {**row, "note": human}
    if family in ("libraries", "flags", "cmake"):
        return {**row, "verified": row["verified"]}
    in_cuda = [e for e in cuda if _has(e, row["cuda"], row["kind"])]
    in_hip = [e for e in hip if row["hip"] and _has(e, row["hip"], row["kind"])]
    if "::" in row["cuda"] and not in_cuda and row["verified"]:
        return {**row, "note": note_as_it_was}  # a scope that is not read: people looked it up
    # Predefined macros and the like are in no header: "manuals" stays.
    seen_in = " ".join(e.name for e in in_cuda + in_hip)
    row["verified"] = seen_in or ("manuals" if row["verified"] == "manuals" else "")
    _cuda_versions(row, cuda, in_cuda)
    _hip_versions(row, family, hip, in_hip)
    reason, note = _compare(row, in_cuda, in_hip, types)
    row["status"] = _status(row, human, in_cuda, in_hip, reason)
    if row["status"] == "unverified":
        where = [m.name for m in mentions if _agrees(m, row, in_hip)]
        if where:
            row["status"] = "same"
            row["verified"] = " ".join([*where, row["verified"]])
    if row["status"] == "unsupported" and not human and not in_hip:
        row["hip"] = ""
    if note:
        row["note"] = f"{human}; {AUTO}{note}" if human else AUTO + note
    return row


def _agrees(where: Mentions, row: Row, in_hip: list[Evidence]) -> bool:
    """Whether the text uses the CUDA name as HIP's is declared."""
    counts = where.counts.get(row["cuda"])
    if counts is None or row["kind"] not in ("function", "device_function"):
        return counts is not None
    takes = {len(o) for e in in_hip for o in e.facts[row["hip"]].overloads}
    return not takes or not counts or bool(takes & counts)


def _has(where: Evidence, name: str, kind: str) -> bool:
    return name in (where.headers if kind == "header" else where.facts)


def _status(
    row: Row, human: str, in_cuda: list[Evidence], in_hip: list[Evidence], reason: str
) -> str:
    if row["adapter"]:
        return "adapter"
    if not in_hip:
        # Only a person can say that a name that no header shows is nevertheless right.
        if row["status"] in ("same", "differs") and human and row["hip"]:
            return row["status"]
        return "unsupported"
    if row["status"] in ("differs", "unsupported") and human:
        return row["status"]
    if not in_cuda:
        return "unverified"
    return "differs" if reason else "same"


def _cuda_versions(row: Row, cuda: list[Evidence], here: list[Evidence]) -> None:
    if not here:
        if not row["cuda_removed"] and any(e.version == "11.8" for e in cuda):
            row["cuda_removed"] = ""
        return
    first, last = cuda.index(here[0]), cuda.index(here[-1])
    if not row["cuda_added"] and first > 0:
        row["cuda_added"] = cuda[first].version
    gone = cuda[last + 1].version if last + 1 < len(cuda) else ""
    # "12.0" from older knowledge is finer than "13.0", the first version looked at without it.
    if not gone or not row["cuda_removed"]:
        row["cuda_removed"] = gone


def _hip_versions(row: Row, family: str, hip: list[Evidence], here: list[Evidence]) -> None:
    if not here:
        row["hip_added"] = row["hip_deprecated"] = row["hip_removed"] = ""
        return
    knowing = [e for e in hip if e.knows(family) or e in here]
    first, last = knowing.index(here[0]), knowing.index(here[-1])
    known = _number(row["hip_added"])
    if known > _number(here[0].version):
        row["hip_added"] = here[0].version
    elif not known and (first > 0 or here[0] is hip[0]):
        # Nothing is known without older headers of the library: see ci/mapping/date_names.py.
        row["hip_added"] = here[0].version
    elif first > 0 and known <= _number(knowing[first - 1].version):
        row["hip_added"] = here[0].version  # the older headers show that it came later
    row["hip_removed"] = ""
    if row["kind"] in ("function", "device_function") and not row["cuda"].startswith("pnccl"):
        header = here[-1].facts[row["hip"]].header
        later = [e for e in knowing[last + 1 :] if e.knows(family) and e.has_header(header)]
        # Bindings leave out templates and inline functions; two witnesses are asked for.
        if later and (later[0].name != "rocm10" or family in _BOUND):
            row["hip_removed"] = later[0].version


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _compare(
    row: Row, in_cuda: list[Evidence], in_hip: list[Evidence], types: dict[str, str]
) -> tuple[str, str]:
    """(why the newest forms differ or "", the note for people)."""
    if not in_cuda or not in_hip or row["kind"] in ("header", "namespace"):
        return "", ""
    if row["kind"] in ("enum", "macro"):
        return "", _values(row, in_cuda, in_hip)
    if row["kind"] not in ("function", "device_function"):
        return "", ""
    newest = [e for e in in_hip if _number(e.version) >= (6, 3)] or in_hip
    facts = [_fact(e, row["hip"]) for e in newest]
    # Bindings show no default arguments and no templates, some sets lack headers: hence the union.
    overloads = [o for fact in facts for o in fact.overloads]
    union = Fact(row["hip"], overloads=overloads, defaults=max(f.defaults for f in facts))
    by_reason: dict[str, list[str]] = {}
    last = ""
    for where in in_cuda:
        last = difference(_fact(where, row["cuda"]), union, types)
        by_reason.setdefault(last, []).append(where.name)
    notes = [
        reason if len(by_reason) == 1 else f"against {' '.join(names)}: {reason}"
        for reason, names in by_reason.items()
        if reason
    ]
    current = _fact(in_cuda[-1], row["cuda"])
    for where in in_hip:
        one = _fact(where, row["hip"])
        if "bindings" in one.header or not one.overloads or len(in_hip) == 1:
            continue
        reason = difference(current, one, types)
        if not is_soft(reason) and reason not in by_reason:
            notes.append(f"in {where.name}: {reason}")
    return ("" if is_soft(last) else last), "; ".join(notes)


def _values(row: Row, in_cuda: list[Evidence], in_hip: list[Evidence]) -> str:
    cuda = {e.name: e.facts[row["cuda"]].value for e in in_cuda}
    hip = {e.name: e.facts[row["hip"]].value for e in in_hip}
    left = {v for v in cuda.values() if v is not None}
    right = {v for v in hip.values() if v is not None}
    if not left or not right or left == right:
        return ""
    return f"value {_show(cuda)} in CUDA, {_show(hip)} in HIP"


def _show(values: dict[str, int | None]) -> str:
    """One value, or each with the sets that have it."""
    by_value: dict[int, list[str]] = {}
    for name, value in values.items():
        if value is not None:
            by_value.setdefault(value, []).append(name)
    if len(by_value) == 1:
        return str(next(iter(by_value)))
    return ", ".join(f"{value} ({' '.join(names)})" for value, names in by_value.items())


def _fact(where: Evidence, name: str) -> Fact:
    return where.facts[name]
