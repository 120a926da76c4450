"""Shapes of outputs, by the registry's `shape` rule; broadcasting and axes as in NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from portgpu.ops.errors import OpAxisError, OpShapeError, OpValueError
from portgpu.ops.registry import AXIS_NONE, Op

Shape = tuple[int, ...]


def broadcast(op: str, shapes: Sequence[Shape]) -> Shape:
    """The common shape of `shapes`; raises `OpShapeError` when there is none."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = []
    for d in range(rank):
        extents = {shape[d - rank] for shape in shapes if len(shape) >= rank - d}
        extents.discard(1)
        if len(extents) > 1:
            text = " and ".join(str(shape) for shape in shapes)
            raise OpShapeError(
                f"{op}: shapes {text} do not broadcast",
                hint="extents must be equal or 1, counted from the last axis",
            )
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def axis(op: str, value: int, rank: int) -> int:
    """`value` as an index from the front; raises `OpAxisError` when it is out of range."""
    if not -rank <= value < rank:
        raise OpAxisError(
            f"{op}: axis {value} is out of range for {rank} dimension{'' if rank == 1 else 's'}",
            hint=f"use {-rank} to {rank - 1}" if rank else "a scalar has no axis",
        )
    return value % rank


def axes(op: str, value: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Axes of a reduction, from the front; None means all."""
    if value is None:
        return tuple(range(rank))
    given = (value,) if isinstance(value, int) else tuple(value)
    found = tuple(axis(op, int(a), rank) for a in given)
    if len(set(found)) != len(found):
        raise OpAxisError(f"{op}: an axis is named twice in {given}", hint="name each axis once")
    return found


def outputs(op: Op, shapes: Sequence[Shape | None], params: Mapping[str, Any]) -> list[Shape]:
    """Shapes of the outputs of `op` for inputs of `shapes`.

    Extra keys in `params`: `keepdims` for reductions, `k` for top-k, `shape` for fills.
    """
    rule = _RULES.get(op.shape)
    if rule is None:
        raise OpShapeError(
            f"{op.name}: shape rule {op.shape!r} is not known to this version of portgpu",
            hint="pass out=, or update portgpu",
        )
    given = [s for s in shapes if s is not None]
    try:
        first = rule(op, given, params)
    except IndexError:  # fewer dimensions than the rule looks at
        first = None
    if first is None or any(n < 0 for n in first):
        text = ", ".join(str(s) for s in given)
        raise OpShapeError(
            f"{op.name}: no result has a shape that fits inputs of shapes {text}",
            hint=f"see help(ops.{op.name}) for the shapes it takes",
        )
    if op.shape == "norm_backward":  # gradients of weight and bias
        return [first, *[first[-1:]] * (len(op.outputs) - 1)]
    if op.shape == "attention":
        return [first, given[1], given[2]][: len(op.outputs)]
    if op.shape == "unique":
        return [first, first, given[0], ()]
    if op.shape == "quantize":
        return [first, _scales(op, given, params)]
    if op.shape == "masked_select":
        return [first, ()]
    return [first] * len(op.outputs)


def _fill(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    shape = params["shape"]
    return _extents(op, "shape", (shape,) if isinstance(shape, int) else tuple(shape))


def _extents(op: Op, name: str, shape: Shape) -> Shape:
    if min(shape, default=0) < 0:
        raise OpShapeError(f"{op.name}: {name} has {min(shape)}", hint="extents are 0 or more")
    return shape


def _reduce(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    gone = axes(op.name, params.get("axes"), len(shapes[0]))
    return _without(shapes[0], gone, bool(params.get("keepdims")))


def _arg_reduce(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    rank = len(shapes[0])
    value = params["axis"]
    gone = tuple(range(rank)) if value == AXIS_NONE else (axis(op.name, value, rank),)
    return _without(shapes[0], gone, bool(params.get("keepdims")))


def _without(shape: Shape, gone: Sequence[int], keep: bool) -> Shape:
    if keep:
        return tuple(1 if i in gone else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in gone)


def _same(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    if op.param("axis"):
        axis(op.name, params["axis"], len(shapes[0]))
    return shapes[0]


def _topk(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    at = axis(op.name, params["axis"], len(shapes[0]))
    k = int(params["k"])
    if not 0 <= k <= shapes[0][at]:
        raise OpShapeError(
            f"{op.name}: k = {k} does not fit the {shapes[0][at]} elements of axis {at}",
            hint=f"use 0 to {shapes[0][at]}",
        )
    return (*shapes[0][:at], k, *shapes[0][at + 1 :])


def _take(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    at = axis(op.name, params["axis"], len(shapes[0]))
    return (*shapes[0][:at], *shapes[1], *shapes[0][at + 1 :])


def _concatenate(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    at = axis(op.name, params["axis"], len(shapes[0]))
    first = shapes[0]
    for shape in shapes[1:]:
        if (*shape[:at], *shape[at + 1 :]) != (*first[:at], *first[at + 1 :]):
            raise OpShapeError(
                f"{op.name}: shapes {first} and {shape} differ beside axis {at}",
                hint="all extents but that of the axis must be equal",
            )
    return (*first[:at], sum(shape[at] for shape in shapes), *first[at + 1 :])


def widths(op: str, name: str, value: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Elements to add on one side of each axis; one number is for all axes, None is 0."""
    found = (value or 0,) * rank if value is None or isinstance(value, int) else tuple(value)
    found = found or (0,) * rank
    if len(found) != rank or any(n < 0 for n in found):
        raise OpShapeError(
            f"{op}: {name}={value} does not fit {rank} dimensions",
            hint=f"give one width of at least 0, or {rank} of them",
        )
    return found


def _pad(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    sides = [widths(op.name, n, params.get(n), len(shapes[0])) for n in ("before", "after")]
    return tuple(n + b + a for n, b, a in zip(shapes[0], *sides, strict=True))


def complete(op: Op, params: dict[str, Any], rank: int) -> None:
    """Write out lists that may be given as one number, or not at all."""
    if op.shape == "pad":
        params["before"] = widths(op.name, "before", params["before"], rank)
    if op.shape == "conv":
        for name, least in (("stride", 1), ("padding", 0), ("dilation", 1)):
            value = params.get(name)
            found = _spatial(op.name, name, least if value is None else value, rank - 2)
            if min(found, default=least) < least:
                raise OpValueError(
                    f"{op.name}: {name} is {min(found)}", hint=f"the least is {least}"
                )
            params[name] = found


def _spatial(op: str, name: str, value: int | Sequence[int], count: int) -> tuple[int, ...]:
    found = (value,) * max(count, 1) if isinstance(value, int) else tuple(value)
    if len(found) != count:
        raise OpShapeError(
            f"{op}: {name}={value} does not fit {count} spatial axes",
            hint="give one number for each axis between the first and the last",
        )
    return found


def _conv(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    given = dict(params)
    complete(op, given, len(shapes[0]))
    spatial = list(zip(given["stride"], given["padding"], given["dilation"], strict=True))
    size = params.get("size")
    if op.name != "conv" and size:
        size = (size,) * len(spatial) if isinstance(size, int) else tuple(size)
    first, second = shapes[:2]
    if len(first) != len(second):
        raise OpShapeError(
            f"{op.name}: shapes {first} and {second} have different ranks",
            hint="both have a batch or filters, spatial axes, and channels",
        )
    inner = zip(first[1:-1], second[1:-1], spatial, strict=True)
    if op.name == "conv":
        places = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, (s, p, d) in inner)
        if min(places, default=0) < 0:
            raise OpShapeError(
                f"{op.name}: the kernel {second[1:-1]} is longer than x", hint="enlarge padding"
            )
        return (first[0], *places, second[0])
    if op.name == "conv_backward_input":
        places = size or tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 for n, k, (s, p, d) in inner)
        return (first[0], *places, second[-1] * int(params["groups"]))
    if not size:
        raise OpShapeError(f"{op.name}: size is missing", hint="give the kernel's extents as size=")
    return (second[-1], *size, first[-1] // max(int(params["groups"]), 1))


def _quantize(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    _scales(op, shapes, params)
    return (*shapes[0][:-1], shapes[0][-1] // (2 if op.name.endswith("int4") else 1))


def _scales(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    group, length = int(params["group"]), shapes[0][-1]
    if group < 1 or length % group:
        raise OpShapeError(
            f"{op.name}: {length} elements of the last axis are no groups of {group}",
            hint="pass group=, a multiple of 8 that divides the last axis",
        )
    return (*shapes[0][:-1], length // group)


def _flat(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    return (math.prod(shapes[0]),)


def _categorical(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    return _without(shapes[0], (axis(op.name, params["axis"], len(shapes[0])),), False)


def _matmul(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    left, right = shapes
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise OpShapeError(
            f"{op.name}: shapes {left} and {right} do not multiply",
            hint="the last axis of a and the one before the last of b must be equal",
        )
    return (*broadcast(op.name, [left[:-2], right[:-2]]), left[-2], right[-1])


def _fft(op: Op, shapes: Sequence[Shape], params: Mapping[str, Any]) -> Shape:
    shape = shapes[0]
    if op.name == "rfft":
        if shape:
            return (*shape[:-1], shape[-1] // 2 + 1, 2)
    elif len(shape) >= 2 and shape[-1] == 2:
        if op.name == "fft":
            return shape
        length = int(params.get("n") or 0) or 2 * (shape[-2] - 1)
        if length // 2 + 1 == shape[-2]:
            return (*shape[:-2], length)
    raise OpShapeError(
        f"{op.name}: shape {shape} does not fit",
        hint="complex arrays end in (n, 2): real and imaginary parts",
    )


_RULES: dict[str, Callable[[Op, Sequence[Shape], Mapping[str, Any]], Shape]] = {
    "elementwise": lambda op, shapes, params: broadcast(op.name, shapes),
    "fill": _fill,
    "reduce": _reduce,
    "arg_reduce": _arg_reduce,
    "axis": _same,
    "norm": _same,
    "topk": _topk,
    "take": _take,
    "take_along": lambda op, shapes, params: shapes[1],
    "random": _fill,
    "softmax_backward": _same,
    "norm_backward": _same,
    "rope": _same,
    "cross_entropy": lambda op, shapes, params: shapes[0][:-1],
    "cross_entropy_backward": lambda op, shapes, params: shapes[0],
    "concatenate": _concatenate,
    "pad": _pad,
    "partition": _same,
    "searchsorted": lambda op, shapes, params: shapes[1],
    "unique": _flat,
    "masked_select": _flat,
    "categorical": _categorical,
    "permutation": lambda op, shapes, params: _extents(op, "n", (int(params["n"]),)),
    "fft": _fft,
    "irfft": _fft,
    "matmul": _matmul,
    "quantize": _quantize,
    "dequantize": lambda op, shapes, params: (
        *shapes[0][:-1],
        shapes[0][-1] * (2 if op.name.endswith("int4") else 1),
    ),
    "quantized_matmul": lambda op, shapes, params: (*shapes[0][:-1], shapes[1][0]),
    "quantized_matvec": lambda op, shapes, params: shapes[0][:1],
    "conv": _conv,
    "attention": lambda op, shapes, params: shapes[0],
    "attention_decode": lambda op, shapes, params: shapes[0],
}
