"""References of reductions, scans, softmax and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from portgpu.ops.dtypes import DTYPES
from portgpu.ops.registry import AXIS_NONE
from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


def _axes(call: Call) -> tuple[int, ...]:
    rank = call.inputs[0].ndim
    axes = call.params.get("axes")
    return tuple(range(rank)) if not axes else tuple(a % rank for a in axes)


def _terms(x: Array, axes: Sequence[int]) -> int:
    return max(int(math.prod(x.shape[a] for a in axes)), 1)


def _shaped(call: Call, value: Any, index: int = 0) -> Array:
    """Reduced axes of length 1 are kept or dropped as the output's shape says."""
    return np.asarray(value).reshape(call.outputs[index][0])


@reference("sum", "mean", "prod")
def sums(call: Call) -> Sequence[Expected]:
    x, axes = call.inputs[0], _axes(call)
    terms = _terms(x, axes)
    with np.errstate(all="ignore"):
        if x.dtype.kind != "f":
            kind = DTYPES[call.outputs[0][1]].numpy  # wraps as in C
            function = np.prod if call.op == "prod" else np.sum
            return [Expected(_shaped(call, function(x, axes, dtype=kind)))]
        if call.op == "prod":
            value = x.prod(axes)
            return [Expected(_shaped(call, value), terms=terms)]
        count = math.prod(x.shape[a] for a in axes) if call.op == "mean" else 1
        value = x.sum(axes) / np.float64(count)
        scale = np.abs(np.nan_to_num(x, posinf=0, neginf=0)).sum(axes) / np.float64(max(count, 1))
    return [Expected(_shaped(call, value), _shaped(call, scale), terms)]


@reference("min", "max")
def extremes(call: Call) -> Sequence[Expected]:
    x, axes = call.inputs[0], _axes(call)
    value = x.min(axes) if call.op == "min" else x.max(axes)
    return [Expected(_shaped(call, value))]


@reference("any", "all")
def truth(call: Call) -> Sequence[Expected]:
    x, axes = call.inputs[0] != 0, _axes(call)
    return [Expected(_shaped(call, x.any(axes) if call.op == "any" else x.all(axes)))]


@reference("var")
def variance(call: Call) -> Sequence[Expected]:
    x, axes = call.inputs[0], _axes(call)
    count = math.prod(x.shape[a] for a in axes)
    with np.errstate(all="ignore"):
        mean = x.sum(axes, keepdims=True) / np.float64(count)
        squares = ((x - mean) ** 2).sum(axes)
        value = squares / np.float64(max(count - int(call.params.get("ddof", 0)), 0))
        # Condition number of the variance: sqrt(1 + mean^2 / var).
        centre = np.abs(mean).reshape(np.shape(squares))
        scale = np.sqrt(np.abs(value) * (np.abs(value) + centre**2))
    return [Expected(_shaped(call, value), _shaped(call, scale), _terms(x, axes))]


