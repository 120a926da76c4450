"""References of convolutions: sums over the taps of the kernel, products of shifted arrays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


def _parameter(call: Call, name: str, spatial: int, usual: int) -> tuple[int, ...]:
    given = call.params.get(name)
    return tuple(given) if given else (usual,) * spatial


def _taps(call: Call, x: Sequence[int], kernel: Sequence[int], y: Sequence[int]) -> Iterator[
    tuple[tuple[int, ...], tuple[slice, ...], tuple[slice, ...]]
]:  # fmt: skip
    """Each tap, and the spatial parts of x and y that it joins."""
    spatial = len(kernel)
    step = _parameter(call, "stride", spatial, 1)
    pad = _parameter(call, "padding", spatial, 0)
    dilation = _parameter(call, "dilation", spatial, 1)
    for tap in itertools.product(*map(range, kernel)):
        xs, ys = [], []
        for d in range(spatial):
            shift = tap[d] * dilation[d] - pad[d]  # x = y * step + shift
            low = max(-(shift // step[d]), 0) if shift < 0 else 0
            high = min((x[d] - 1 - shift) // step[d] + 1, y[d])
            high = max(high, low)
            ys.append(slice(low, high))
            start = low * step[d] + shift
            xs.append(slice(start, start + (high - low - 1) * step[d] + 1 if high > low else start,
                            step[d]))  # fmt: skip
        yield tap, tuple(xs), tuple(ys)


def _at(tap: tuple[int, ...]) -> Any:
    """Index of a tap in a weight with its filters in groups."""
    return (slice(None), slice(None), *tap)


def _grouped(x: Array, groups: int) -> Array:
    """The last axis as (groups, channels of a group)."""
    return x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups)


def _forward(call: Call, x: Array, weight: Array, out: tuple[int, ...]) -> Array:
    groups = call.params["groups"]
    y = np.zeros((*out[:-1], groups, out[-1] // groups))
    xg = _grouped(x, groups)
    wg = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    for tap, xs, ys in _taps(call, x.shape[1:-1], weight.shape[1:-1], out[1:-1]):
        part = wg[_at(tap)]
        y[(slice(None), *ys)] += np.einsum("...gc,goc->...go", xg[(slice(None), *xs)], part)
    return y.reshape(out)


def _by_input(call: Call, dout: Array, weight: Array, shape: tuple[int, ...]) -> Array:
    groups = call.params["groups"]
    dx = np.zeros((*shape[:-1], groups, shape[-1] // groups))
    dg = _grouped(dout, groups)
    wg = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
    for tap, xs, ys in _taps(call, shape[1:-1], weight.shape[1:-1], dout.shape[1:-1]):
        part = wg[_at(tap)]
        dx[(slice(None), *xs)] += np.einsum("...go,goc->...gc", dg[(slice(None), *ys)], part)
    return dx.reshape(shape)


def _by_weight(call: Call, x: Array, dout: Array, shape: tuple[int, ...]) -> Array:
    groups = call.params["groups"]
    dw = np.zeros((groups, shape[0] // groups, *shape[1:]))
    xg, dg = _grouped(x, groups), _grouped(dout, groups)
    for tap, xs, ys in _taps(call, x.shape[1:-1], shape[1:-1], dout.shape[1:-1]):
        left, right = dg[(slice(None), *ys)], xg[(slice(None), *xs)]
        left, right = left.reshape(-1, *left.shape[-2:]), right.reshape(-1, *right.shape[-2:])
        dw[_at(tap)] = np.einsum("ngo,ngc->goc", left, right)
    return dw.reshape(shape)


@reference("conv")
def conv(call: Call) -> Sequence[Expected]:
    x, weight, bias = call.inputs
    shape = call.outputs[0][0]
    with np.errstate(all="ignore"):
        value = _forward(call, x, weight, shape)
        scale = _forward(call, np.abs(x), np.abs(weight), shape)
        if bias is not None:
            value, scale = value + bias, scale + np.abs(bias)
    return [Expected(value, scale, math.prod(weight.shape[1:]) + 1)]


@reference("conv_backward_input")
def conv_backward_input(call: Call) -> Sequence[Expected]:
    dout, weight = call.inputs
    shape = call.outputs[0][0]
    value = _by_input(call, dout, weight, shape)
    scale = _by_input(call, np.abs(dout), np.abs(weight), shape)
    return [Expected(value, scale, max(math.prod(weight.shape[:-1]), 1))]


@reference("conv_backward_weight")
def conv_backward_weight(call: Call) -> Sequence[Expected]:
    x, dout = call.inputs
    shape = call.outputs[0][0]
    value = _by_weight(call, x, dout, shape)
    scale = _by_weight(call, np.abs(x), np.abs(dout), shape)
    return [Expected(value, scale, max(math.prod(dout.shape[:-1]), 1))]
