"""The C interface of an op library, by ctypes: loading and op calls.

`Library` is the thin layer under `portgpu.ops.load` and the test runner: it passes descriptors and
returns status codes. It mirrors `kernels/pg_ops_abi.h`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from portgpu.errors import InputError
from portgpu.ops import errors
from portgpu.ops.registry import Op, Registry, load
from portgpu.ops.runtime import D2D, D2H, H2D, DeviceInfo, MemoryStats, Runtime

ABI_VERSION = 2

# pg_status: code -> (name, exception)
STATUS: dict[int, tuple[str, type[errors.OpError]]] = {
    1: ("PG_ERR_NULL", errors.OpNullError),
    2: ("PG_ERR_DTYPE", errors.OpDtypeError),
    3: ("PG_ERR_SHAPE", errors.OpShapeError),
    4: ("PG_ERR_STRIDE", errors.OpStrideError),
    5: ("PG_ERR_AXIS", errors.OpAxisError),
    6: ("PG_ERR_VALUE", errors.OpValueError),
    7: ("PG_ERR_WORKSPACE", errors.OpWorkspaceError),
    8: ("PG_ERR_SIZE", errors.OpShapeError),
    9: ("PG_ERR_ALIAS", errors.OpStrideError),
    10: ("PG_ERR_DEVICE", errors.OpDeviceError),
    11: ("PG_ERR_UNSUPPORTED", errors.OpUnsupportedError),
    12: ("PG_ERR_MEMORY", errors.OpMemoryError),
}
STATUS_CODES = {name: code for code, (name, _) in STATUS.items()} | {"PG_OK": 0}
ERR_DEVICE = STATUS_CODES["PG_ERR_DEVICE"]


class PgTensor(ctypes.Structure):
    """`pg_tensor`: a strided array in device memory."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    )


def tensor(
    data: int | None, dtype: int, shape: Sequence[int], strides: Sequence[int] | None
) -> PgTensor:
    """A `pg_tensor`; `strides` count elements, None means C-contiguous."""
    ndim = len(shape)
    dims = ctypes.c_int64 * max(ndim, 1)
    own_shape = dims(*shape)
    own_strides = None if strides is None else dims(*strides)
    return PgTensor(
        data or None,
        dtype,
        ndim,
        ctypes.cast(own_shape, ctypes.POINTER(ctypes.c_int64)),
        None if own_strides is None else ctypes.cast(own_strides, ctypes.POINTER(ctypes.c_int64)),
    )


_PARAM_CTYPES: dict[str, Any] = {
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f64": ctypes.c_double,
    "bool": ctypes.c_int32,
}
_TENSOR = ctypes.POINTER(PgTensor)


