"""Good cases of gradients, cross-entropy, rotary embedding, matrix products and random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from portgpu.testing.cases import Builder, Shape

Parts = tuple[list[Shape | None], list[Shape], dict[str, Any]]


def _random(b: Builder) -> None:
    def one(label: str, shape: Shape, key: int, generator: int, **more: Any) -> None:
        params: dict[str, Any] = {"key": key, "generator": generator}
        extra = more.pop("params", {})
        b.add(label, [], [shape], {**params, **extra}, **more)

    for size in b.sizes:
        for generator in (0, 1):
            one(f"n{size}-g{generator}", (size,), 42, generator)
    for i, key in enumerate((0, -1, 2**40 + 7, -(2**63), 2**63 - 1)):
        one(f"key{i}", (301,), key, i % 2)
    for generator in (0, 1):
        one(f"many-g{generator}", (70_001,), 7, generator, repeat=True)
        b.layouts(f"2d-g{generator}", [], [(7, 31)], {"key": 3, "generator": generator})
        for shape in b.pick([(), (3, 5), (2, 3, 5), (2, 3, 2, 5), (3, 2, 1, 3, 5), (3, 0)], 2):
            one(f"rank{len(shape)}-{math.prod(shape)}-g{generator}", shape, 9, generator)
    if b.op.name == "uniform":
        one("range", (1031,), 5, 0, params={"low": -3.0, "high": 5.5})
        one("range-g1", (1031,), 5, 1, params={"low": 1.0, "high": 1.5})
    if b.op.name == "normal":
        one("moments", (1031,), 5, 0, params={"mean": 2.0, "stddev": 0.25})
        one("moments-g1", (1031,), 5, 1, params={"mean": -1.0, "stddev": 3.0})


def _softmax_backward(b: Builder) -> None:
    y = "log-unit" if b.op.name.startswith("log") else "unit"
    fill = [y, "normal"]

    def one(label: str, shape: Shape, axis: int, **more: Any) -> None:
        b.add(label, [shape, shape], [shape], {"axis": axis}, fill=fill, **more)

    for size in b.sizes:
        one(f"row{size}", (5, size), -1)
        one(f"column{size}", (size, 5), 0)
    for shape, axis in b.pick([((7,), 0), ((3, 17, 5), 1), ((2, 3, 5, 33), -2),
                               ((2, 3, 4, 5, 7), 0), ((0, 4), 1), ((3, 20_011), 1),
                               ((20_011, 3), 0)], 3):  # fmt: skip
        one(f"shape-{'x'.join(map(str, shape))}-{axis}", shape, axis, repeat=True)
    for axis in (0, 1):
        b.layouts(f"2d-{axis}", [(33, 65)] * 2, [(33, 65)], {"axis": axis}, fill=fill)


def _norm_backward(b: Builder) -> None:
    more_outputs = len(b.op.outputs) - 1

    def one(label: str, shape: Shape, weight: bool = True, **more: Any) -> None:
        last = (shape[-1],)
        inputs: list[Shape | None] = [shape, last if weight else None, shape]
        params = {"eps": more.pop("eps", 1e-5)}
        b.add(label, inputs, [shape, *[last] * more_outputs], params, **more)

    for size in b.sizes:
        if size:
            one(f"row{size}", (5, size))
            one(f"rows{size}", (size, 33))
    one("no-weight", (7, 129), weight=False)
    one("eps", (7, 129), eps=0.5)
    one("large-mean", (17, 129), fill=["large-mean", "normal", "normal"])
    shapes: list[Shape] = [(7,), (3, 5, 33), (2, 3, 5, 65), (2, 3, 2, 2, 17), (3, 9001), (3001, 7)]
    for shape in b.pick(shapes, 3):
        one(f"shape-{'x'.join(map(str, shape))}", shape, repeat=True)
    inputs: list[Shape | None] = [(33, 65), (65,), (33, 65)]
    b.layouts("2d", inputs, [(33, 65), *[(65,)] * more_outputs], {"eps": 1e-5})


def _cross_entropy(b: Builder) -> None:
    backward = len(b.op.inputs) == 3

    def one(label: str, rows: Shape, classes: int, **more: Any) -> None:
        mode = more.pop("mode", "")
        fill = [more.pop("logits", "normal"), f"index={classes}{mode}", "normal"]
        shape = (*rows, classes)
        inputs: list[Shape | None] = [shape, rows, rows]
        n = len(b.op.inputs)
        b.add(label, inputs[:n], [shape if backward else rows], fill=fill[:n], **more)

    for size in b.sizes:
        if size:
            one(f"classes{size}", (5,), size)
        one(f"rows{size}", (size,), 7)
    for rows, classes in b.pick([((), 9), ((3, 5), 33), ((2, 3, 4), 17), ((2, 3, 2, 2), 5),
                                 ((3,), 20_011), ((1031,), 65)], 3):  # fmt: skip
        one(f"shape-{'x'.join(map(str, rows)) or 'one'}-{classes}", rows, classes, repeat=True)
    one("medium", (17,), 129, logits="medium")
    one("ignored", (129,), 17, mode=",wild")
    fill = ["normal", "index=65", "normal"][: len(b.op.inputs)]
    inputs: list[Shape | None] = [(33, 65), (33,), (33,)]
    b.layouts("2d", inputs[: len(fill)], [(33, 65) if backward else (33,)], fill=fill)


def _rope(b: Builder) -> None:
    def one(label: str, shape: Shape, **more: Any) -> None:
        defaults = {p.name: p.default for p in b.op.params}
        b.add(label, [shape], [shape], {**defaults, **more.pop("params", {})}, **more)

    for size in b.sizes:
        one(f"positions{size}", (2, size, 8))
        if size % 2 == 0:
            one(f"features{size}", (3, 5, size))
    choices: list[dict[str, Any]] = [
        {"interleaved": True}, {"inverse": True}, {"interleaved": True, "inverse": True},
        {"dims": 6}, {"dims": 6, "interleaved": True}, {"offset": 1000}, {"offset": 10**6},
        {"base": 500.0}, {"offset": -3},
    ]  # fmt: skip
    for i, params in enumerate(choices):
        one(f"params{i}", (3, 33, 16), params=params)
    for shape in b.pick([(5, 8), (2, 3, 5, 8), (2, 3, 2, 5, 6), (2, 4097, 64)], 2):
        one(f"shape-{'x'.join(map(str, shape))}", shape, repeat=True)
    b.layouts("3d", [(5, 33, 16)], [(5, 33, 16)], {p.name: p.default for p in b.op.params})


def _matmul(b: Builder) -> None:
    def one(label: str, a: Shape, c: Shape, batch: Shape = (), **more: Any) -> None:
        b.add(label, [a, c], [(*batch, a[-2], c[-1])], **more)

    for size in b.sizes:
        if size <= 1025:
            one(f"rows{size}", (size, 33), (33, 17))
            one(f"columns{size}", (17, 33), (33, size))
        one(f"depth{size}", (17, size), (size, 9))
        one(f"vector{size}", (1, size), (size, 33))
        one(f"matrix-vector{size}", (33, size), (size, 1))
    for size in b.pick([33, 64, 127, 257], 2):
        one(f"exact{size}", (size, size), (size, size), fill="small", exact=True, repeat=True)
    one("exact-depth", (5, 2049), (2049, 7), fill="small", exact=True)
    one("with-nan", (33, 65), (65, 17), fill="with-nan")
    for a, c, batch in b.pick(
        [((3, 17, 33), (3, 33, 9), (3,)), ((1, 17, 33), (5, 33, 9), (5,)),
         ((17, 33), (4, 33, 9), (4,)),
         ((2, 1, 7, 5), (3, 5, 6), (2, 3)), ((2, 2, 3, 7, 5), (2, 2, 3, 5, 4), (2, 2, 3))], 2,
    ):  # fmt: skip
        one(f"batch-{len(a)}-{len(c)}-{'x'.join(map(str, batch))}", a, c, batch)
    b.layouts("2d", [(33, 65), (65, 31)], [(33, 31)])
    b.layouts("3d", [(3, 17, 33), (3, 33, 9)], [(3, 17, 9)])
    # Extents of whole 16-byte pieces, with edges of tiles; enough matrices for the larger tiles.
    b.layouts("pieces", [(72, 136), (136, 40)], [(72, 40)])
    one("many", (96, 24, 40), (96, 40, 24), (96,), heavy=True, repeat=True)
    one("large", (1400, 136), (136, 2600), heavy=True, repeat=True)


def _logistic(b: Builder) -> None:
    def one(label: str, rows: int, features: int, **more: Any) -> None:
        params = {"rate": 0.1, "steps": more.pop("steps", 1)}
        x, y, w = (rows, features), (rows,), (features,)
        b.add(label, [x, y], [w], params, fill=["normal", "unit"], **more)

    for size in b.sizes:
        one(f"rows{size}", size, 7)
        if size <= 256:
            one(f"features{size}", 33, size)
    one("example", 1000, 100, steps=3, repeat=True)
    one("no-step", 33, 7, steps=0)
    b.layouts("2d", [(33, 17), (33,)], [(17,)], {"rate": 0.1, "steps": 2}, fill=["normal", "unit"])


RULES: dict[str, Callable[[Builder], None]] = {
    "random": _random,
    "softmax_backward": _softmax_backward,
    "norm_backward": _norm_backward,
    "cross_entropy": _cross_entropy,
    "cross_entropy_backward": _cross_entropy,
    "rope": _rope,
    "matmul": _matmul,
    "logistic": _logistic,
}


def _defaults(b: Builder) -> dict[str, Any]:
    return {p.name: p.default for p in b.op.params}


def _cross_entropy_parts(b: Builder) -> Parts:
    inputs: list[Shape | None] = [(6, 10), (6,), (6,)]
    backward = len(b.op.inputs) == 3
    return inputs[: len(b.op.inputs)], [(6, 10) if backward else (6,)], {}


TYPICAL: dict[str, Callable[[Builder], Parts]] = {
    "random": lambda b: ([], [(6, 10)], _defaults(b)),
    "softmax_backward": lambda b: ([(6, 10), (6, 10)], [(6, 10)], {"axis": 1}),
    "norm_backward": lambda b: (
        [(6, 10), (10,), (6, 10)], [(6, 10), *[(10,)] * (len(b.op.outputs) - 1)], {"eps": 1e-5}
    ),
    "cross_entropy": _cross_entropy_parts,
    "cross_entropy_backward": _cross_entropy_parts,
    "rope": lambda b: ([(6, 10)], [(6, 10)], _defaults(b)),
    "matmul": lambda b: ([(6, 10), (10, 4)], [(6, 4)], {}),
    "logistic": lambda b: ([(6, 10), (6,)], [(10,)], {"rate": 0.1, "steps": 1}),
}  # fmt: skip
