"""Python numbers as operands: arrays of one element, made once and kept.

A number that comes again costs neither memory nor a copy, and can be used during a capture.
"""

from __future__ import annotations

import math
import struct
import threading
from typing import Any

import numpy as np

from portgpu.ops.abi import Library
from portgpu.ops.arrays import View
from portgpu.ops.device_array import DeviceArray
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpValueError

_MOST = 256  # also what the compiled binding remembers


class Numbers:
    """Constants of one library by value, element type and device."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._arrays: dict[tuple[bytes, int, int], DeviceArray] = {}
        self._lock = threading.Lock()
        self.binding: Any = None  # told about every number that is kept

    def view(self, name: str, value: float, dtype: DType, device: tuple[int, int]) -> View:
        """`value` as an array without dimensions, beside arrays on `device`."""
        exact = not isinstance(value, int) or abs(value) < 1 << 53
        key = (struct.pack("=d", value) if exact else b"", dtype.code, device[1])
        with self._lock:
            array = self._arrays.get(key) if exact else None
            if array is None:
                array = self._make(name, value, dtype, device[1])
                if exact and len(self._arrays) < _MOST:
                    self._arrays[key] = array
                    if self.binding is not None:
                        self.binding.add_number(value, dtype.code, device[1], array.address)
        return View(array.address, dtype, (), (), device, array, False)

    def _make(self, name: str, value: float, dtype: DType, device: int) -> DeviceArray:
        host = stored(name, value, dtype)
        library = self._library
        before = library.get_device() if library.target != "cpu" else device
        if before != device:
            library.set_device(device)
        stream = library.current_stream()
        library.use_stream(0)  # a stream that is being captured takes no copies
        try:
            array = DeviceArray(library, (), dtype)
            library.memcpy(array.address, host.ctypes.data, host.nbytes, 0)
            library.synchronize()
        finally:
            library.use_stream(stream)
            if before != device:
                library.set_device(before)
        return array

    def clear(self) -> None:
        """Forget all; no op that uses one may be running."""
        with self._lock:
            if self.binding is not None:
                self.binding.drop_numbers()
            self._arrays.clear()


def stored(name: str, value: float, dtype: DType) -> Any:
    """The bits of `value` in its element type: rounded for floats, exact for others.

    Raises `OpValueError` for a number that the type cannot hold: 2.5 or 300 as i8, 2 as bool.
    """
    try:
        if dtype.name == "bf16":
            return _bfloat16(value)
        with np.errstate(over="ignore"):
            host = np.asarray(value, dtype.numpy)
    except (OverflowError, ValueError):
        host = None
    if host is None or (dtype.kind != "f" and host.item() != value):
        text = repr(value)
        shown = text if len(text) <= 40 else f"{text[:20]}..."
        raise OpValueError(
            f"{name}: {shown} does not fit into {dtype}, the other operand's type",
            hint="cast the other operand first",
        )
    return host


def _bfloat16(value: float) -> Any:
    """Rounded to nearest even by way of f32, as `cast` does from f32."""
    with np.errstate(over="ignore"):
        bits = int(np.asarray(value, np.float32).view(np.uint32))
    if math.isnan(value):
        return np.asarray(0x7FC0, np.uint16)
    return np.asarray((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF, np.uint16)
