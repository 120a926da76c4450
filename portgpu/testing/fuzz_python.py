"""Random wrong calls of the Python functions: an exception of portgpu's with a sentence and nothing
written, or a result; never a crash, and never an exception that was not meant for the caller.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from portgpu.errors import PortgpuError
from portgpu.ops import DeviceArray, Ops
from portgpu.ops.dtypes import DTYPES
from portgpu.ops.frameworks import numpy_dtype
from portgpu.ops.functions import EXTRA, chooses_dtype
from portgpu.ops.registry import Op
from portgpu.testing.cases import Builder, Case
from portgpu.testing.plan_shapes import typical
from portgpu.testing.values import fill

Arguments = dict[str, Any]


class Elsewhere:
    """An array that says that it is on a device which no library of ours can reach."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (7, 0)  # Vulkan

    def __dlpack__(self, **more: Any) -> Any:
        raise BufferError("cannot be exported")


def good_call(op: Op) -> Arguments:
    """Keyword arguments of a small good call, with NumPy arrays; results are in `out`."""
    case = typical(Builder(op, op.core_types[0], "default", "core", True, 0))
    rng = np.random.default_rng(zlib.crc32(op.name.encode()))
    call: Arguments = {}
    tensors = zip((*op.inputs, *op.outputs), (*case.inputs, *case.outputs), strict=True)
    for declared, spec in tensors:
        if spec is None:
            continue
        output = declared in op.outputs and not op.inout
        values = np.zeros(spec.shape) if output else fill(spec, rng)
        call[declared.name] = np.array(values).astype(numpy_dtype(DTYPES[spec.dtype]))
    outs = tuple(call.pop(t.name) for t in op.outputs) if not op.inout else ()
    for param in op.params:
        value = case.params.get(param.name, param.default)
        if param.choices and isinstance(value, int):
            value = param.choices[value]
        if value is not None:
            call[param.name] = value
    if outs:
        call |= _extra(op, case, outs[0].shape)
        call["out"] = outs if len(outs) > 1 else outs[0]
        if chooses_dtype(op):
            kind = outs[-1].dtype
            call["dtype"] = next(d.name for d in DTYPES.values() if numpy_dtype(d) == kind)
    return call


def _extra(op: Op, case: Case, shape: tuple[int, ...]) -> Arguments:
    """Arguments that only the Python function has, for a result of `shape`."""
    first = case.inputs[0].shape if case.inputs and case.inputs[0] else ()
    sides = zip(shape, first, case.params.get("before") or (), strict=False)
    values: Arguments = {
        "shape": shape,
        "n": (shape or (0,))[-1 if op.shape == "irfft" else 0],
        "k": (shape or (0,))[-1],
        "size": shape[1:-1],
        "keepdims": False,
        "group": 16,
        "after": tuple(now - old - before for now, old, before in sides),
    }
    return {p.name: values[p.name] for p in EXTRA.get(op.shape, ()) if p.name in values}


def wrong_calls(op: Op, rng: np.random.Generator, count: int) -> Iterator[tuple[str, Arguments]]:
    """Calls with one or two changed arguments, and what was changed."""
    good = good_call(op)
    for _ in range(count):
        call = {name: _copied(value) for name, value in good.items()}
        if not op.inout and rng.random() < 0.5:
            del call["out"]  # the shape of the result is found out
        said = [_change(call, good, rng) for _ in range(int(rng.integers(1, 3)))]
        yield "; ".join(said), call


