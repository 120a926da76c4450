"""References of concatenation, padding, searches, unique values, masks and random choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference
from portgpu.testing.reference.elementwise import convert
from portgpu.testing.reference.ordering import argsort, sort
from portgpu.testing.reference.random import counter_words, permutation_words


@reference("concatenate")
def concatenate(call: Call) -> Sequence[Expected]:
    parts = [x for x in call.inputs if x is not None]
    return [Expected(np.concatenate(parts, call.params["axis"]), zero_sign=True)]


@reference("pad")
def pad(call: Call) -> Sequence[Expected]:
    x, shape = call.inputs[0], call.outputs[0][0]
    before = call.params["before"] or (0,) * x.ndim
    sides = [(b, o - n - b) for b, o, n in zip(before, shape, x.shape, strict=True)]
    if call.params["mode"] == 0:
        with np.errstate(all="ignore"):
            value = convert(np.array(float(call.params["value"])), call.dtype)
        done = np.full(shape, value, x.dtype)
        done[tuple(slice(b, b + n) for b, n in zip(before, x.shape, strict=True))] = x
    else:
        mode: Any = ("", "edge", "reflect", "wrap")[call.params["mode"]]
        done = np.pad(x, sides, mode) if x.ndim else x
    return [Expected(done, zero_sign=True)]


@reference("partition")
def partition(call: Call) -> Sequence[Expected]:
    return sort(call)


@reference("argpartition")
def argpartition(call: Call) -> Sequence[Expected]:
    return argsort(call)


@reference("searchsorted")
def searchsorted(call: Call) -> Sequence[Expected]:
    rows, values, sorter = call.inputs
    side: Any = "right" if call.params["right"] else "left"
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter.astype(np.int64), -1)
    if rows.ndim == 1:
        return [Expected(np.searchsorted(rows, values, side))]
    found = np.zeros(values.shape, np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        found[at] = np.searchsorted(rows[at], values[at], side)
    return [Expected(found)]


def _filled(values: Array, length: int) -> Array:
    """`values` and zeros behind them."""
    done = np.zeros(length, values.dtype)
    done[: values.size] = values
    return done


@reference("unique")
def unique(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    flat = x.reshape(-1)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    new = np.ones(flat.size, bool)
    with np.errstate(invalid="ignore"):
        new[1:] = (ordered[1:] != ordered[:-1]) & ~(
            (ordered[1:] != ordered[1:]) & (ordered[:-1] != ordered[:-1])
        )
    starts = np.flatnonzero(new)
    inverse = np.empty(flat.size, np.int64)
    inverse[order] = np.cumsum(new) - 1
    counts = np.diff(np.append(starts, flat.size))
    return [
        Expected(_filled(ordered[starts], flat.size), zero_sign=True),
        Expected(_filled(counts, flat.size)),
        Expected(inverse.reshape(x.shape)),
        Expected(np.array(starts.size)),
    ]


@reference("masked_select")
def masked_select(call: Call) -> Sequence[Expected]:
    x, mask = call.inputs
    kept = x[np.broadcast_to(mask, x.shape)].reshape(-1)
    return [Expected(_filled(kept, x.size), zero_sign=True), Expected(np.array(kept.size))]


@reference("flat_nonzero")
def flat_nonzero(call: Call) -> Sequence[Expected]:
    x = call.inputs[0]
    found = np.flatnonzero(x)
    return [Expected(_filled(found, x.size)), Expected(np.array(found.size))]


@reference("masked_scatter")
def masked_scatter(call: Call) -> Sequence[Expected]:
    mask, source = call.inputs
    out = np.array(call.initial[0])
    places = np.flatnonzero(np.broadcast_to(mask, out.shape))[: source.size]
    flat = out.reshape(-1)
    flat[places] = source.reshape(-1)[: places.size]
    return [Expected(flat.reshape(out.shape), zero_sign=True)]


@reference("categorical")
def categorical(call: Call) -> Sequence[Expected]:
    logits = call.inputs[0]
    axis = call.params["axis"] % logits.ndim
    high, low = counter_words(call.params, logits.size, call.dtype == "f64")
    if call.dtype == "f64":
        unit = ((high << np.uint64(32) | low) >> np.uint64(12)) * 2.0**-52
        unit = np.maximum(unit, 2.0**-1022)
    else:
        unit = np.maximum((high >> np.uint64(9)) * 2.0**-23, 2.0**-126)
    with np.errstate(all="ignore"):
        noise = -np.log(-np.log(unit)).reshape(logits.shape)
        total = logits + noise
        first = np.argmax(total, axis)
        # Where the library's rounding may decide, the runner-up is right too.
        best = np.take_along_axis(total, np.expand_dims(first, axis), axis)
        others = total.copy()
        np.put_along_axis(others, np.expand_dims(first, axis), -np.inf, axis)
        second = np.argmax(others, axis)
        gap = best - np.take_along_axis(others, np.expand_dims(second, axis), axis)
        doubt = gap < 1e-6 * (
            1 + np.abs(best) + np.abs(np.take_along_axis(noise, np.expand_dims(first, axis), axis))
        )
        also = np.where(doubt.squeeze(axis) & np.isfinite(best).squeeze(axis), second, first)
    return [Expected(first, also=also)]


@reference("permutation")
def permutation(call: Call) -> Sequence[Expected]:
    count = call.outputs[0][0][0]
    order = np.arange(count)
    rounds = math.ceil(3 * math.log(max(count, 1)) / math.log(2**32 - 1))
    for words in permutation_words(call.params, count, rounds):
        order = order[np.argsort(words, kind="stable")]
    return [Expected(order)]
