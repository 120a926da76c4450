"""The op library from Python: functions on NumPy, PyTorch, CuPy and other arrays, without copies.

    import portgpu.ops
    ops = portgpu.ops.load("cuda")      # or "rocm", "cpu"
    y = ops.softmax(x, axis=-1)         # x: anything with DLPack or the buffer protocol

Results are arrays of the caller's framework, on the caller's current stream. Needs NumPy.
"""

from __future__ import annotations

from portgpu.ops.device_array import DeviceArray
from portgpu.ops.errors import (
    OpAxisError,
    OpDeviceError,
    OpDtypeError,
    OpError,
    OpIndexError,
    OpMemoryError,
    OpNullError,
    OpShapeError,
    OpStrideError,
    OpUnsupportedError,
    OpValueError,
    OpWorkspaceError,
)
from portgpu.ops.loader import Ops, load

__all__ = [
    "DeviceArray",
    "OpAxisError",
    "OpDeviceError",
    "OpDtypeError",
    "OpError",
    "OpIndexError",
    "OpMemoryError",
    "OpNullError",
    "OpShapeError",
    "OpStrideError",
    "OpUnsupportedError",
    "OpValueError",
    "OpWorkspaceError",
    "Ops",
    "load",
]
