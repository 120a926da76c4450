"""Results of a test run: data, and their JSON form."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class CaseResult:
    """One case that was started. `message` is empty when it passed."""

    id: str
    op: str
    dtype: str
    what: str
    message: str
    ulp: float
    used: float
    seconds: float
    crashed: bool = False
    bad_input: bool = False


@dataclass(slots=True)
class Leg:
    """One library on one device at one warp width."""

    name: str  # "cpu, width 32", "cuda" …
    target: str
    lib: str
    planned: int
    hello: dict[str, Any] = field(default_factory=dict)
    results: list[CaseResult] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""  # why it ended early, or did not run
    built_only: bool = False

    @property
    def failures(self) -> list[CaseResult]:
        return [r for r in self.results if r.message]

    @property
    def not_run(self) -> int:
        return 0 if self.built_only else self.planned - len(self.results)

    @property
    def passed(self) -> bool:
        if self.built_only:
            return not self.note
        return bool(self.results) and not self.failures and not self.not_run and not self.note


@dataclass(slots=True)
class Summary:
    """One row of the final table."""

    op: str
    cases: int
    failed: int
    ulp: dict[str, float]  # worst of passed cases, by element type
    used: float


def by_op(legs: Iterable[Leg]) -> list[Summary]:
    """Rows per op over all legs, in the order of the plan."""
    rows: dict[str, Summary] = {}
    for leg in legs:
        for r in leg.results:
            row = rows.setdefault(r.op, Summary(r.op, 0, 0, {}, 0.0))
            row.cases += 1
            row.failed += bool(r.message)
            if not r.message and not r.bad_input:
                row.ulp[r.dtype] = max(row.ulp.get(r.dtype, 0.0), r.ulp)
                row.used = max(row.used, r.used)
    return list(rows.values())


def _number(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def to_json(legs: Iterable[Leg], *, seed: int, level: str, types: str) -> dict[str, Any]:
    """Everything for machines. Numbers that are not finite become null."""
    legs = list(legs)
    return {
        "format": 1,
        "seed": seed,
        "level": level,
        "types": types,
        "passed": bool(legs) and all(leg.passed for leg in legs),
        "legs": [
            {
                "name": leg.name,
                "target": leg.target,
                "lib": leg.lib,
                "library": leg.hello,
                "built_only": leg.built_only,
                "planned": leg.planned,
                "run": len(leg.results),
                "failed": len(leg.failures),
                "not_run": leg.not_run,
                "seconds": round(leg.seconds, 3),
                "note": leg.note,
                "passed": leg.passed,
                "ops": [
                    {
                        "op": row.op,
                        "cases": row.cases,
                        "failed": row.failed,
                        "worst_ulp": {k: _number(v) for k, v in row.ulp.items()},
                        "tolerance_used": _number(row.used),
                    }
                    for row in by_op([leg])
                ],
                "failures": [
                    {
                        "id": r.id,
                        "case": r.what,
                        "message": r.message,
                        "crashed": r.crashed,
                        "ulp": _number(r.ulp),
                    }
                    for r in leg.failures
                ],
            }
            for leg in legs
        ],
    }
