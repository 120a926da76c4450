"""Foreign arrays in: NumPy, DLPack, `__cuda_array_interface__` and the buffer protocol.

`view` reads pointer, type, shape and element strides of an array without copying it. Nothing is
synchronised: an op runs on the caller's current stream, as the producer's own work does.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from portgpu.ops import dtypes
from portgpu.ops.dtypes import DType
from portgpu.ops.errors import OpDeviceError, OpDtypeError, OpError

# DLDeviceType
CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
DEVICE_NAMES = {
    CPU: "CPU memory",
    CUDA: "CUDA memory",
    CUDA_HOST: "pinned CUDA host memory",
    ROCM: "ROCm memory",
    ROCM_HOST: "pinned ROCm host memory",
    CUDA_MANAGED: "CUDA managed memory",
}
# Which memory a library of each target can read and write.
ACCEPTED = {
    "cpu": (CPU, CUDA_HOST, ROCM_HOST, CUDA_MANAGED),
    "cuda": (CUDA, CUDA_MANAGED, CUDA_HOST),
    "rocm": (ROCM, ROCM_HOST, CUDA),  # PyTorch for ROCm calls its devices CUDA
}


class DLDevice(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned of DLPack 1."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
# A prototype of its own: attributes of `pythonapi` are shared by all modules.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)


@dataclass(slots=True)
class View:
    """Where an array's elements are. Strides count elements; `owner` keeps the memory alive."""

    data: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: tuple[int, int]
    owner: Any
    writable: bool = True

    @property
    def size(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def broadcast_to(self, shape: tuple[int, ...]) -> View:
        """The same memory seen with `shape`, repeated axes with stride 0; the caller checks fit."""
        lead = len(shape) - len(self.shape)
        strides = [0] * lead + [
            0 if own == 1 and want != 1 else stride
            for own, want, stride in zip(self.shape, shape[lead:], self.strides, strict=True)
        ]
        return View(self.data, self.dtype, shape, tuple(strides), self.device, self.owner, False)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Element strides of a C-contiguous array."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def view(array: Any, name: str = "array") -> View:
    """Read `array` (called `name` in messages) without a copy.

    Accepts NumPy arrays (also ml_dtypes' bfloat16), anything with `__dlpack__`,
    `__cuda_array_interface__`, `__array_interface__` or the buffer protocol. Raises `OpDtypeError`
    for an element type that portgpu has not, `OpError` for objects that are no arrays.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise OpError(
            f"{name} is a masked array, whose mask would be lost",
            hint="pass its .filled(value), or its .data and .mask apart",
        )
    if isinstance(array, np.ndarray | np.generic):
        return _numpy(np.asarray(array), name)
    own = getattr(array, "pg_dtype", None) and array.view()
    if isinstance(own, View):  # a DeviceArray
        return own
    if hasattr(array, "__dlpack__"):
        return _dlpack(array, name)
    if hasattr(array, "__cuda_array_interface__"):
        return _interface(array, array.__cuda_array_interface__, CUDA, name)
    if hasattr(array, "__array_interface__"):
        return _interface(array, array.__array_interface__, CPU, name)
    try:
        memory = memoryview(array)
    except TypeError:
        raise OpError(
            f"{name}: {type(array).__name__} is not an array",
            hint="pass a NumPy, PyTorch, CuPy or JAX array, or any object with __dlpack__",
        ) from None
    return _numpy(np.asarray(memory), name)


def _numpy(array: np.ndarray[Any, Any], name: str) -> View:
    dtype = dtypes.BY_NUMPY.get(array.dtype.name)
    if dtype is None or not array.dtype.isnative:
        raise _bad_dtype(name, str(array.dtype))
    return View(
        array.ctypes.data,
        dtype,
        array.shape,
        _element_strides(array.strides, array.itemsize, name),
        (CPU, 0),
        array,
        array.flags.writeable,
    )


def _element_strides(strides: tuple[int, ...], size: int, name: str) -> tuple[int, ...]:
    if any(stride % size for stride in strides):
        raise OpError(
            f"{name}: its strides {strides} are no multiples of the {size}-byte element",
            hint="copy the array, for instance with numpy.ascontiguousarray",
        )
    return tuple(stride // size for stride in strides)


def _dlpack(array: Any, name: str) -> View:
    try:
        device = tuple(int(part) for part in array.__dlpack_device__())
        # -1: no synchronisation. CPU exporters know no streams.
        stream = {} if device[0] in (CPU, CUDA_HOST, ROCM_HOST) else {"stream": -1}
        capsule = _export(array, stream)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise OpError(
            f"{name}: {type(array).__name__} cannot be shared: {error}",
            hint="for PyTorch pass x.detach() or x.resolve_conj(); for others a plain copy",
        ) from None
    negated = getattr(array, "is_neg", None)
    if negated is not None and negated():  # stored with the other sign, which DLPack does not tell
        raise OpError(f"{name} is a negated view", hint="pass x.resolve_neg()")
    writable = root_module(array) != "jax"  # its arrays never change, whatever the flags say
    if _is_valid(capsule, b"dltensor_versioned"):
        address = _pointer(capsule, b"dltensor_versioned")
        managed = ctypes.cast(address, ctypes.POINTER(DLManagedVersioned)).contents
        tensor = managed.tensor
        writable = writable and not managed.flags & _READ_ONLY
    else:
        address = _pointer(capsule, b"dltensor")
        tensor = ctypes.cast(address, ctypes.POINTER(DLTensor)).contents
    dtype = dtypes.BY_DLPACK.get((tensor.dtype.code, tensor.dtype.bits))
    if dtype is None or tensor.dtype.lanes != 1:
        raise _bad_dtype(name, str(getattr(array, "dtype", tensor.dtype.code)))
    ndim = tensor.ndim
    shape = tuple(tensor.shape[:ndim])
    strides = tuple(tensor.strides[:ndim]) if tensor.strides else contiguous_strides(shape)
    data = (tensor.data or 0) + tensor.byte_offset
    # The capsule stays unconsumed: its destructor releases the export when the view goes.
    owner = (array, capsule)
    return View(data, dtype, shape, strides, (device[0], device[1]), owner, writable)


def _export(array: Any, stream: dict[str, int]) -> Any:
    """A capsule of DLPack 1, which tells whether the array is read-only; else an older one."""
    try:
        return array.__dlpack__(max_version=(1, 1), **stream)
    except TypeError:
        return array.__dlpack__(**stream)


def _interface(array: Any, facts: dict[str, Any], device: int, name: str) -> View:
    dtype = dtypes.BY_NUMPY.get(np.dtype(facts["typestr"]).name)
    if dtype is None:
        raise _bad_dtype(name, facts["typestr"])
    shape = tuple(int(extent) for extent in facts["shape"])
    strides = facts.get("strides")
    return View(
        int(facts["data"][0]),
        dtype,
        shape,
        _element_strides(tuple(strides), dtype.size, name)
        if strides
        else contiguous_strides(shape),
        (device, int(getattr(getattr(array, "device", None), "id", 0) or 0)),
        array,
        not facts["data"][1],
    )


def _bad_dtype(name: str, text: str) -> OpDtypeError:
    return OpDtypeError(
        f"{name}: element type {text} is not supported",
        hint=f"element types are {', '.join(dtypes.DTYPES)}",
    )


def check_device(target: str, name: str, seen: View) -> None:
    """Raise `OpDeviceError` when a `target` library cannot reach the memory of `seen`."""
    if seen.device[0] in ACCEPTED[target]:
        return
    where = DEVICE_NAMES.get(seen.device[0], f"device type {seen.device[0]}")
    wanted = {"cpu": "CPU memory", "cuda": "an NVIDIA device", "rocm": "an AMD device"}[target]
    fits = {CPU: "cpu", CUDA: "cuda", CUDA_MANAGED: "cuda", ROCM: "rocm"}.get(seen.device[0])
    other = f', or call portgpu.ops.load("{fits}")' if fits else ""
    raise OpDeviceError(
        f"{name} is in {where}; the {target} library works on {wanted}",
        hint=f"move the array{other}",
    )


def root_module(array: Any) -> str:
    """The framework an array belongs to: "numpy", "torch", "cupy", "jax" … or its module's root."""
    for kind in type(array).__mro__:
        root = kind.__module__.split(".", 1)[0]
        if root in ("numpy", "torch", "cupy", "portgpu"):
            return root
    return type(array).__module__.split(".", 1)[0].removesuffix("lib")
