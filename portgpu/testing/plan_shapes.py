"""Good cases: shapes, layouts and values by the registry's `shape` rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from portgpu.errors import InternalError
from portgpu.ops.registry import AXIS_NONE, INDEX_TYPES
from portgpu.testing import plan_dense, plan_network, plan_quantized, plan_select, plan_spectral
from portgpu.testing.cases import Builder, Case, Shape

MANY_ROWS = 65_539  # more than a grid's y and z extents; a prime

# Sums and products of these fills are exact in every type: results must be equal.
_EXACT_FILL = {
    "sum": "small",
    "prod": "signs",
    "cumsum": "small",
    "cumprod": "signs",
    "scatter_add": "small",
    "scatter_mul": "signs",
}
_SAFE_FILL = {"prod": "near-one", "cumprod": "near-one", "scatter_mul": "near-one"}
# Further parameters of elementwise ops, each tried with special and ordinary values.
_PARAMS: dict[str, list[dict[str, Any]]] = {
    "clip": [{"low": -0.75, "high": 0.5}, {"low": 3.0, "high": -3.0}, {"high": 1e300}],
    "nan_to_num": [{"nan": 3.5, "posinf": 7.0, "neginf": -1e300}, {"nan": math.inf}],
    "round_decimals": [{"decimals": d} for d in (1, 3, -2, 10, -10)],
    "isclose": [{"equal_nan": True}, {"relative": 0.5, "absolute": 0.25}],
    "masked_fill": [{"value": -7.75}, {"value": 1e300}, {"value": math.nan}],
}


def generate(b: Builder) -> None:
    """Add the cases of the builder's op; raises `InternalError` for an unknown shape rule."""
    rule = _RULES.get(b.op.shape)
    if rule is None:
        raise InternalError(
            f"op {b.op.name!r}: no cases are written for shape rule {b.op.shape!r}",
            hint="add a generator in portgpu/testing/plan_shapes.py",
        )
    rule(b)


def typical(b: Builder) -> Case:
    """One small good case, which the bad ones are made from."""
    inputs, outputs, params = _TYPICAL[b.op.shape](b)
    first = outputs[0][0] if outputs[0] else 1
    fills = [f"index={first}" if t.dtypes == INDEX_TYPES else "normal" for t in b.op.inputs]
    if b.op.shape == "searchsorted":
        fills[0] = "ascending"
    return b.add("typical", inputs, outputs, params, fill=fills)


def _fill(b: Builder) -> str:
    return _SAFE_FILL.get(b.op.name, "normal")


def _value_fills(b: Builder) -> list[str]:
    if b.floating:
        fills = ["wide", "medium", "special", "small"]
        return [*fills, "bits"] if b.level == "full" and b.dtype in ("f16", "bf16") else fills
    return ["small"] if b.dtype == "bool" else ["range", "special", "small"]


# Elementwise


