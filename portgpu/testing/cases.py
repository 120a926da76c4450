"""The test plan: which cases an op gets, from its registry entry.

One generator per `shape` rule (`plan_shapes`), shared ones for bad input (`plan_defects`). A case
is only a description; arrays are made when it runs. Levels: quick, default, full.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from portgpu.ops.registry import Op, Registry
from portgpu.testing.values import LAYOUTS, WRITABLE, ArraySpec

LEVELS = ("quick", "default", "full")
Shape = tuple[int, ...]

# Around warp, block and vector widths; 4099 is a prime.
SIZES = (0, 1, 31, 32, 33, 63, 64, 65, 127, 255, 257, 1023, 1024, 1025, 4099)
QUICK_SIZES = (0, 1, 33, 257)


@dataclass(frozen=True, slots=True)
class Defect:
    """One wrong thing in an otherwise good call: field of a tensor, or of the workspace."""

    target: str  # tensor name or "workspace"
    field: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Case:
    """One call of one op. `statuses` is empty for a good call, else what it may return."""

    op: str
    dtype: str  # of the main tensor
    label: str
    inputs: tuple[ArraySpec | None, ...]
    outputs: tuple[ArraySpec, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False  # integer-valued: equal to the rounded oracle, whatever the tolerance
    statuses: frozenset[str] = frozenset()
    defects: tuple[Defect, ...] = ()
    heavy: bool = False
    repeat: bool = False  # run twice, compare bits
    fuzz: bool = False  # a good call, to be made wrong at random

    @property
    def id(self) -> str:
        return f"{self.op}/{self.dtype}/{self.label}"

    def describe(self) -> str:
        """Everything that makes the case, on one line."""
        arrays = ", ".join("-" if a is None else a.describe() for a in self.inputs)
        outs = ", ".join(a.describe() for a in self.outputs)
        params = "".join(f" {k}={v}" for k, v in self.params.items())
        return f"({arrays}) -> ({outs}){params}"

    def rng(self, seed: int) -> np.random.Generator:
        """The generator of the case's values."""
        return np.random.default_rng([seed, zlib.crc32(self.id.encode())])