def _copied(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
        return tuple(part.copy() for part in value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _change(call: Arguments, good: Arguments, rng: np.random.Generator) -> str:
    name = str(rng.choice([*call, "unknown", "stream"]))
    value = _copied(good.get(name))
    if name == "unknown":
        call["no_such_argument"] = 1
        return "an unknown argument"
    if name == "stream":
        call["stream"] = [_ANY["text"], _ANY["object"], _ANY["huge"], 1.5][int(rng.integers(4))]
        return f"stream {call['stream']!r}"
    if rng.random() < 0.1:
        call.pop(name, None)
        return f"no {name}"
    pool: dict[str, Any]
    if isinstance(value, np.ndarray):
        pool = {**_ANY, **{label: make(value) for label, make in _ARRAYS.items()}}
    elif name == "out":
        pool = {**_ANY, "one": value[0], "reversed": value[::-1], "many": (*value, value[0])}
    else:
        pool = _ANY
    label = str(rng.choice(list(pool)))
    call[name] = pool[label]
    return f"{name} {label}"


_ANY: dict[str, Any] = {
    "none": None, "text": "text", "bytes": b"xx", "object": object(), "type": int, "function": len,
    "list": [1, 2], "empty list": [], "tuple": (0, 0), "nested": ((1,), (2,)), "dict": {},
    "minus": -5, "large": 99, "wide": 2**40, "huge": 10**400, "nan": float("nan"), "half": 0.5,
    "true": True, "numpy integer": np.int64(1), "numpy float": np.float32(1),
    "elsewhere": Elsewhere(), "strings": np.array(["a"]), "objects": np.array([None]),
    "complex": np.zeros((6, 10), np.complex64),
}  # fmt: skip


def _frozen(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def _uneven(x: Any) -> Any:
    if x.itemsize == 1 or not x.ndim:
        return x
    wide = np.zeros(x.shape, np.dtype([("a", x.dtype), ("b", np.uint8)]))
    return wide["a"]


_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "longer": lambda x: np.zeros((*x.shape[:-1], (x.shape or (1,))[-1] + 1), x.dtype),
    "deeper": lambda x: np.zeros((2, *x.shape), x.dtype),
    "flat": lambda x: x.reshape(-1),
    "scalar": lambda x: x.reshape(-1)[:1].reshape(()),
    "empty": lambda x: x[:0] if x.ndim else np.zeros(0, x.dtype),
    "33 axes": lambda x: x.reshape((*[1] * (33 - x.ndim), *x.shape)) if x.ndim < 3 else x,
    "f64": lambda x: x.astype(np.float64),
    "i16": lambda x: np.zeros(x.shape, np.int16),
    "bool": lambda x: np.zeros(x.shape, bool),
    "swapped bytes": lambda x: x.astype(x.dtype.newbyteorder()),
    "uneven strides": _uneven,
    "read-only": _frozen,
    "backwards": lambda x: x[::-1] if x.ndim else x,
    "turned": lambda x: x.T.copy().T,
    "repeated": lambda x: np.broadcast_to(x.reshape(-1)[:1].reshape((1,) * x.ndim), x.shape),
    "far indices": lambda x: np.full(x.shape, 100).astype(x.dtype),
}  # fmt: skip


def outcomes(ops: Ops, op: Op, seed: int, count: int) -> Iterator[tuple[str, str, str]]:
    """Make `count` random wrong calls of one op. For each: what was wrong, how it ended (the name
    of the exception, or "result"), and what is wrong with that ("" when nothing is)."""
    rng = np.random.default_rng([seed, zlib.crc32(op.name.encode())])
    function = getattr(ops, op.name)
    for said, call in wrong_calls(op, rng, count):
        given = call
        if ops.target != "cpu":
            given = {name: _moved(ops, value) for name, value in call.items()}
        watched = list(_arrays(given))
        before = [_host(array).tobytes() for array in watched]
        ended, problem = "result", ""
        try:
            function(**given)
        except Exception as error:
            ended = type(error).__name__
            text = str(getattr(error, "message", error))
            if not isinstance(error, PortgpuError | TypeError):
                problem = f"{ended}: {text}"
            elif len(text.split()) < 3:
                problem = f"{ended} without a sentence: {text}"
            elif [_host(array).tobytes() for array in watched] != before:
                problem = "refused, but wrote to an array"
        yield f"{op.name}({said})", ended, problem


def _arrays(call: Arguments) -> Iterator[Any]:
    for value in call.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, DeviceArray) or (
                isinstance(part, np.ndarray) and part.dtype.kind not in "OUSV"
            ):
                yield part


def _host(array: Any) -> Any:
    return array.numpy() if isinstance(array, DeviceArray) else array


def _moved(ops: Ops, value: Any) -> Any:
    """On the device what can be there; a DeviceArray is contiguous and writable."""
    if isinstance(value, tuple):
        return tuple(_moved(ops, part) for part in value)
    if not isinstance(value, np.ndarray) or value.ndim > 8:
        return value
    try:
        return ops.array(value)
    except (PortgpuError, TypeError):
        return value