def _elementwise(b: Builder) -> None:
    op = b.op
    n, outs = len(op.inputs), len(op.outputs)
    second = "shift" if op.name.endswith("_shift") else "normal"
    normal = ["normal", second, "normal"][:n] if n > 1 else ["normal"] * n
    targets = _cast_targets(b)
    for out in targets:
        tag = f"-to-{out}" if out else ""
        for size in b.sizes if out == targets[0] else [0, 1, 257]:
            b.add(f"n{size}{tag}", [(size,)] * n, [(size,)] * outs, fill=normal, out_dtype=out)
        for fill in _value_fills(b):
            length = 65_536 if fill == "bits" else 1021
            fills = [fill] * n
            if second == "shift":
                fills[1] = "shift"
            b.add(f"{fill}{tag}", [(length,)] * n, [(length,)] * outs, fill=fills, out_dtype=out)
        pairs = ["cycle", "cycle-slow", "cycle"][:n]
        if second == "shift":
            pairs[1] = "shift"
        length = 64 if n == 1 else 1100  # 29 special values, all pairs
        b.add(f"pairs{tag}", [(length,)] * n, [(length,)] * outs, fill=pairs, out_dtype=out)
    for i, params in enumerate(_PARAMS.get(op.name, [])):
        for fill in ("normal", "special"):
            b.add(f"params{i}-{fill}", [(1021,)] * n, [(1021,)] * outs, params, fill=fill)
    b.layouts("2d", [(33, 65)] * n, [(33, 65)] * outs, fill=normal)
    shapes: list[Shape] = [(), (1, 1), (3, 5, 7), (2, 3, 5, 7), (2, 3, 2, 5, 3), (2, 0, 3)]
    for shape in b.pick(shapes, 2):
        b.add(f"rank{len(shape)}-{math.prod(shape)}", [shape] * n, [shape] * outs, fill=normal)
    for shape in b.pick([(5, 33, 31), (3, 2, 7, 33)], 1):
        b.layouts(f"rank{len(shape)}", [shape] * n, [shape] * outs, fill=normal)
    broadcasts: list[tuple[list[Shape], Shape]] = [
        ([(17, 1), (1, 33), (17, 33)], (17, 33)),
        ([(33,), (17, 33), ()], (17, 33)),
        ([(), (1025,), (1025,)], (1025,)),
        ([(1025,), (1,), ()], (1025,)),
        ([(4, 1, 9), (5, 1), (9,)], (4, 5, 9)),
    ]
    for i, (ins, shape) in enumerate(b.pick(list(broadcasts), 2)):
        b.add(f"broadcast{i}-{len(shape)}d", ins[:n], [shape] * outs, fill=normal)
    if b.first:
        b.add("rows", [(MANY_ROWS, 3)] * n, [(MANY_ROWS, 3)] * outs, fill=normal,
              layout="transposed")  # fmt: skip


def _cast_targets(b: Builder) -> list[str]:
    own = b.op.outputs[0].dtypes
    return [t for t in own if t in b.op.types(b.types)] if len(own) > 1 else [""]


def _fill_rule(b: Builder) -> None:
    values: list[dict[str, Any]] = [{"value": v} for v in (0.0, 1.0, -3.25, 70000.0, 1e300)]
    values += [{"value": math.nan}, {"value": -math.inf}]
    if b.op.name == "arange":
        values = [{"start": 0.0, "step": 1.0}, {"start": -7.0, "step": 3.0}]
        if b.floating:
            values.append({"start": 0.1, "step": -0.37})
    for size in b.sizes:
        # Within the exact range of every type: arange past it saturates or rounds.
        b.add(f"n{size}", [], [(size,)], values[-1] if size % 2 else values[1])
    for i, params in enumerate(values):
        b.add(f"value{i}", [], [(33,)], params)
    b.layouts("2d", [], [(7, 5)], values[0])
    for shape in b.pick([(), (3, 5), (2, 3, 4), (2, 3, 2, 2), (1, 2, 3, 2, 2), (3, 0)], 2):
        b.add(f"rank{len(shape)}-{math.prod(shape)}", [], [shape], values[1])


# Reductions

_ANY_EMPTY = {"min", "max"}  # no identity: reducing nothing is an error


def _reduced(shape: Shape, axes: tuple[int, ...] | None, keep: bool = False) -> Shape:
    gone = {a % len(shape) for a in axes} if axes else set(range(len(shape)))
    if keep:
        return tuple(1 if i in gone else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in gone)


