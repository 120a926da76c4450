"""Random wrong calls: whatever a call says, it refuses with a sentence and writes nothing, or
writes its outputs and nothing else. It never crashes.

A good call is changed in one to three places: pointers, types, ranks, extents, strides, parameters,
workspace, overlaps. Calls that reach outside the memory made for them are not made, since no
library can know; tensors lie in the middle of more room than they need.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from portgpu.ops import abi
from portgpu.ops.dtypes import BY_CODE, DTYPES
from portgpu.ops.registry import Op
from portgpu.testing.values import ArraySpec, fill, place

ROOM = 8192  # bytes around a tensor that changed strides and extents may reach
MOST = 20_000  # elements of a changed tensor
MOST_WORKSPACE = 1 << 26
RANKS = 40  # extents and strides that a descriptor's arrays hold
GUARD = 0xA5
_EXTENTS = (0, 1, 2, 3, -1, 2**62, -(2**63))
_STRIDES = (0, 1, 2, -1, 2**61, -(2**63))
_INTEGERS = (-(2**31), -3, -1, 0, 1, 2, 3, 7, 2**31 - 1)
_NUMBERS = (float("nan"), float("inf"), -1.0, 0.0, 1e-300, 0.5, 1e308)


@dataclass
class Place:
    """One tensor of the call: its descriptor's fields, and the buffer that it lies in."""

    name: str
    image: np.ndarray[Any, Any]
    start: int  # byte of element [0, 0, ...]
    dtype: int
    ndim: int
    shape: list[int] | None
    strides: list[int] | None
    buffer: int = 0  # index of the buffer that `start` counts in
    null: bool = False  # no descriptor
    no_data: bool = False

    def refused_anyway(self) -> bool:
        """Whether every library must refuse this tensor before it looks at the memory."""
        if self.null or self.no_data or self.dtype not in BY_CODE:
            return True
        if not 0 <= self.ndim <= 32 or (self.ndim and self.shape is None):
            return True
        extents = (self.shape or [])[: self.ndim]
        count = 1
        for n in extents:
            count *= max(n, 1)
        return any(n < 0 for n in extents) or (0 not in extents and count > 2**59)

    def footprint(self) -> tuple[int, int] | None:
        """Bytes [low, high) of its buffer that it touches; None when it has no elements."""
        extents = (self.shape or [])[: self.ndim]
        if 0 in extents:
            return None
        size = BY_CODE[self.dtype].size
        low = high = 0
        for n, s in zip(extents, self.steps(), strict=True):
            low, high = low + min(0, (n - 1) * s), high + max(0, (n - 1) * s)
        return self.start + low * size, self.start + (high + 1) * size

    def steps(self) -> list[int]:
        """Its strides in elements."""
        extents = (self.shape or [])[: self.ndim]
        if self.strides is not None:
            return self.strides[: self.ndim]
        steps, step = [], 1
        for n in reversed(extents):
            steps.append(step)
            step *= max(n, 1)
        return steps[::-1]

    def mark(self, touched: np.ndarray[Any, Any]) -> None:
        """Set the bytes of its elements."""
        extents, size = (self.shape or [])[: self.ndim], BY_CODE[self.dtype].size
        if 0 in extents:
            return
        at = np.full((), self.start, np.int64)
        for n, s in zip(extents, self.steps(), strict=True):
            at = at[..., None] + np.arange(n) * (s * size if n > 1 else 0)
        for byte in range(size):
            touched[at.reshape(-1) + byte] = True


@dataclass
class Wrong:
    """A changed call. `changes` says what was done to the good one."""

    places: list[Place]
    params: dict[str, Any]
    changes: list[str]
    workspace: str = ""  # "", "null", "short" or "shift"


def draw(op: Op, specs: Sequence[ArraySpec | None], params: dict[str, Any],
         rng: np.random.Generator) -> Wrong | None:  # fmt: skip
    """A random wrong call, or None when no drawn one can be made safely."""
    for _ in range(50):
        wrong = _draw(op, specs, params, rng)
        if all(_reachable(place, wrong.places) for place in wrong.places):
            return wrong
    return None


def _draw(
    op: Op, specs: Sequence[ArraySpec | None], params: dict[str, Any], rng: np.random.Generator
) -> Wrong:
    places: list[Place] = []
    tensors = (*op.inputs, *op.outputs)
    for index, (declared, spec) in enumerate(zip(tensors, specs, strict=True)):
        if spec is None:
            continue
        output = index >= len(op.inputs) and not op.inout
        placed = place(spec, None if output else fill(spec, rng))
        image = np.full(placed.image.nbytes + 2 * ROOM, GUARD, np.uint8)
        image[ROOM : ROOM + placed.image.nbytes] = placed.image
        pad = RANKS - len(spec.shape)
        places.append(
            Place(declared.name, image, ROOM + placed.start, DTYPES[spec.dtype].code,
                  len(spec.shape), [*spec.shape, *[2] * pad], [*placed.strides, *[1] * pad],
                  len(places))
        )  # fmt: skip
    wrong = Wrong(places, dict(params), [])
    for _ in range(int(rng.integers(1, 4))):
        if op.params and rng.random() < 0.25:
            _change_param(op, wrong, rng)
        elif op.workspace and rng.random() < 0.1:
            wrong.workspace = str(rng.choice(["null", "short", "shift"]))
            wrong.changes.append(f"workspace {wrong.workspace}")
        else:
            _change_tensor(wrong, int(rng.integers(len(places))), rng)
    return wrong


