"""Which points of the test plan each op has: `portgpu test --plan`.

The points are those of the plan that follow from the cases themselves. What holds for all ops alike
(guard bytes, both warp widths, translation, lint, mutations) is listed with its place in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from portgpu.ops.registry import Op, Registry
from portgpu.testing.cases import SIZES, Case, plan
from portgpu.testing.plan_more import UNDEFINED
from portgpu.testing.values import LAYOUTS, WRITABLE

_MANY = 65_535  # blocks along y and z of a grid
_SPECIAL = {"special", "with-nan", "masked", "cycle", "ascending", "nans"}

# What holds for every op by construction, and where.
EVERYWHERE = {
    "oracle in float64": "every good case (portgpu/testing/reference, checked by tests/ops/"
    "test_oracle*.py; PyTorch as a second one on GPUs)",
    "tolerances": "portgpu/data/tolerances.toml, worst error in ulp in the report",
    "guard bytes": "every case (portgpu/testing/executor.py, checked by tests/ops/test_runner.py)",
    "gradients": "oracles against finite differences: tests/ops/test_oracle*.py",
    "warp functions": "tests/dialect, at 32 and 64 lanes; every case at both on the cpu target",
    "rewriting": "tests/translate; the library for ROCm is made from the same sources",
    "lint": "tests/lint",
    "compilation": "bash ci/build.sh; tests/ops/test_newer_hip.py for HIP 7.1",
    "mutations": "pytest --slow tests/ops/test_mutations.py",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One op: cases in all, and by point how many hold it (None where it cannot apply)."""

    op: str
    cases: int
    points: dict[str, int | None]

    @property
    def gaps(self) -> list[str]:
        return [name for name, count in self.points.items() if count == 0]


def _specs(case: Case) -> Iterable[tuple[int, ...]]:
    return (s.shape for s in (*case.inputs, *case.outputs) if s is not None)


def _exact(op: Op, good: Sequence[Case]) -> int | None:
    if op.tolerance in ("exact", "elementwise"):
        return len(good)  # nothing is rounded, or once
    found = sum(case.exact for case in good)
    return found or (0 if op.tolerance in ("reduction", "scan") and op.name != "var" else None)


def _lengths(op: Op, good: Sequence[Case]) -> int | None:
    seen = {extent for case in good for shape in _specs(case) for extent in shape}
    return len(seen & set(SIZES)) if set(SIZES) <= seen else 0


def _rows(op: Op, good: Sequence[Case]) -> int | None:
    found = sum(any(n > _MANY for shape in _specs(case) for n in shape) for case in good)
    return found or (None if op.name == "conv_backward_weight" else 0)  # it has no rows


def _empty(op: Op, good: Sequence[Case]) -> int | None:
    return sum(any(0 in shape for shape in _specs(case)) for case in good)


def _inputs(op: Op, good: Sequence[Case]) -> int | None:
    if not op.inputs:
        return None
    seen = {s.layout for case in good for s in case.inputs if s is not None}
    return len(seen) if set(LAYOUTS) <= seen else 0


def _outputs(op: Op, good: Sequence[Case]) -> int | None:
    wanted = set(WRITABLE)
    if op.name == "permutation":
        wanted -= {"transposed"}  # one dimension
    seen = {s.layout for case in good for s in case.outputs}
    return len(seen) if wanted <= seen else 0


def _values(op: Op, good: Sequence[Case]) -> int | None:
    if (
        op.name in UNDEFINED
        or not op.inputs
        or not any(t.startswith(("f", "b")) for t in op.core_types)
    ):
        return None
    found = sum(any(s and s.fill in _SPECIAL for s in case.inputs) for case in good)
    return found or (None if "f32" not in op.core_types else 0)


def _indices(op: Op, good: Sequence[Case]) -> int | None:
    if not any(t.dtypes and t.dtypes[0] in ("i64", "i32") for t in op.inputs):
        return None
    fills = [s.fill for case in good for s in case.inputs if s and s.fill.startswith("index")]
    outside = [fill for fill in fills if fill.endswith("wild")]
    return len(outside) if fills else None


def _again(op: Op, good: Sequence[Case]) -> int | None:
    return sum(case.repeat for case in good) if op.deterministic else None


POINTS: dict[str, Callable[[Op, Sequence[Case]], int | None]] = {
    "whole": _exact,
    "lengths": _lengths,
    "empty": _empty,
    ">65535": _rows,
    "in": _inputs,
    "out": _outputs,
    "special": _values,
    "outside": _indices,
    "twice": _again,
}
LEGEND = {
    "whole": "whole numbers, or a result that is rounded at most once: equal to the last bit",
    "lengths": "how many of 0, 1, 31-33, 63-65, 127, 255, 257, 1023-1025, 4099",
    "empty": "cases with an extent of 0",
    ">65535": "cases with more rows than a grid's y and z extents hold",
    "in": "layouts of inputs: contiguous, transposed, repeated, backwards, unaligned, gaps",
    "out": "layouts of outputs",
    "special": "cases with NaN, infinities, both zeros, denormals",
    "outside": "cases with indices outside the axis",
    "twice": "cases that run twice and must give the same bits",
    "bad": "calls that must be refused, with nothing written",
}


def table(registry: Registry, types: str = "core", level: str = "default") -> list[Row]:
    """A row for each op, from the plan of its first element type."""
    rows = []
    for op in registry:
        cases = plan(registry, ops=[op.name], types=types, level=level)
        good = [c for c in cases if not c.statuses and c.dtype == op.core_types[0]]
        points = {name: count(op, good) for name, count in POINTS.items()}
        points["bad"] = sum(bool(c.statuses) for c in cases)
        rows.append(Row(op.name, len(cases), points))
    return rows


def render(rows: Sequence[Row]) -> str:
    """The table as text, with what its columns mean."""
    names = ["op", "cases", *LEGEND]
    lines = [names]
    for row in rows:
        shown = ["-" if n is None else "GAP" if n == 0 else str(n) for n in row.points.values()]
        lines.append([row.op, str(row.cases), *shown])
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    text = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    text += ["", *(f"{name}: {meaning}" for name, meaning in LEGEND.items())]
    text += ["-: cannot apply to the op", "", "For every op alike:"]
    text += [f"  {what}: {where}" for what, where in EVERYWHERE.items()]
    return "\n".join(text)