def _reduce(b: Builder) -> None:
    name = b.op.name
    fill = _fill(b)

    def one(label: str, shape: Shape, axes: tuple[int, ...] | None, **more: Any) -> None:
        keep = bool(more.pop("keep", False))
        params: dict[str, Any] = {"axes": axes}
        if name == "var":
            params["ddof"] = more.pop("ddof", 0)
        more.setdefault("fill", fill)
        b.add(label, [shape], [_reduced(shape, axes, keep)], params, **more)

    for size in b.sizes:
        if size or name not in _ANY_EMPTY:
            one(f"row{size}", (5, size), (-1,))
            one(f"column{size}", (size, 5), (0,))
            one(f"all{size}", (size,), None)
    shapes: list[tuple[Shape, tuple[int, ...] | None, bool]] = [
        ((3, 17, 5), (1,), False),
        ((3, 17, 5), (0, 2), True),
        ((3, 17, 5), None, True),
        ((2, 3, 5, 33), (1, 3), False),
        ((2, 3, 4, 5, 7), (0, 2, 4), True),
        ((2, 3, 4, 5, 7), (-2, 1), False),
        ((), None, False),
        ((0, 4), (1,), False),
        ((3, 70_001), (1,), False),
        ((70_001, 3), (0,), False),
        ((100_003,), None, False),
        ((65, 1031), (0,), False),
        ((1031, 65), (1,), False),
    ]
    for i, (shape, axes, keep) in enumerate(shapes):
        if b.first or i in b.rng.choice(len(shapes), 4, replace=False):
            text = "x".join(map(str, shape))
            one(f"shape-{text}-{axes}", shape, axes, keep=keep, repeat=math.prod(shape) > 9999)
    b.layouts("2d-row", [(33, 65)], [(33,)], _with_ddof(b, {"axes": (1,)}), fill=fill)
    b.layouts("2d-column", [(33, 65)], [(65,)], _with_ddof(b, {"axes": (0,)}), fill=fill)
    b.layouts("3d", [(5, 33, 7)], [(5, 7)], _with_ddof(b, {"axes": (1,)}), fill=fill)
    exact = _EXACT_FILL.get(name)
    if exact:
        for shape, axes in b.pick([((33, 257), (1,)), ((257, 33), (0,)), ((3001,), None)], 2):
            label = f"exact-{'x'.join(map(str, shape))}"
            one(label, shape, axes, fill=exact, exact=True)
    for extra in _reduce_fills(b):
        one(f"{extra}-row", (17, 129), (1,), fill=extra)
        one(f"{extra}-column", (129, 17), (0,), fill=extra)
        one(f"{extra}-all", (2049,), None, fill=extra)
    if name == "var":
        one("ddof1", (17, 129), (1,), ddof=1)
        one("ddof-all", (3, 1), (1,), ddof=1)
    if b.first:
        one("many-rows", (MANY_ROWS, 3), (1,))


def _with_ddof(b: Builder, params: dict[str, Any]) -> dict[str, Any]:
    return {**params, "ddof": 1} if b.op.name == "var" else params


def _reduce_fills(b: Builder) -> list[str]:
    name = b.op.name
    if name in ("any", "all"):
        return ["zeros", "ones", "sparse", *(["with-nan"] if b.floating else [])]
    if not b.floating:
        return ["range", "ties"]
    by_name = {"min": ["special", "ties"], "max": ["special", "ties"], "var": ["large-mean"]}
    by_name["logsumexp"] = ["medium", "masked", "minus-inf"]
    return ["with-nan", *by_name.get(name, [])]


def _arg_reduce(b: Builder) -> None:
    def one(label: str, shape: Shape, axis: int, **more: Any) -> None:
        out = () if axis == AXIS_NONE else _reduced(shape, (axis,))
        b.add(label, [shape], [out], {"axis": axis}, **more)

    for size in b.sizes:
        if size:
            one(f"row{size}", (5, size), -1)
            one(f"column{size}", (size, 5), 0)
            one(f"flat{size}", (size,), AXIS_NONE, fill="ties")
    for shape, axis in b.pick(
        [((3, 17, 5), 1), ((2, 3, 5, 33), -2), ((2, 3, 4, 5, 7), 0), ((3, 70_001), 1),
         ((70_001, 3), 0), ((317, 331), AXIS_NONE), ((0, 4), 1), ((), AXIS_NONE),
         ((65, 1031), 0)], 3,
    ):  # fmt: skip
        one(f"shape-{'x'.join(map(str, shape))}-{axis}", shape, axis, repeat=True)
    b.layouts("2d-row", [(33, 65)], [(33,)], {"axis": 1})
    b.layouts("2d-column", [(33, 65)], [(65,)], {"axis": 0})
    for fill in ["ties", "zeros", "special"] + (["with-nan", "nan"] if b.floating else []):
        one(f"{fill}-row", (17, 129), 1, fill=fill)
        one(f"{fill}-column", (129, 17), 0, fill=fill)
        one(f"{fill}-flat", (2049,), AXIS_NONE, fill=fill)
    if b.first:
        one("many-rows", (MANY_ROWS, 3), 1)


