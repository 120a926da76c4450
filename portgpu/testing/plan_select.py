"""Good cases of concatenation, padding, searches, unique values, masks and random choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portgpu.testing.cases import Builder, Shape

Parts = tuple[list[Shape | None], list[Shape], dict[str, Any]]
MANY_ROWS = 65_539


def _concatenate(b: Builder) -> None:
    def parts(shapes: list[Shape | None], axis: int) -> tuple[list[Shape | None], Shape]:
        given = [s for s in shapes if s is not None]
        at = axis % len(given[0])
        out = tuple(sum(s[d] for s in given) if d == at else n for d, n in enumerate(given[0]))
        return shapes + [None] * (8 - len(shapes)), out

    def one(label: str, shapes: list[Shape | None], axis: int, **more: Any) -> None:
        inputs, out = parts(shapes, axis)
        b.add(label, inputs, [out], {"axis": axis}, **more)

    for size in b.sizes:
        one(f"flat{size}", [(size,), (33,), (size,)], 0)
        one(f"columns{size}", [(5, size), (5, 64)], 1)
    for i, (shapes, axis) in enumerate(
        b.pick([([(7,)], 0), ([(3, 4)] * 8, 0), ([(3, 4)] * 8, -1),
                ([(2, 3, 5), (2, 9, 5), None, (2, 0, 5), (2, 1, 5)], 1),
                ([(2, 3, 4, 5), (2, 3, 4, 7)], -1), ([(0, 4), (3, 4), (1, 4)], 0),
                ([(2, 3, 2, 5, 3), (4, 3, 2, 5, 3)], 0), ([(64, 256), (64, 512)], 1),
                ([(3, 0), (5, 0)], 0)], 3)
    ):  # fmt: skip
        one(f"shape{i}", shapes, axis, repeat=True, fill="special")
    for axis, out in ((0, (50, 65)), (1, (33, 130))):
        shapes = [(33, 65), (17, 65)] if axis == 0 else [(33, 65), (33, 65)]
        b.layouts(f"2d-{axis}", [*shapes, *[None] * 6], [out], {"axis": axis})
    if b.first:
        one("many-rows", [(MANY_ROWS, 3), (MANY_ROWS, 2)], 1)
        one("turned", [(257, 130), (257, 64)], 1, layout="transposed")


def _pad(b: Builder) -> None:
    def one(label: str, shape: Shape, before: Shape | None, after: Shape, mode: int,
            **more: Any) -> None:  # fmt: skip
        sides = zip(shape, before or (0,) * len(shape), after, strict=True)
        params = {"before": before, "mode": mode, "value": more.pop("value", -2.5)}
        b.add(label, [shape], [tuple(n + x + y for n, x, y in sides)], params, **more)

    for size in b.sizes:
        for mode in (0, 1 + size % 3):
            if size or not mode:
                one(f"row{size}-m{mode}", (5, size), (0, 3), (0, 2), mode)
                one(f"column{size}-m{mode}", (size, 5), (1, 0), (4, 0), mode)
    for mode in range(4):
        one(f"far-m{mode}", (3, 4), (9, 11), (8, 13), mode)  # several times around
        one(f"one-m{mode}", (1, 1), (2, 3), (3, 2), mode)
        one(f"image-m{mode}", (2, 17, 19, 3), (0, 1, 2, 0), (0, 2, 1, 0), mode, repeat=True)
        one(f"none-m{mode}", (7, 33), None, (0, 0), mode)
    for i, (shape, before, after) in enumerate(
        b.pick([((7,), (2,), (3,)), ((2, 3, 5), (1, 0, 2), (0, 3, 1)),
                ((2, 3, 2, 5, 3), (1, 1, 1, 1, 1), (0, 1, 2, 1, 0)), ((), (), ()),
                ((33, 64), (0, 64), (0, 64)), ((300, 257), (3, 3), (3, 3))], 2)
    ):  # fmt: skip
        one(f"shape{i}", shape, before, after, i % 4 if 0 not in shape else 0, fill="special")
    one("empty", (0, 3), (2, 1), (1, 0), 0)
    if b.floating:
        one("nan", (5, 7), (1, 1), (1, 1), 0, value=float("nan"))
    for mode in (0, 2):
        b.layouts(f"2d-m{mode}", [(33, 65)], [(36, 70)],
                  {"before": (2, 3), "mode": mode, "value": 1.0})  # fmt: skip
    if b.first:
        one("many-rows", (MANY_ROWS, 3), (0, 1), (0, 1), 1)


def _partition(b: Builder) -> None:
    def one(label: str, shape: Shape, kth: int, axis: int, **more: Any) -> None:
        b.add(label, [shape], [shape], {"kth": kth, "axis": axis}, **more)

    for size in b.pick([1, 2, 33, 257, 1025], 2):
        one(f"row{size}", (5, size), size // 2, -1)
    one("column", (65, 7), -1, 0, fill="ties")
    one("with-special", (9, 65), 3, 1, fill="special")
    b.layouts("2d", [(17, 33)], [(17, 33)], {"kth": 5, "axis": 1}, fill="ties")


def _searchsorted(b: Builder) -> None:
    def one(label: str, rows: Shape, values: Shape, right: bool, sorter: bool = False,
            fill: str = "normal", **more: Any) -> None:  # fmt: skip
        fills = ["descending" if sorter else "ascending", fill, "backwards"]
        inputs: list[Shape | None] = [rows, values, rows if sorter else None]
        b.add(label, inputs, [values], {"right": right}, fill=fills, **more)

    for size in b.sizes:
        one(f"rows{size}", (size,), (129,), size % 2 == 1)
        one(f"values{size}", (65,), (size,), size % 2 == 0)
    for right in (False, True):
        one(f"ties-{right}", (257,), (300,), right, fill="ties", repeat=True)
        one(f"sorter-{right}", (257,), (5, 60), right, sorter=True, fill="ties")
        one(f"batch-{right}", (3, 5, 33), (3, 5, 70), right, sorter=right)
        one(f"special-{right}", (129,), (513,), right, fill="special")
    one("scalar", (33,), (), False)
    one("long", (20_011,), (2, 3, 5, 7), True)
    b.layouts("2d", [(33, 65), (33, 17), None], [(33, 17)], {"right": False},
              fill=["ascending", "ties", "backwards"])  # fmt: skip


def _found(shape: Shape) -> Shape:
    n = 1
    for extent in shape:
        n *= extent
    return (n,)


def _unique(b: Builder) -> None:
    def one(label: str, shape: Shape, **more: Any) -> None:
        found = _found(shape)
        b.add(label, [shape], [found, found, shape, ()], **more)

    for size in b.sizes:
        one(f"n{size}", (size,), fill="ties" if size % 2 else "normal")
    for fill in ("ties", "small", "special", "zeros", "normal"):
        one(fill, (40, 65), fill=fill, repeat=True)
    for shape in b.pick([(), (3, 5, 7), (2, 3, 5, 7), (2, 3, 2, 5, 3), (3, 0)], 2):
        one(f"rank{len(shape)}-{_found(shape)[0]}", shape, fill="ties")
    if b.floating:
        one("with-nan", (2049,), fill="with-nan")
    if b.first:
        one("long", (3, 20_011), fill="small", repeat=True)
    for shape in ((33, 65), (70,)):
        outputs = [_found(shape), _found(shape), shape, ()]
        b.layouts(f"{len(shape)}d", [shape], outputs, fill="ties")


def _masked_select(b: Builder) -> None:
    masked = len(b.op.inputs) == 2

    def one(label: str, shape: Shape, mask: Shape | None = None, fill: str = "normal",
            rate: str = "normal", **more: Any) -> None:  # fmt: skip
        inputs: list[Shape | None] = [shape, shape if mask is None else mask]
        fills = [fill, rate] if masked else [fill]
        b.add(label, inputs[: len(b.op.inputs)], [_found(shape), ()], fill=fills, **more)

    usual = "normal" if masked else "small"
    for size in b.sizes:
        one(f"n{size}", (size,), fill=usual)
    for rate in ("zeros", "ones", "sparse", "normal"):
        one(f"mask-{rate}", (40, 130), fill=usual if masked else rate, rate=rate, repeat=True)
    one("special", (2049,), fill="special")
    for shape in b.pick([(), (3, 5, 7), (2, 3, 5, 7), (2, 3, 2, 5, 3), (3, 0)], 2):
        one(f"rank{len(shape)}-{_found(shape)[0]}", shape, fill=usual)
    if masked:
        one("mask-broadcast", (17, 33), (33,))
        one("mask-scalar", (17, 33), ())
    if b.first:
        one("long", (3, 20_011), fill=usual, repeat=True)
    inputs: list[Shape | None] = [(33, 65), (33, 65)]
    b.layouts("2d", inputs[: len(b.op.inputs)], [(33 * 65,), ()], fill=usual)


def _masked_scatter(b: Builder) -> None:
    def one(label: str, shape: Shape, mask: Shape, source: Shape, rate: str = "normal",
            **more: Any) -> None:  # fmt: skip
        b.add(label, [mask, source], [shape], fill=[rate, "normal"], **more)

    for size in b.sizes:
        one(f"n{size}", (size,), (size,), (size,))
    for rate in ("zeros", "ones", "sparse"):
        one(f"mask-{rate}", (40, 130), (40, 130), (40 * 130,), rate, repeat=True)
    one("short", (17, 33), (17, 33), (100,))
    one("no-source", (17, 33), (17, 33), (0,))
    one("rows", (17, 33), (17, 1), (17, 33))
    one("source-3d", (2, 17, 33), (2, 17, 33), (3, 11, 34))
    if b.first:
        one("long", (3, 20_011), (3, 20_011), (3, 20_011), repeat=True)
    b.layouts("2d", [(33, 65), (33, 65)], [(33, 65)])


def _categorical(b: Builder) -> None:
    def one(label: str, shape: Shape, axis: int, key: int, generator: int, **more: Any) -> None:
        out = tuple(n for d, n in enumerate(shape) if d != axis % len(shape))
        params = {"axis": axis, "key": key, "generator": generator}
        b.add(label, [shape], [out], params, **more)

    for size in b.sizes:
        if size:
            one(f"row{size}", (5, size), -1, 7, size % 2)
        one(f"rows{size}", (size, 33), -1, 42, size % 2)
    for i, (shape, axis) in enumerate(
        b.pick([((9,), 0), ((3, 17, 5), 1), ((2, 3, 5, 33), -2), ((2, 3, 4, 5, 7), 0),
                ((3, 20_011), 1)], 2)
    ):  # fmt: skip
        one(f"shape{i}", shape, axis, -3, i % 2, repeat=True)
    for fill in ("masked", "with-nan", "minus-inf", "medium", "zeros"):
        one(fill, (17, 129), 1, 2**40 + 1, 0, fill=fill)
    b.layouts("2d", [(33, 65)], [(33,)], {"axis": 1, "key": 5, "generator": 0})
    if b.first:
        one("many-rows", (MANY_ROWS, 3), 1, 1, 1)


def _permutation(b: Builder) -> None:
    for size in [*b.sizes, 1625, 1626, 20_011]:
        for generator in (0, 1):
            params = {"key": 42 - size, "generator": generator}
            b.add(f"n{size}-g{generator}", [], [(size,)], params, repeat=size == 4099)
    b.layouts("1d", [], [(300,)], {"key": -1, "generator": 0}, skip=("transposed",))


RULES: dict[str, Callable[[Builder], None]] = {
    "concatenate": _concatenate,
    "pad": _pad,
    "partition": _partition,
    "searchsorted": _searchsorted,
    "unique": _unique,
    "masked_select": _masked_select,
    "masked_scatter": _masked_scatter,
    "categorical": _categorical,
    "permutation": _permutation,
}

TYPICAL: dict[str, Callable[[Builder], Parts]] = {
    "concatenate": lambda b: ([(6, 10), (4, 10), *[None] * 6], [(10, 10)], {"axis": 0}),
    "pad": lambda b: ([(6, 10)], [(9, 14)], {"before": (1, 2), "mode": 0, "value": 0.0}),
    "partition": lambda b: ([(6, 10)], [(6, 10)], {"kth": 2, "axis": 1}),
    "searchsorted": lambda b: ([(6, 10), (6, 4), None], [(6, 4)], {"right": False}),
    "unique": lambda b: ([(6, 10)], [(60,), (60,), (6, 10), ()], {}),
    "masked_select": lambda b: ([(6, 10)] * len(b.op.inputs), [(60,), ()], {}),
    "masked_scatter": lambda b: ([(6, 10), (60,)], [(6, 10)], {}),
    "categorical": lambda b: ([(6, 10)], [(6,)], {"axis": 1, "key": 1, "generator": 0}),
    "permutation": lambda b: ([], [(60,)], {"key": 1, "generator": 0}),
}

# Shapes that do not fit in the typical call, by tensor.
_OUT: dict[str, Shape] = {"longer": (6, 11), "deeper": (2, 6, 10)}
WRONG: dict[str, dict[str, dict[str, Shape]]] = {
    "concatenate": {
        "a": {"longer": (6, 11), "more": (7, 10), "deeper": (1, 6, 10)},
        "b": {"longer": (4, 11), "fewer": (3, 10), "scalar": ()},
        "out": {"longer": (10, 11), "fewer": (9, 10)},
    },
    "pad": {
        "x": {"too-many": (9, 10), "deeper": (1, 6, 10)},
        "out": {"too-few": (6, 14), "deeper": (1, 9, 14)},
    },
    "partition": {"values": _OUT, "indices": _OUT},
    "searchsorted": {
        "sorted": {"more-rows": (7, 10), "scalar": (), "deeper": (1, 6, 10)},
        "values": {"more-rows": (7, 4), "deeper": (1, 6, 4)},
        "out": {"longer": (6, 5), "deeper": (1, 6, 4)},
    },
    "unique": {
        "values": {"longer": (61,), "deeper": (6, 10)},
        "counts": {"shorter": (59,)},
        "inverse": {"flat": (60,)},
        "count": {"deeper": (1,)},
    },
    "masked_select": {
        "mask": {"more-rows": (7, 10), "deeper": (1, 6, 10)},
        "values": {"shorter": (59,), "deeper": (6, 10)},
        "indices": {"shorter": (59,), "deeper": (6, 10)},
        "count": {"deeper": (1,)},
    },
    "masked_scatter": {"mask": {"more-rows": (7, 10), "deeper": (1, 6, 10)}},
    "categorical": {
        "logits": {"more-rows": (7, 10), "empty": (6, 0), "deeper": (1, 6, 10)},
        "out": {"longer": (7,), "deeper": (6, 1)},
    },
    "permutation": {"out": {"deeper": (6, 10), "scalar": ()}},
}
