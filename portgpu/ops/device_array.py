"""`DeviceArray`: device memory of an op library, for use without any other framework."""

from __future__ import annotations

import contextlib
import ctypes
import math
import struct
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from portgpu.ops import abi, arrays, frameworks
from portgpu.ops.arrays import DLDataType, DLDevice, DLTensor, View, contiguous_strides
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpDeviceError, OpError

DEVICE = {"cuda": arrays.CUDA, "rocm": arrays.ROCM, "cpu": arrays.CPU}


_HEAD = struct.Struct("=QQiiii")  # `packed` of native/binding.h; the extents follow


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

    Made by `Ops.array`, `Ops.empty` and by ops whose input has no framework of its own. Its memory
    goes back to the allocator with the last reference, in the order of the stream that it was made
    on and of those that ops used it on.
    """

    # _packed: address, stream, type, rank, device and shape as the compiled binding reads them.
    __slots__ = ("__weakref__", "_library", "_managed", "_packed", "_used", "pg_dtype", "shape")

    _library: abi.Library
    _packed: bytes
    shape: tuple[int, ...]
    pg_dtype: DType

    def __init__(
        self, library: abi.Library, shape: tuple[int, ...], dtype: DType, *, managed: bool = False
    ) -> None:
        self._library = library
        self.shape = shape
        self.pg_dtype = dtype
        stream = library.current_stream()
        device = library.get_device() if library.target != "cpu" else 0
        kind = DEVICE[library.target]
        if managed:
            self._managed = True
            kind = arrays.CUDA_MANAGED if kind == arrays.CUDA else kind
        address = library.alloc(self.nbytes, stream, managed=managed)
        self._packed = _HEAD.pack(
            address, stream, dtype.code, len(shape), kind, device
        ) + struct.pack(f"={len(shape)}q", *shape)

    @classmethod
    def empty(
        cls, library: abi.Library, shape: tuple[int, ...], dtype: DType, *, managed: bool = False
    ) -> DeviceArray:
        """An uninitialised array; `managed`: host and device reach it at one address."""
        return cls(library, tuple(shape), dtype, managed=managed)

    def empty_like(self, shape: tuple[int, ...], dtype: DType) -> DeviceArray:
        """An uninitialised array of the same library."""
        return DeviceArray(self._library, tuple(shape), dtype)

    @classmethod
    def from_host(cls, library: abi.Library, array: Any, *, managed: bool = False) -> DeviceArray:
        """A copy of a host array (anything `portgpu.ops.arrays.view` reads in CPU memory)."""
        host = np.ascontiguousarray(array)
        seen = arrays.view(host, "array")
        made = cls(library, np.shape(array), seen.dtype, managed=managed)
        library.memcpy(made.address, seen.data, host.nbytes, abi.H2D, made.stream)
        library.synchronize(made.stream)
        return made

    @property
    def address(self) -> int:
        """Where its first element is."""
        return int(_HEAD.unpack_from(self._packed)[0])

    @property
    def stream(self) -> int:
        """Handle of the stream that it was made on."""
        return int(_HEAD.unpack_from(self._packed)[1])

    @property
    def library(self) -> abi.Library:
        """The library whose memory it is."""
        return self._library

    def current_stream(self) -> int:
        """The calling thread's current stream for arrays of this library."""
        return self._library.current_stream()

    @property
    def device_id(self) -> int:
        """Number of its device."""
        return int(_HEAD.unpack_from(self._packed)[5])

    @property
    def managed(self) -> bool:
        """Whether host and device reach it at one address."""
        return bool(getattr(self, "_managed", False))

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

    def use_on(self, stream: int) -> None:
        """Note work on another stream: the memory is not reused before it has ended."""
        if stream != self.stream:
            if not hasattr(self, "_used"):
                self._used: set[int] = set()
            self._used.add(stream)

    def numpy(self, stream: Any = None) -> Any:
        """A NumPy copy, after the work of `stream` (default: the thread's current one)."""
        handle = (
            self._library.current_stream() if stream is None else frameworks.stream_handle(stream)
        )
        bits = np.empty(self.shape, self.pg_dtype.numpy)
        with self._on_own_device():
            if handle != self.stream:
                self._wait()
            self._library.memcpy(bits.ctypes.data, self.address, self.nbytes, abi.D2H, handle)
            self._library.synchronize(handle)
        return self._typed(bits)

    def host(self) -> Any:
        """The elements as a NumPy array over the same memory: managed arrays, and the cpu target.

        Waits for the stream that the array was made on. Raises `OpDeviceError` for device memory.
        """
        if not self.managed and self._library.target != "cpu":
            raise OpDeviceError(
                "this array is in device memory", hint="use .numpy(), or make it with managed=True"
            )
        self._wait()
        memory = (ctypes.c_uint8 * self.nbytes).from_address(self.address)
        _keep(memory, self)
        bits = np.frombuffer(memoryview(memory), self.pg_dtype.numpy)
        return self._typed(bits.reshape(self.shape))

    def prefetch(self, device: int) -> None:
        """Move a managed array to a device (-1: the host) ahead of its use."""
        self._library.prefetch(self.address, self.nbytes, device, self.stream)

    def _wait(self) -> None:
        if self.stream not in self._library.gone_streams:
            with self._on_own_device():
                self._library.synchronize(self.stream)

    def _on_own_device(self) -> AbstractContextManager[None]:
        """Its device's default stream is another one than that of the current device."""
        if self._library.target == "cpu":
            return contextlib.nullcontext()
        return self._library.on_device(self.device_id)

    def _typed(self, bits: Any) -> Any:
        kind = frameworks.numpy_dtype(self.pg_dtype)
        return bits if kind == bits.dtype else bits.view(kind)

    def __dlpack_device__(self) -> tuple[int, int]:
        head = _HEAD.unpack_from(self._packed)
        return int(head[4]), int(head[5])

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        if stream is not None and stream != -1 and self._library.target == "cpu":
            raise OpError("CPU memory has no streams", hint="call __dlpack__() without stream")
        if stream not in (None, -1) and stream != self.stream:
            self._wait()
        dims = ctypes.c_int64 * max(len(self.shape), 1)
        shape = dims(*self.shape)
        strides = dims(*contiguous_strides(self.shape))
        managed = _Managed(
            DLTensor(
                self.address,
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
        return View(self.address, self.pg_dtype, self.shape, contiguous_strides(self.shape),
                    self.__dlpack_device__(), self)  # fmt: skip

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, on={self._library.target})"

    def __del__(self) -> None:
        try:
            packed, library = self._packed, self._library
        except AttributeError:  # its making failed
            return
        try:
            address, stream = _HEAD.unpack_from(packed)[:2]
            others = [s for s in getattr(self, "_used", ()) if s not in library.gone_streams]
            if len(others) > 1:  # the first one gathers the others' work
                with self._on_own_device():
                    for other in others[1:]:
                        event = library.event_create()
                        library.event_record(event, other)
                        library.stream_wait_event(others[0], event)
                        library.event_destroy(event)
            library.release(address, others[0] if others else stream)
        except Exception:
            return  # interpreter or device runtime is going away


def _keep(memory: Any, owner: DeviceArray) -> None:
    """`memory` lives in `owner`: keep it while NumPy holds on to `memory`."""
    memory._portgpu_owner = owner


__all__ = ["DEVICE", "DeviceArray"]