class Builder:
    """Collects the cases of one op and element type."""

    def __init__(self, op: Op, dtype: str, level: str, types: str, first: bool, seed: int) -> None:
        self.op, self.dtype, self.level, self.types = op, dtype, level, types
        self.first = first
        self.floating = dtype in ("f16", "bf16", "f32", "f64")
        self.rng = np.random.default_rng([seed, zlib.crc32(f"{op.name}/{dtype}".encode())])
        self.cases: dict[str, Case] = {}
        self._turn = 0

    @property
    def sizes(self) -> list[int]:
        """Lengths to try: all for an op's first type, a random few for the others."""
        if self.level == "quick":
            return list(QUICK_SIZES if self.first else QUICK_SIZES[2:])
        if self.first or self.level == "full":
            return list(SIZES)
        return sorted({0, *(int(s) for s in self.rng.choice(SIZES[1:], 4, replace=False))})

    def pick(self, options: Iterable[Any], count: int) -> list[Any]:
        """All options for the first type and at level full, else `count` random ones."""
        everything = list(options)
        if self.level == "full" or (self.first and self.level == "default"):
            return everything
        count = min(1 if self.level == "quick" and not self.first else count, len(everything))
        chosen = sorted(self.rng.choice(len(everything), count, replace=False))
        return [everything[int(i)] for i in chosen]

    def input_dtype(self, position: int) -> str:
        own = self.op.inputs[position].dtypes
        return own[self._turn % len(own)] if own else self.dtype

    def output_dtype(self, position: int) -> str:
        own = self.op.outputs[position].dtypes
        if len(own) > 2:  # any type of the op: those of this level
            own = self.op.types(self.types)
        return own[self._turn % len(own)] if own else self.dtype

    def add(
        self,
        label: str,
        inputs: Iterable[Shape | None],
        outputs: Iterable[Shape],
        params: Mapping[str, Any] | None = None,
        *,
        fill: str | Iterable[str] = "normal",
        layout: str | Iterable[str] = "contiguous",
        out_layout: str = "contiguous",
        out_dtype: str = "",
        **more: Any,
    ) -> Case:
        """Add one good case. `fill` and `layout` are one for all inputs, or one each."""
        shapes = list(inputs)
        fills = [fill] * len(shapes) if isinstance(fill, str) else list(fill)
        layouts = [layout] * len(shapes) if isinstance(layout, str) else list(layout)
        start = "normal" if fill == "normal" else "small"  # what in-place outputs hold before
        case = Case(
            self.op.name,
            self.dtype,
            label,
            tuple(
                None if s is None else ArraySpec(s, self.input_dtype(i), layouts[i], fills[i])
                for i, s in enumerate(shapes)
            ),
            tuple(
                ArraySpec(
                    s,
                    out_dtype or self.output_dtype(i),
                    out_layout,
                    start if self.op.inout else "out",
                )
                for i, s in enumerate(outputs)
            ),
            dict(params or {}),
            **more,
        )
        self._turn += 1
        self.cases.setdefault(case.id, case)
        return case

    def layouts(
        self,
        label: str,
        inputs: Sequence[Shape | None],
        outputs: Sequence[Shape],
        params: Mapping[str, Any] | None = None,
        *,
        fill: str | list[str] = "normal",
        skip: Iterable[str] = (),
    ) -> None:
        """The same call over memory layouts of inputs and outputs; `skip` leaves some out."""
        choices = [("in", x) for x in LAYOUTS if x not in skip] + [
            ("out", x) for x in WRITABLE if x not in ("contiguous", *skip)
        ]
        mixed = [("mix", str(i)) for i in range(3)]
        for where, layout in self.pick(choices + mixed, 4):
            ins: list[str] = ["contiguous"] * len(inputs)
            out = "contiguous"
            if where == "in":
                ins = [layout] * len(inputs)
            elif where == "out":
                out = layout
            else:
                usable = [x for x in LAYOUTS if x not in skip]
                ins = [str(x) for x in self.rng.choice(usable, len(inputs))]
                out = str(self.rng.choice([x for x in WRITABLE if x not in skip]))
            self.add(f"{label}-{where}-{layout}", inputs, outputs, params, fill=fill, layout=ins,
                     out_layout=out, repeat=where == "mix")  # fmt: skip

    def sampled(self, count: int) -> list[Case]:
        """At most `count` of the good cases, and the random wrong calls."""
        good = [case for case in self.cases.values() if not case.statuses and not case.fuzz]
        chosen = self.rng.choice(len(good), min(count, len(good)), replace=False)
        return [
            *(good[int(i)] for i in sorted(chosen)),
            *(c for c in self.cases.values() if c.fuzz),
        ]


def plan(
    registry: Registry,
    *,
    level: str = "default",
    types: str = "core",
    ops: Iterable[str] = (),
    match: str = "",
    seed: int = 0,
    heavy: bool = True,
    large: bool = False,
    fuzz: int = 0,
    sample: int = 0,
) -> list[Case]:
    """All cases, in registry order. `ops` restricts to named ops, `match` to IDs that contain it.
    `large` adds those beyond 2^31 elements, `fuzz` as many random wrong calls of each op.
    With `sample` only as many good cases of each op and type are left, chosen at random.

    Raises `UsageError` for an unknown op.
    """
    from portgpu.testing import plan_large, plan_more
    from portgpu.testing.plan_defects import defects
    from portgpu.testing.plan_shapes import generate, typical

    chosen = [registry.get(name) for name in ops] or list(registry)
    cases: list[Case] = []
    for op in chosen:
        for index, dtype in enumerate(op.types(types)):
            builder = Builder(op, dtype, level, types, index == 0, seed)
            generate(builder)
            good = typical(builder)
            plan_more.generate(builder, good)
            if index == 0:
                defects(builder)
                wrong = [replace(good, label=f"fuzz{i}", fuzz=True) for i in range(fuzz)]
                builder.cases |= {case.id: case for case in wrong}
            plan_large.generate(builder, large)
            cases += builder.sampled(sample) if sample else builder.cases.values()
    return list(_kept(cases, match, heavy))


def _kept(cases: Iterable[Case], match: str, heavy: bool) -> Iterator[Case]:
    for case in cases:
        if (heavy or not case.heavy) and (not match or match in case.id):
            yield case