# Along one axis, same shape


def _axis(b: Builder) -> None:
    op = b.op
    fill = _fill(b)
    outs = len(op.outputs)

    def one(label: str, shape: Shape, axis: int, flags: dict[str, Any], **more: Any) -> None:
        more.setdefault("fill", fill)
        b.add(label, [shape], [shape] * outs, {"axis": axis, **flags}, **more)

    flags = _flag_sets(b)
    for size in b.sizes:
        one(f"row{size}", (5, size), -1, flags[size % len(flags)])
        one(f"column{size}", (size, 5), 0, flags[(size // 2) % len(flags)])
    for i, (shape, axis) in enumerate(
        b.pick(
            [((7,), 0), ((3, 17, 5), 1), ((2, 3, 5, 33), -2), ((2, 3, 4, 5, 7), 0),
             ((2, 3, 4, 5, 7), 4), ((0, 4), 1), ((3, 20_011), 1), ((20_011, 3), 0), ((1, 1), 0),
             ((131, 257), 1), ((257, 131), 0)], 3,
        )
    ):  # fmt: skip
        text = "x".join(map(str, shape))
        one(f"shape-{text}-{axis}", shape, axis, flags[i % len(flags)], repeat=True)
    for i, chosen in enumerate(flags):
        one(f"flags{i}", (9, 131), 1, chosen)
        one(f"flags{i}-column", (131, 9), 0, chosen)
    for axis in (0, 1):
        params = {"axis": axis, **flags[axis % len(flags)]}
        b.layouts(f"2d-{axis}", [(33, 65)], [(33, 65)] * outs, params, fill=fill)
    exact = _EXACT_FILL.get(op.name)
    if exact:
        for i, chosen in enumerate(flags):
            one(f"exact{i}", (5, 601), 1, chosen, fill=exact, exact=True)
            one(f"exact{i}-column", (601, 5), 0, chosen, fill=exact, exact=True)
    for i, extra in enumerate(_axis_fills(b)):
        one(f"{extra}-row", (17, 129), 1, flags[i % len(flags)], fill=extra)
        one(f"{extra}-column", (129, 17), 0, flags[(i + 1) % len(flags)], fill=extra)
    if b.first:
        one("many-rows", (MANY_ROWS, 3), 1, flags[0], heavy="sort" in op.name)
    if any(p.name == "exclusive" for p in op.params):
        # Many blocks share a scan: more than 32 tiles of a row, several of a strip of lines.
        for i, chosen in enumerate(flags if b.first else ()):
            one(f"long{i}", (2, 300_008 - i), 1, chosen, repeat=True)
            one(f"strips{i}", (150 + 128 * i, 1024), 0, chosen, repeat=True)
        if not b.first:  # the height of a tile depends on the type
            one("strips", (150, 1024), 0, flags[-1], repeat=True)


def _flag_sets(b: Builder) -> list[dict[str, Any]]:
    sets: list[dict[str, Any]] = [{}]
    for param in b.op.params:
        if param.type == "bool":
            sets = [{**s, param.name: v} for v in (False, True) for s in sets]
    return sets


def _axis_fills(b: Builder) -> list[str]:
    if not b.floating:
        return ["range", "ties", "special"]
    if "softmax" in b.op.name or b.op.name == "logcumsumexp":
        return ["medium", "masked", "minus-inf", "with-nan", "zeros", "wide"]
    if b.op.name in ("cumsum", "cumprod"):
        return ["with-nan"]
    return ["ties", "special", "with-nan", "zeros", "wide"]


def _norm(b: Builder) -> None:
    extra = len(b.op.inputs) - 1

    def one(label: str, shape: Shape, present: tuple[bool, ...], **more: Any) -> None:
        last = (shape[-1],)
        parts: list[Shape | None] = [last if p else None for p in present[:extra]]
        b.add(label, [shape, *parts], [shape], {"eps": more.pop("eps", 1e-5)}, **more)

    for size in b.sizes:
        one(f"row{size}", (5, size), (True, True))
    for i, present in enumerate([(False, False), (True, False), (False, True)]):
        one(f"optional{i}", (7, 129), present)
    shapes: list[Shape] = [(7,), (3, 5, 33), (2, 3, 5, 65), (2, 3, 2, 2, 17), (0, 9)]
    for shape in b.pick([*shapes, (3, 20_011), (257, 131)], 3):
        one(f"shape-{'x'.join(map(str, shape))}", shape, (True, True), repeat=True)
    parts: list[Shape | None] = [(65,)] * extra
    b.layouts("2d", [(33, 65), *parts], [(33, 65)], {"eps": 1e-5})
    for fill in ("large-mean", "zeros", "ones", "with-nan", "wide"):
        if fill != "wide":
            one(fill, (17, 129), (True, True), fill=[fill, *["normal"] * extra])
    one("eps", (17, 129), (True, True), eps=0.5)
    if b.first:
        one("many-rows", (MANY_ROWS, 3), (True, True))


# Top-k, gathers, scatters

_REFUSED_EMPTY = frozenset({"PG_ERR_SHAPE"})  # nothing to take from


def _topk(b: Builder) -> None:
    def one(label: str, shape: Shape, axis: int, k: int, largest: bool, **more: Any) -> None:
        out = tuple(k if i == axis % len(shape) else n for i, n in enumerate(shape))
        b.add(label, [shape], [out, out], {"axis": axis, "largest": largest}, **more)

    for size in b.sizes:
        if size:
            one(f"row{size}", (5, size), -1, max(1, size // 3), size % 2 == 0)
            one(f"column{size}", (size, 5), 0, min(size, 3), size % 2 == 1)
    for k in b.pick([0, 1, 2, 32, 65, 129], 3):
        one(f"k{k}", (7, 129), 1, k, True)
    for shape, axis in b.pick([((3, 17, 5), 1), ((9,), 0), ((2, 3, 2, 5, 7), -1),
                               ((3, 9001), 1)], 2):  # fmt: skip
        one(f"shape-{'x'.join(map(str, shape))}", shape, axis, 4, False, repeat=True)
    out = (33, 9)
    b.layouts("2d", [(33, 65)], [out, out], {"axis": 1, "largest": True}, fill="ties")
    for fill in ["ties", "special", "zeros"] + (["with-nan"] if b.floating else []):
        one(f"{fill}-largest", (17, 129), 1, 20, True, fill=fill)
        one(f"{fill}-smallest", (17, 129), 1, 20, False, fill=fill)


def _take(b: Builder) -> None:
    def one(label: str, shape: Shape, at: Shape, axis: int, mode: str = "", **more: Any) -> None:
        n = shape[axis]
        place = axis % len(shape)
        out = (*shape[:place], *at, *shape[place + 1 :])
        fills = ["normal", f"index={n},{mode}" if mode else f"index={n}"]
        b.add(label, [shape, at], [out], {"axis": axis}, fill=fills, **more)

    for size in b.sizes:
        one(f"rows{size}", (257, 33), (size,), 0, "wrap")
        if size:
            one(f"row-length{size}", (17, size), (5,), 0)
            one(f"column{size}", (7, size), (33,), 1, "wrap")
    for i, (shape, at, axis) in enumerate(
        b.pick([((9,), (), 0), ((9, 5), (3, 4), 0), ((3, 9, 5), (2, 2, 2), 1),
                ((3, 9, 5), (4,), -1),
                ((2, 3, 4, 5), (7,), 2), ((2, 3, 2, 5, 3), (4,), 3), ((4, 0), (3,), 0),
                ((700, 300), (40, 9), 0)], 3)
    ):  # fmt: skip
        one(f"shape{i}", shape, at, axis, "wrap", repeat=True)
    one("wild", (33, 17), (257,), 0, "wild")
    one("wild-last", (17, 33), (257,), 1, "wild")
    one("empty-axis", (0, 5), (3,), 0, "wild", statuses=_REFUSED_EMPTY)
    b.layouts("2d", [(33, 17), (5, 13)], [(5, 13, 17)], {"axis": 0},
              fill=["normal", "index=33,wrap"])  # fmt: skip
    b.layouts("last", [(17, 33), (13,)], [(17, 13)], {"axis": 1}, fill=["normal", "index=33"])
    if b.first:
        one("many-rows", (1000, 3), (MANY_ROWS,), 0)


def _take_along(b: Builder) -> None:
    def one(label: str, shape: Shape, n: int, axis: int, mode: str, **more: Any) -> None:
        out = tuple(n if i == axis % len(shape) else e for i, e in enumerate(shape))
        fills = ["normal", f"index={shape[axis]},{mode}"]
        b.add(label, [shape, out], [out], {"axis": axis}, fill=fills, **more)

    for size in b.sizes:
        one(f"row{size}", (5, 65), size, -1, "wrap")
        if size:
            one(f"column{size}", (size, 5), 33, 0, "wrap")
    for shape, axis in b.pick([((9,), 0), ((3, 9, 5), 1), ((2, 3, 4, 5), -2), ((2, 3, 2, 5, 3), 0),
                               ((130, 257), 1)], 2):  # fmt: skip
        one(f"shape-{'x'.join(map(str, shape))}", shape, 7, axis, "wrap")
    one("wild", (17, 33), 65, 1, "wild")
    one("empty-axis", (5, 0), 3, 1, "wild", statuses=_REFUSED_EMPTY)
    for axis in (0, 1):
        b.layouts(f"2d-{axis}", [(33, 65), (33, 65)], [(33, 65)], {"axis": axis},
                  fill=["normal", "index=33,wrap"])  # fmt: skip


def _put_along(b: Builder) -> None:
    exact = "small" if b.op.name == "add_along" else "normal"

    def one(label: str, shape: Shape, n: int, axis: int, mode: str, **more: Any) -> None:
        at = tuple(n if i == axis % len(shape) else e for i, e in enumerate(shape))
        fills = [f"index={shape[axis]},{mode}", more.pop("values", "normal")]
        b.add(label, [at, at], [shape], {"axis": axis}, fill=fills, **more)

    for size in b.sizes:
        one(f"row{size}", (5, 65), size, -1, "wrap")
        one(f"exact{size}", (7, 33), size, 1, "wrap", values=exact, exact=True, repeat=True)
        if size:
            one(f"column{size}", (size, 5), 33, 0, "wrap")
    for shape, axis in b.pick([((9,), 0), ((3, 9, 5), 1), ((2, 3, 4, 5), -2), ((2, 3, 2, 5, 3), 0),
                               ((130, 257), 1)], 2):  # fmt: skip
        one(f"shape-{'x'.join(map(str, shape))}", shape, 7, axis, "wrap", repeat=True)
    one("same", (17, 33), 301, 1, "same", values=exact, exact=True, repeat=True)
    one("wild", (17, 33), 65, 1, "wild")
    one("empty-axis", (5, 0), 3, 1, "wild")
    one("long", (40, 300), 1000, 1, "wrap", repeat=True)
    for axis in (0, 1):
        b.layouts(f"2d-{axis}", [(33, 65), (33, 65)], [(33, 65)], {"axis": axis},
                  fill=["index=33,wrap", exact])  # fmt: skip


def _scatter(b: Builder) -> None:
    exact = _EXACT_FILL.get(b.op.name, "normal")

    def one(label: str, shape: Shape, at: Shape, axis: int, mode: str, **more: Any) -> None:
        place = axis % len(shape)
        updates = (*shape[:place], *at, *shape[place + 1 :])
        fills = [f"index={shape[axis]},{mode}", more.pop("values", _fill(b))]
        b.add(label, [at, updates], [shape], {"axis": axis}, fill=fills, **more)

    for size in b.sizes:
        one(f"rows{size}", (257, 33), (size,), 0, "wrap")
        one(f"flat{size}", (65,), (size,), 0, "wrap", values=exact, exact=True, repeat=True)
        if size:
            one(f"row-length{size}", (17, size), (9,), 0, "wrap", values=exact, exact=True)
    for i, (shape, at, axis) in enumerate(
        b.pick([((9,), (), 0), ((9, 5), (3, 4), 0), ((3, 9, 5), (2, 2, 2), 1),
                ((3, 9, 5), (4,), -1),
                ((2, 3, 4, 5), (7,), 2), ((2, 3, 2, 5, 3), (4,), 3), ((70, 30), (40, 9), 0)], 3)
    ):  # fmt: skip
        one(f"shape{i}", shape, at, axis, "wrap", repeat=True)
    one("same", (33, 17), (301,), 0, "same", values=exact, exact=True, repeat=True)
    one("same-random", (33, 17), (301,), 0, "same", repeat=True)
    one("wild", (33, 17), (257,), 0, "wild", values=exact, exact=True)
    one("wild-last", (17, 33), (257,), 1, "wild")
    one("empty-axis", (0, 5), (3,), 0, "wild")
    b.layouts("2d", [(5, 13), (5, 13, 17)], [(33, 17)], {"axis": 0},
              fill=["index=33,wrap", exact])  # fmt: skip
    b.layouts("last", [(13,), (17, 13)], [(17, 33)], {"axis": 1}, fill=["index=33", exact])
    if b.floating:
        one("with-nan", (33, 17), (65,), 0, "wrap", values="with-nan")
    if b.first:
        one("many-rows", (1000, 3), (MANY_ROWS,), 0, "wrap")


_RULES: dict[str, Callable[[Builder], None]] = {
    "elementwise": _elementwise,
    "fill": _fill_rule,
    "reduce": _reduce,
    "arg_reduce": _arg_reduce,
    "axis": _axis,
    "norm": _norm,
    "topk": _topk,
    "take": _take,
    "take_along": _take_along,
    "scatter": _scatter,
    "put_along": _put_along,
    **plan_network.RULES,
    **plan_select.RULES,
    **plan_dense.RULES,
    **plan_spectral.RULES,
    **plan_quantized.RULES,
}

_TYPICAL: dict[str, Callable[[Builder], plan_network.Parts]] = {
    "elementwise": lambda b: ([(6, 10)] * len(b.op.inputs), [(6, 10)] * len(b.op.outputs), {}),
    "fill": lambda b: ([], [(6, 10)], {p.name: p.default for p in b.op.params}),
    "reduce": lambda b: ([(6, 10)], [(6,)], _with_ddof(b, {"axes": (1,)})),
    "arg_reduce": lambda b: ([(6, 10)], [(6,)], {"axis": 1}),
    "axis": lambda b: ([(6, 10)], [(6, 10)] * len(b.op.outputs), {"axis": 1, **_flag_sets(b)[0]}),
    "norm": lambda b: ([(6, 10), *[(10,)] * (len(b.op.inputs) - 1)], [(6, 10)], {"eps": 1e-5}),
    "topk": lambda b: ([(6, 10)], [(6, 3), (6, 3)], {"axis": 1, "largest": True}),
    "take": lambda b: ([(6, 10), (4,)], [(4, 10)], {"axis": 0}),
    "take_along": lambda b: ([(6, 10), (6, 4)], [(6, 4)], {"axis": 1}),
    "put_along": lambda b: ([(6, 4), (6, 4)], [(6, 10)], {"axis": 1}),
    "scatter": lambda b: ([(4,), (4, 10)], [(6, 10)], {"axis": 0}),
    **plan_network.TYPICAL,
    **plan_select.TYPICAL,
    **plan_dense.TYPICAL,
    **plan_spectral.TYPICAL,
    **plan_quantized.TYPICAL,
}