def _change_tensor(wrong: Wrong, index: int, rng: np.random.Generator) -> None:
    it = wrong.places[index]
    size = BY_CODE[it.dtype].size if it.dtype in BY_CODE else 4
    d = int(rng.integers(max(it.ndim, 1))) if 0 <= it.ndim <= RANKS else 0
    kind = int(rng.integers(13))
    said = ""
    if kind == 0:
        it.null, said = True, "NULL"
    elif kind == 1:
        it.no_data, said = True, "no data"
    elif kind == 2:
        it.start += int(rng.choice([1, -1, size, -size, 16]))
        said = "moved"
    elif kind in (3, 4):
        it.dtype = int(rng.integers(-2, 15))
        said = f"dtype {it.dtype}"
    elif kind == 5:
        it.ndim = int(rng.choice([it.ndim - 1, it.ndim + 1, 0, 1, 33, -1, -(2**31)]))
        said = f"ndim {it.ndim}"
    elif kind in (6, 7, 8) and it.shape:
        n = it.shape[d]
        it.shape[d] = int(rng.choice([*_EXTENTS, n - 1, n + 1]))
        said = f"shape[{d}] {it.shape[d]}"
    elif kind in (9, 10) and it.strides:
        s = it.strides[d]
        it.strides[d] = int(rng.choice([*_STRIDES, -s, s + 1, 2 * s]))
        said = f"strides[{d}] {it.strides[d]}"
    elif kind == 11:
        it.shape, it.strides = (None, it.strides) if rng.random() < 0.3 else (it.shape, None)
        said = "no strides" if it.shape else "no shape"
    else:
        other = wrong.places[int(rng.integers(len(wrong.places)))]
        it.buffer, it.start = other.buffer, other.start + int(rng.choice([0, 0, size]))
        said = f"in {other.name}"
    wrong.changes.append(f"{it.name} {said}")


def _change_param(op: Op, wrong: Wrong, rng: np.random.Generator) -> None:
    param = op.params[int(rng.integers(len(op.params)))]
    value: Any
    if param.type == "axes":
        value = [None, (), (0, 0), (5,), (-1,), (1, 0), (0,) * 33, (2**31 - 1,), (-(2**31), 1)][
            int(rng.integers(9))
        ]
    elif param.type == "f64":
        value = float(rng.choice(_NUMBERS))
    else:
        value = int(
            rng.choice(_INTEGERS if param.name != "steps" else _INTEGERS[:-1])
        )  # many: long
        if param.type == "i64" and rng.random() < 0.3:
            value *= 2**32
    wrong.params[param.name] = value
    wrong.changes.append(f"{param.name} {value}")


def _reachable(it: Place, places: Sequence[Place]) -> bool:
    """Whether the library may look at the tensor: it stays in its buffer, and is not large."""
    if it.refused_anyway():
        return True
    touched = it.footprint()
    extents = (it.shape or [])[: it.ndim]
    count = 1
    for n in extents:
        count *= n
    if touched is None:
        return True
    return count <= MOST and touched[0] >= 0 and touched[1] <= places[it.buffer].image.nbytes


def descriptor(it: Place, address: int) -> tuple[abi.PgTensor | None, Any]:
    """The C descriptor, and what it points into."""
    if it.null:
        return None, None
    dims = ctypes.c_int64 * RANKS
    pointer = ctypes.POINTER(ctypes.c_int64)
    shape = None if it.shape is None else dims(*it.shape)
    strides = None if it.strides is None else dims(*it.strides)
    tensor = abi.PgTensor(
        None if it.no_data else address + it.start, it.dtype, it.ndim,
        ctypes.cast(shape, pointer) if shape is not None else None,
        ctypes.cast(strides, pointer) if strides is not None else None,
    )  # fmt: skip
    return tensor, (shape, strides)


def judge(
    op: Op, wrong: Wrong, status: int, sentence: str, after: Sequence[np.ndarray[Any, Any]]
) -> str:
    """What is wrong with how a call ended; empty when nothing is."""
    if status not in abi.STATUS and status != 0:
        return f"returned {status}, which is no status"
    name = abi.STATUS[status][0] if status else "PG_OK"
    if status == abi.ERR_DEVICE:
        return f"reached the device runtime before it was refused: {sentence}"
    if status and len(sentence.split()) < 3:
        return f"{name} came without a sentence: {sentence!r}"
    outputs = {t.name for t in op.outputs}
    for index, (owner, image) in enumerate(zip(wrong.places, after, strict=True)):
        changed = image != owner.image
        if status == 0:
            allowed = np.zeros(changed.shape, bool)
            for it in wrong.places:
                if it.name in outputs and it.buffer == index and not it.null:
                    it.mark(allowed)
            changed &= ~allowed
        if changed.any():
            at = int(np.argmax(changed)) - owner.start
            what = f"refused the call ({sentence})" if status else "accepted the call"
            return f"{what} but wrote to the buffer of {owner.name}, at byte {at}"
    return ""