class Library(Runtime):
    """A loaded `libportgpu_ops_<target>`.

    Raises `InputError` when the file cannot be loaded or speaks another ABI version.
    """

    def __init__(self, path: Path, registry: Registry | None = None) -> None:
        self.path = Path(path).resolve()
        self.registry = registry or load()
        if not self.path.is_file():
            raise InputError(
                f"{path}: no such library", hint="build it: portgpu build --target cpu|cuda|rocm"
            )
        try:
            self._lib = ctypes.CDLL(str(self.path))
            version = int(self._lib.pg_abi_version())
        except OSError as error:
            hint = "check with `ldd` that the libraries it names are installed; rebuild with "
            hint += "`portgpu build`"
            if "static TLS" in str(error):
                # glibc keeps little room for libraries that are loaded later (ld.so(8)).
                hint = "start with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384, or load it "
                hint += "before other libraries"
            raise InputError(f"{path} cannot be loaded: {error}", hint=hint) from None
        except AttributeError:
            raise InputError(
                f"{path} is not an op library of portgpu: it has no pg_abi_version",
                hint="pass a libportgpu_ops_<target>.so made by `portgpu build`",
            ) from None
        if version != ABI_VERSION:
            raise InputError(
                f"{path} has ABI version {version}, this portgpu speaks {ABI_VERSION}",
                hint="rebuild the library with this version of portgpu",
            )
        self._functions: dict[str, Any] = {}
        try:
            for name in ("pg_last_error", "pg_version", "pg_target", "pg_built_archs",
                         "pg_built_types"):  # fmt: skip
                function = getattr(self._lib, name)
                function.restype = ctypes.c_char_p
                function.argtypes = ()
            self._declare()
        except AttributeError as error:
            raise InputError(
                f"{path} is only part of an op library: it has no {str(error).split()[-1]}",
                hint="rebuild it with this version of portgpu: portgpu build",
            ) from None
        self.target = self._text("pg_target")
        self.version = self._text("pg_version")
        self.archs = tuple(a for a in self._text("pg_built_archs").split(",") if a)
        self.types = self._text("pg_built_types")

    def _text(self, name: str) -> str:
        return bytes(getattr(self._lib, name)() or b"").decode("utf-8", "replace")

    def last_error(self) -> str:
        """The sentence of the last failure on this thread."""
        return self._text("pg_last_error")

    def check(self, status: int, what: str) -> None:
        """Raise the exception of a status code other than 0; `what` names the call."""
        if status == 0:
            return
        name, kind = STATUS.get(status, (f"status {status}", errors.OpError))
        sentence = self.last_error() or name
        hint = _HINTS.get(name, "")
        if name == "PG_ERR_UNSUPPORTED" and "build of the core types" in sentence:
            hint = "rebuild with `portgpu build --types all` for all element types"
        raise kind(
            sentence if sentence.startswith(what) else f"{what}: {sentence}",
            hint=hint,
            status=status,
        )

    # Ops

    def has(self, op: Op) -> bool:
        """Whether the library exports the op."""
        return hasattr(self._lib, f"pg_{op.name}")

    def _function(self, op: Op, suffix: str) -> Any:
        name = f"pg_{op.name}{suffix}"
        function = self._functions.get(name)
        if function is None:
            try:
                function = getattr(self._lib, name)
            except AttributeError:
                raise errors.OpUnsupportedError(
                    f"{self.path.name} does not export {name}",
                    hint="rebuild the library: its sources are older than the registry",
                ) from None
            function.restype = ctypes.c_int
            argtypes: list[Any] = [_TENSOR] * (len(op.inputs) + len(op.outputs))
            for param in op.params:
                if param.type == "axes":
                    argtypes += [ctypes.POINTER(ctypes.c_int32), ctypes.c_int32]
                else:
                    argtypes.append(_PARAM_CTYPES[param.type])
            if suffix:
                argtypes.append(ctypes.POINTER(ctypes.c_size_t))
            else:
                argtypes += [ctypes.c_void_p, ctypes.c_size_t] if op.workspace else []
                argtypes.append(ctypes.c_void_p)
            function.argtypes = argtypes
            self._functions[name] = function
        return function

    @staticmethod
    def _arguments(
        op: Op, tensors: Sequence[PgTensor | None], params: Mapping[str, Any]
    ) -> list[Any]:
        args: list[Any] = [None if t is None else ctypes.byref(t) for t in tensors]
        for param in op.params:
            value = params.get(param.name, param.default)
            if param.type == "axes":
                axes = None if value is None else (ctypes.c_int32 * len(value))(*value)
                args += [axes, 0 if value is None else len(value)]
            elif param.choices and isinstance(value, str):
                args.append(param.choices.index(value))
            elif param.type == "f64":
                args.append(float(value))
            else:
                args.append(int(value))
        return args

    def workspace_size(
        self, op: Op, tensors: Sequence[PgTensor | None], params: Mapping[str, Any]
    ) -> tuple[int, int]:
        """(status, bytes) of the op's workspace query; (0, 0) for ops without one."""
        if not op.workspace:
            return 0, 0
        size = ctypes.c_size_t(0)
        args = [*self._arguments(op, tensors, params), ctypes.byref(size)]
        return int(self._function(op, "_workspace")(*args)), size.value

    def call(
        self,
        op: Op,
        tensors: Sequence[PgTensor | None],
        params: Mapping[str, Any],
        workspace: int = 0,
        workspace_size: int = 0,
        stream: int = 0,
    ) -> int:
        """Call an op on input and output descriptors; returns its status.

        An axes parameter of None (or left out) means all axes: a null pointer in C.
        """
        args = self._arguments(op, tensors, params)
        if op.workspace:
            args += [workspace or None, workspace_size]
        args.append(stream or None)
        return int(self._function(op, "")(*args))


_HINTS = {
    "PG_ERR_MEMORY": "free arrays, or ops.memory.trim(); PORTGPU_MEMORY_LIMIT sets the limit",
    "PG_ERR_DEVICE": "check the device with `portgpu doctor`",
}

__all__ = [
    "ABI_VERSION",
    "D2D",
    "D2H",
    "ERR_DEVICE",
    "H2D",
    "STATUS",
    "STATUS_CODES",
    "DeviceInfo",
    "Library",
    "MemoryStats",
    "PgTensor",
    "tensor",
]
