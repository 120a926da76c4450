"""Index operands on the cpu target: values outside their axis are an error there."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from portgpu.ops import shapes
from portgpu.ops.arrays import View
from portgpu.ops.errors import OpIndexError
from portgpu.ops.registry import INDEX_TYPES, Op


def check(
    op: Op, views: Sequence[View | None], written: Sequence[View], params: Mapping[str, Any]
) -> None:
    """On the CPU an index outside its axis is an error; devices would have to be waited for."""
    at = next((i for i, t in enumerate(op.inputs) if t.dtypes == INDEX_TYPES), None)
    if at is None or op.param("axis") is None:
        return
    given = views[at]
    indexed = written[0] if op.inout else next(v for i, v in enumerate(views) if v and i != at)
    if given is None or given.size == 0 or given.dtype.name not in INDEX_TYPES:
        return
    rank = len(indexed.shape)
    extent = indexed.shape[shapes.axis(op.name, int(params["axis"]), rank)]
    values = as_numpy(given)
    low, high = int(np.min(values)), int(np.max(values))
    if low < -extent or high >= extent:
        wrong = low if low < -extent else high
        raise OpIndexError(
            f"{op.name}: index {wrong} is outside an axis of {extent} elements",
            hint=f"use {-extent} to {extent - 1}" if extent else "the axis is empty",
        )


def as_numpy(view: View) -> Any:
    """A NumPy array over CPU memory, without a copy."""
    low = sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if s < 0)
    high = sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if s > 0)
    size = view.dtype.size
    memory = (ctypes.c_uint8 * ((high - low + 1) * size)).from_address(view.data + low * size)
    return np.ndarray(
        view.shape,
        view.dtype.numpy,
        buffer=memoryview(memory),
        offset=-low * size,
        strides=tuple(s * size for s in view.strides),
    )
