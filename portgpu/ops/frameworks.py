"""The caller's framework: its current stream, and new arrays of its own kind."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from portgpu.ops.arrays import CPU, View, root_module
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpDtypeError, OpError

_TORCH = {
    "bool": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32",
    "i32": "int32", "u64": "uint64", "i64": "int64", "f16": "float16", "bf16": "bfloat16",
    "f32": "float32", "f64": "float64",
}  # fmt: skip


def empty(like: Any, seen: View, shape: tuple[int, ...], dtype: DType) -> Any:
    """An uninitialised array of the framework of `like`, on the device of `seen`.

    NumPy for CPU arrays of other frameworks and for plain buffers; a `DeviceArray` is made by the
    caller for device memory of unknown frameworks (None is returned).
    """
    root = root_module(like)
    if root == "torch":
        torch = importlib.import_module("torch")
        return torch.empty(shape, dtype=getattr(torch, _TORCH[dtype.name]), device=like.device)
    if root == "cupy":
        cupy = importlib.import_module("cupy")
        with cupy.cuda.Device(seen.device[1]):
            return cupy.empty(shape, dtype=numpy_dtype(dtype))
    if seen.device[0] == CPU and root != "portgpu":
        return np.empty(shape, numpy_dtype(dtype))
    return None


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """NumPy's type for `dtype`; bf16 needs ml_dtypes."""
    if dtype.name != "bf16":
        return dtype.numpy
    try:
        kind: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        raise OpDtypeError(
            "NumPy has no bfloat16 of its own", hint="pip install ml_dtypes, or pass out="
        ) from None
    return kind


def current_stream(like: Any, seen: View) -> int:
    """Handle of the stream that the framework of `like` works on; 0 is the default stream."""
    if seen.device[0] == CPU:
        return 0
    root = root_module(like)
    if root == "torch":
        torch = importlib.import_module("torch")
        return int(torch.cuda.current_stream(seen.device[1]).cuda_stream)
    if root == "cupy":
        return int(importlib.import_module("cupy").cuda.get_current_stream().ptr)
    return 0


def stream_handle(stream: Any, op: str = "") -> int:
    """Handle of a stream argument: an integer, a PyTorch or CuPy stream, `__cuda_stream__`."""
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if isinstance(value, int):
            return value
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    raise OpError(
        f"{op + ': ' if op else ''}stream: {type(stream).__name__} is not a stream",
        hint="pass an integer handle, or a stream of PyTorch or CuPy",
    )
