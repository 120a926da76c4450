"""`DeviceArray`: device memory of an op library, for use without any other framework."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from portgpu.ops import abi, arrays, frameworks
from portgpu.ops.arrays import DLDataType, DLDevice, DLTensor, View, contiguous_strides
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpError

_DEVICE = {"cuda": arrays.CUDA, "rocm": arrays.ROCM, "cpu": arrays.CPU}


class _Managed(ctypes.Structure):
    """DLManagedTensor."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, _Destructor)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = ctypes.c_int
_is_valid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)

# Exports that a consumer still holds: address of the managed tensor -> what must stay alive.
_exports: dict[int, tuple[Any, ...]] = {}


def _release(managed: Any) -> None:
    _exports.pop(ctypes.addressof(managed.contents), None)


def _drop(capsule: int) -> None:
    # Called for capsules nobody consumed: a consumer renames them and calls the deleter itself.
    if _is_valid(capsule, b"dltensor"):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        _exports.pop(pointer(ctypes.cast(capsule, ctypes.py_object), b"dltensor"), None)


_deleter = _Deleter(_release)
_destructor = _Destructor(_drop)


class DeviceArray:
    """A C-contiguous array in the memory of one op library. Speaks DLPack; no arithmetic.

    Made by `Ops.array` and by ops whose input has no framework of its own. Memory is freed with
    the last reference.
    """

    __slots__ = ("__weakref__", "_address", "_library", "device_id", "pg_dtype", "shape")

    def __init__(self, library: abi.Library, shape: tuple[int, ...], dtype: DType) -> None:
        self._address = 0
        self._library = library
        self.shape = shape
        self.pg_dtype = dtype
        self.device_id = library.get_device()
        self._address = library.malloc(max(self.nbytes, 1))

    @classmethod
    def empty(cls, library: abi.Library, shape: tuple[int, ...], dtype: DType) -> DeviceArray:
        """An uninitialised array."""
        return cls(library, tuple(shape), dtype)

    @classmethod
    def from_host(cls, library: abi.Library, array: Any) -> DeviceArray:
        """A copy of a host array (anything `portgpu.ops.arrays.view` reads in CPU memory)."""
        host = np.ascontiguousarray(array)
        seen = arrays.view(host, "array")
        made = cls(library, host.shape, seen.dtype)
        library.memcpy(made._address, seen.data, host.nbytes, abi.H2D)
        library.synchronize()
        return made

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.pg_dtype.size

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return self.pg_dtype.name

    def numpy(self, stream: int = 0) -> Any:
        """A NumPy copy, after the work of `stream`."""
        bits = np.empty(self.shape, self.pg_dtype.numpy)
        self._library.memcpy(bits.ctypes.data, self._address, self.nbytes, abi.D2H, stream)
        self._library.synchronize(stream)
        kind = frameworks.numpy_dtype(self.pg_dtype)
        return bits if kind == bits.dtype else bits.view(kind)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _DEVICE[self._library.target], self.device_id

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        if stream is not None and stream != -1 and self._library.target == "cpu":
            raise OpError("CPU memory has no streams", hint="call __dlpack__() without stream")
        if stream not in (None, -1):
            self._library.synchronize()
        dims = ctypes.c_int64 * max(len(self.shape), 1)
        shape = dims(*self.shape)
        strides = dims(*contiguous_strides(self.shape))
        managed = _Managed(
            DLTensor(
                self._address,
                DLDevice(*self.__dlpack_device__()),
                len(self.shape),
                DLDataType(self.pg_dtype.dlpack, 8 * self.pg_dtype.size, 1),
                shape,
                strides,
                0,
            ),
            None,
            _deleter,
        )
        address = ctypes.addressof(managed)
        _exports[address] = (self, managed, shape, strides)
        return _new(address, b"dltensor", _destructor)

    def view(self) -> View:
        """Where its elements are."""
        return View(self._address, self.pg_dtype, self.shape, contiguous_strides(self.shape),
                    self.__dlpack_device__(), self)  # fmt: skip

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, on={self._library.target})"

    def __del__(self) -> None:
        if self._address:
            try:
                self._library.free(self._address)
            except Exception:
                return  # interpreter or device runtime is going away


__all__ = ["DeviceArray"]
