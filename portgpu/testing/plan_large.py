"""Cases beyond 2^31 elements: where indices, offsets and grids outgrow 32 bits (`--large`).

Inputs of one stored element repeated by stride 0 cost no memory; a few cases hold 2 GiB for real.
"""

from __future__ import annotations

from collections.abc import Callable

from portgpu.testing.cases import Builder

BEYOND = 2**31 + 4099
FAR = 2**33 + 5


def generate(b: Builder, large: bool) -> None:
    """Add the large cases of the builder's op and element type; only cheap ones unless `large`."""
    if b.dtype == _DTYPES.get(b.op.name) and (large or b.op.name in _CHEAP):
        _CASES[b.op.name](b)


def _take(b: Builder) -> None:
    for axis, shape in ((0, (FAR, 1)), (1, (1, FAR))):
        b.add(f"large-axis{axis}", [shape, (257,)],
              [(257, 1) if axis == 0 else (1, 257)], {"axis": axis},
              fill=["normal", f"index={FAR},wrap"], layout=["broadcast", "contiguous"])  # fmt: skip


def _copy(b: Builder) -> None:
    b.add("large", [(BEYOND,)], [(BEYOND,)], fill="period")
    b.add("large-repeated", [(1, BEYOND)], [(1, BEYOND)], fill="period", layout="broadcast")
    b.add(
        "large-rows", [(BEYOND // 2, 2)], [(BEYOND // 2, 2)], fill="period", out_layout="transposed"
    )


def _reduce(b: Builder) -> None:
    b.add("large-all", [(BEYOND,)], [()], {"axes": None}, fill="last")
    b.add("large-repeated", [(BEYOND,)], [()], {"axes": None}, fill="ones", layout="broadcast")


def _concatenate(b: Builder) -> None:
    parts = [(BEYOND // 2,), (BEYOND - BEYOND // 2,), *[None] * 6]
    b.add("large", parts, [(BEYOND,)], {"axis": 0}, fill="period")


def _pad(b: Builder) -> None:
    params = {"before": (3,), "mode": 2, "value": 0.0}
    b.add("large", [(BEYOND,)], [(BEYOND + 8,)], params, fill="period")


_CHEAP = {"take"}  # small outputs from inputs that repeat one element
_DTYPES = {"take": "f32", "copy": "bool", "any": "bool", "concatenate": "bool", "pad": "bool"}
_CASES: dict[str, Callable[[Builder], None]] = {
    "take": _take,
    "copy": _copy,
    "any": _reduce,
    "concatenate": _concatenate,
    "pad": _pad,
}