def _shift(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Largest element (0 where that is infinite) and sum of exponentials, axes kept."""
    if math.prod(x.shape[a] for a in axes) == 0:
        shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
        return np.zeros(shape), np.zeros(shape)
    top = x.max(axes, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    return top, np.exp(x - top).sum(axes, keepdims=True)


@reference("logsumexp")
def logsumexp(call: Call) -> Sequence[Expected]:
    x, axes = call.inputs[0], _axes(call)
    with np.errstate(all="ignore"):
        top, total = _shift(x, axes)
        value = top + np.log(total)
        scale = 1 + np.abs(top) + np.abs(np.nan_to_num(np.log(total), neginf=0, posinf=0))
    return [Expected(_shaped(call, value), _shaped(call, scale), _terms(x, axes))]


@reference("softmax", "log_softmax")
def softmax(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    axis = call.params["axis"] % max(x.ndim, 1)
    axes = (axis,) if x.ndim else ()
    with np.errstate(all="ignore"):
        if not x.size:
            return [Expected(x)]
        top = x.max(axes, keepdims=True)
        away = x - top  # nan where both are infinite: a row of -inf, or one that holds +inf
        total = np.exp(away).sum(axes, keepdims=True)
        if call.op == "log_softmax":
            value = away - np.log(total)
            scale = np.abs(away) + np.abs(np.log(total)) + 1
        else:
            value = np.exp(away) / total
            scale = value * (1 + np.abs(away))
    return [Expected(value, np.nan_to_num(scale, posinf=0), _terms(x, axes))]


def _mean(x: Array) -> Array:
    """Mean along the last axis, which is kept; nan for no elements, without a warning."""
    return np.asarray(x.sum(-1, keepdims=True) / np.float64(x.shape[-1]))


def _last(x: Array) -> tuple[Array, int]:
    return x.reshape(1) if x.ndim == 0 else x, max(x.shape[-1] if x.ndim else 1, 1)


@reference("layer_norm")
def layer_norm(call: Call) -> Sequence[Expected]:
    x, weight, bias = call.inputs
    rows, terms = _last(x)
    weight = 1.0 if weight is None else weight
    bias = 0.0 if bias is None else bias
    with np.errstate(all="ignore"):
        mean = _mean(rows)
        inverse = 1 / np.sqrt(_mean((rows - mean) ** 2) + call.params["eps"])
        value = (rows - mean) * inverse * weight + bias
        spread = np.abs(rows) + _mean(np.abs(rows))
        scale = spread * inverse * np.abs(weight) + np.abs(bias)
    return [Expected(_shaped(call, value), _shaped(call, scale), terms)]


@reference("rms_norm")
def rms_norm(call: Call) -> Sequence[Expected]:
    x, weight = call.inputs
    rows, terms = _last(x)
    with np.errstate(all="ignore"):
        inverse = 1 / np.sqrt(_mean(rows**2) + call.params["eps"])
        value = rows * inverse * (1.0 if weight is None else weight)
    return [Expected(_shaped(call, value), terms=terms)]


def _scan(call: Call, x: Array, accumulate: Any, start: Any) -> Array:
    """Inclusive or exclusive running `accumulate` along the axis, forward or from the end."""
    if x.ndim == 0:
        return np.full((), start, x.dtype) if call.params.get("exclusive") else x
    axis = call.params["axis"] % x.ndim
    work = np.flip(x, axis) if call.params.get("reverse") else x
    with np.errstate(all="ignore"):
        done = np.asarray(accumulate(work, axis=axis, dtype=x.dtype))
    if call.params.get("exclusive"):
        first = np.full_like(np.take(done, [0] if done.shape[axis] else [], axis), start)
        kept = np.take(done, np.arange(max(done.shape[axis] - 1, 0)), axis)
        done = np.concatenate([first, kept], axis)
    return np.flip(done, axis) if call.params.get("reverse") else done


@reference("cumsum", "cumprod")
def running_sum(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    terms = max(x.shape[call.params["axis"]] if x.ndim else 1, 1)
    if call.op == "cumprod":
        return [Expected(_scan(call, x, np.multiply.accumulate, 1), terms=terms)]
    value = _scan(call, x, np.add.accumulate, 0)
    if x.dtype.kind != "f":
        return [Expected(value)]
    finite = np.abs(np.nan_to_num(x, posinf=0, neginf=0))
    return [Expected(value, _scan(call, finite, np.add.accumulate, 0), terms)]


@reference("logcumsumexp")
def running_logsumexp(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    with np.errstate(all="ignore"):
        value = _scan(call, x, np.logaddexp.accumulate, -np.inf)
        top = _scan(call, np.nan_to_num(x, neginf=-1e308), np.maximum.accumulate, 0.0)
        size = np.abs(np.nan_to_num(value, posinf=0, neginf=0)) + np.abs(
            np.where(top < -1e300, 0, top)
        )
    return [Expected(value, 1 + size, max(x.shape[call.params["axis"]] if x.ndim else 1, 1))]


@reference("cummin", "cummax")
def running_extreme(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    least = call.op == "cummax"
    start: Any = -np.inf if least else np.inf
    if x.dtype.kind != "f":
        info = np.iinfo(x.dtype)
        start = info.min if least else info.max
    function = np.maximum if least else np.minimum
    return [Expected(_scan(call, x, function.accumulate, start))]


@reference("argmin", "argmax")
def arg_extreme(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    axis = call.params["axis"]
    function = np.argmin if call.op == "argmin" else np.argmax
    if axis == AXIS_NONE or x.ndim == 0:
        return [Expected(_shaped(call, function(x)))]
    return [Expected(_shaped(call, function(x, axis=axis)))]
