"""References of sorts, gathers and scatters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


def _order(x: Array, axis: int, descending: bool) -> Array:
    """Indices of a stable sort; NaN last either way, -0 equals +0."""
    if not descending:
        key = x
    elif x.dtype.kind == "f":
        key = -x
    else:
        key = ~x  # reverses the order of signed and unsigned integers and of bool
    return np.asarray(np.argsort(key, axis=axis, kind="stable"))


def _axis(call: Call) -> int:
    return int(call.params["axis"])


def _sorted(call: Call, x: Array, descending: bool) -> tuple[Array, Array]:
    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    order = _order(x, _axis(call), descending)
    return np.take_along_axis(x, order, _axis(call)), order


@reference("sort")
def sort(call: Call) -> Sequence[Expected]:
    values, _ = _sorted(call, call.inputs[0], bool(call.params.get("descending")))
    return [Expected(values, zero_sign=True)]  # stable: zeros keep their order and signs


@reference("argsort")
def argsort(call: Call) -> Sequence[Expected]:
    return [Expected(_sorted(call, call.inputs[0], bool(call.params.get("descending")))[1])]


@reference("sort_with_indices")
def sort_with_indices(call: Call) -> Sequence[Expected]:
    values, order = _sorted(call, call.inputs[0], bool(call.params.get("descending")))
    return [Expected(values, zero_sign=True), Expected(order)]


@reference("topk")
def topk(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    values, order = _sorted(call, x, bool(call.params.get("largest", True)))
    if x.ndim == 0:
        return [Expected(values, zero_sign=True), Expected(order)]
    kept = np.arange(call.outputs[0][0][_axis(call)])
    return [
        Expected(np.take(values, kept, _axis(call))),
        Expected(np.take(order, kept, _axis(call))),
    ]


def _wrap(indices: Array, extent: int) -> tuple[Array, Array]:
    """(usable index, whether it is inside): negative ones count from the end."""
    wide = indices.astype(object) if indices.dtype == np.uint64 else indices.astype(np.int64)
    wrapped = np.where(wide < 0, wide + extent, wide)
    inside = np.asarray((wrapped >= 0) & (wrapped < extent), bool)
    return np.where(inside, wrapped, 0).astype(np.int64), inside


@reference("take")
def take(call: Call) -> Sequence[Expected]:
    x, indices = call.inputs
    axis = _axis(call) % x.ndim
    if x.shape[axis] == 0:
        return [Expected(np.zeros(call.outputs[0][0], x.dtype), zero_sign=True)]
    usable, inside = _wrap(indices, x.shape[axis])
    shape = [1] * axis + list(indices.shape) + [1] * (x.ndim - axis - 1)
    taken = x[(*[slice(None)] * axis, usable)]  # numpy.take would copy a repeated x
    value = np.where(inside.reshape(shape), taken, 0).astype(x.dtype)
    return [Expected(value, zero_sign=True)]


@reference("take_along")
def take_along(call: Call) -> Sequence[Expected]:
    x, indices = call.inputs
    axis = _axis(call)
    if x.shape[axis] == 0 or indices.size == 0:
        return [Expected(np.zeros(call.outputs[0][0], x.dtype), zero_sign=True)]
    usable, inside = _wrap(indices, x.shape[axis])
    value = np.where(inside, np.take_along_axis(x, usable, axis), 0).astype(x.dtype)
    return [Expected(value, zero_sign=True)]


_COMBINE: dict[str, np.ufunc] = {
    "scatter_add": np.add, "scatter_mul": np.multiply,
    "scatter_min": np.minimum, "scatter_max": np.maximum,
}  # fmt: skip


@reference("scatter_set", *_COMBINE)
def scatter(call: Call) -> Sequence[Expected]:
    indices, updates = call.inputs
    out = np.array(call.initial[0])
    axis = _axis(call) % out.ndim
    usable, inside = _wrap(indices.reshape(-1), out.shape[axis])
    rows = np.moveaxis(out, axis, 0)  # a view of out
    shape = (*updates.shape[:axis], indices.size, *updates.shape[axis + indices.ndim :])
    moved = np.moveaxis(updates.reshape(shape), axis, 0)[inside]
    targets = usable[inside]
    if call.op == "scatter_set":
        for target, row in zip(targets, moved, strict=True):  # in order: the last wins
            rows[target] = row
        return [Expected(out, zero_sign=True)]
    finite = np.abs(np.nan_to_num(out.astype(np.float64), posinf=0, neginf=0))
    terms = 1 + int(np.bincount(targets).max()) if targets.size else 1
    with np.errstate(all="ignore"):
        _COMBINE[call.op].at(rows, targets, moved)
        if out.dtype.kind != "f" or call.op in ("scatter_min", "scatter_max"):
            return [Expected(out)]
        if call.op == "scatter_mul":
            return [Expected(out, terms=terms)]
        sizes = np.abs(np.nan_to_num(moved, posinf=0, neginf=0))
        np.add.at(np.moveaxis(finite, axis, 0), targets, sizes)
    return [Expected(out, finite, terms)]


@reference("put_along", "add_along")
def put_along(call: Call) -> Sequence[Expected]:
    indices, updates = call.inputs
    out = np.array(call.initial[0])
    axis = _axis(call) % out.ndim
    usable, inside = _wrap(indices, out.shape[axis])
    finite = np.abs(np.nan_to_num(out.astype(np.float64), posinf=0, neginf=0))
    counts = np.zeros(out.shape, np.int64)
    if indices.size and out.size:
        places = list(np.indices(indices.shape))
        places[axis] = usable
        at = tuple(p[inside] for p in places)  # in C order: the last wins
        if call.op == "put_along":
            for place, value in zip(zip(*at, strict=True), updates[inside], strict=True):
                out[place] = value
            return [Expected(out, zero_sign=True)]
        np.add.at(out, at, updates[inside])
        np.add.at(finite, at, np.abs(updates[inside]).astype(np.float64))
        np.add.at(counts, at, 1)
    if out.dtype.kind != "f":
        return [Expected(out)]
    return [Expected(out, finite, 1 + int(counts.max(initial=0)))]
