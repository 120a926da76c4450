"""`kernel`: a user's CUDA or dialect kernel as a Python function with checked arguments."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from portgpu.errors import UsageError, nearest
from portgpu.jit import driver, host
from portgpu.jit.cache import Cache
from portgpu.jit.compiler import Request, compile_gpu
from portgpu.jit.rtc import Compiled
from portgpu.jit.signature import Parameter, parameters
from portgpu.ops import arrays, frameworks
from portgpu.ops.arrays import View, contiguous_strides
from portgpu.ops.device_array import DeviceArray
from portgpu.ops.dtypes import DTYPES
from portgpu.ops.errors import (
    OpDeviceError,
    OpDtypeError,
    OpError,
    OpStrideError,
    OpValueError,
)
from portgpu.ops.numbers import stored

TARGETS = ("cuda", "rocm", "cpu")
Extent = int | Sequence[int]


class _Record(ctypes.Structure):
    """`portgpu_jit_record` of templates/jit/cpu_launch.inc."""

    _fields_ = (
        ("grid", ctypes.c_void_p),
        ("block", ctypes.c_void_p),
        ("shared", ctypes.c_size_t),
        ("arguments", ctypes.c_void_p),
    )


class Kernel:
    """A compiled kernel. Call it with grid, block and its arguments:

        add((n + 255) // 256, 256, x, y, out, n, stream=None, shared=0)

    Arrays (anything with DLPack or the buffer protocol) go where the kernel takes pointers, numbers
    where it takes numbers; element types, devices, layouts and ranges are checked first. Arrays
    must be C-contiguous. Work goes to the framework's current stream, or to `stream`.
    """

    def __init__(self, request: Request, cache: Cache | None = None) -> None:
        self.name = request.name
        self.target = request.target
        self.parameters: tuple[Parameter, ...] = parameters(
            request.source, request.name, request.file
        )
        self._request = request
        self._cache = cache
        self._codes: dict[str, Compiled] = {}
        self.cached = False  # whether the last compilation was answered by the disk cache
        if self.target == "cpu":
            self._host, self.cached = host.compile_cpu(request, cache)
        elif request.arch:
            self._code(request.arch)

    def _code(self, arch: str) -> Compiled:
        found = self._codes.get(arch)
        if found is None:
            found, self.cached = compile_gpu(replace(self._request, arch=arch), self._cache)
            self._codes[arch] = found
        return found

    def __call__(
        self, grid: Extent, block: Extent, *arguments: Any, shared: int = 0, stream: Any = None
    ) -> None:
        """Launch. Raises `OpError` subclasses for bad arguments, and then launches nothing."""
        sizes = self._extents(grid, block, shared)
        if len(arguments) != len(self.parameters):
            raise OpError(
                f"{self.name} takes {len(self.parameters)} arguments, not {len(arguments)}",
                hint=f"{self.name}({', '.join(p.text for p in self.parameters)})",
            )
        packed: list[Any] = []
        leader: tuple[Any, View] | None = None
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            if parameter.pointer:
                seen = self._array(parameter, argument)
                if seen is None:
                    packed.append(ctypes.c_void_p(None))
                    continue
                if leader is None:
                    leader = (argument, seen)
                elif self.target != "cpu" and seen.device[1] != leader[1].device[1]:
                    raise OpDeviceError(
                        f"{self.name}: {parameter.name} is on another device than the first array",
                        hint="move the arrays to one device",
                    )
                packed.append(ctypes.c_void_p(seen.data))
            else:
                packed.append(self._number(parameter, argument))
        if 0 in sizes[0]:
            return
        handle = self._stream(leader, stream)
        self._launch(sizes, shared, handle, packed, leader[1].device[1] if leader else 0, arguments)

    def _extents(self, grid: Extent, block: Extent, shared: int) -> tuple[list[int], list[int]]:
        both = []
        for name, value in (("grid", grid), ("block", block)):
            given = [value] if isinstance(value, int) else [int(n) for n in value]
            if not 1 <= len(given) <= 3 or any(n < (name == "block") for n in given):
                raise OpValueError(
                    f"{self.name}: {name}={value}", hint="pass one to three positive numbers"
                )
            both.append(given + [1] * (3 - len(given)))
        threads = both[1][0] * both[1][1] * both[1][2]
        if threads > 1024 or both[1][2] > 64:
            raise OpValueError(
                f"{self.name}: a block of {threads} threads; at most 1024 (64 along z) fit",
                hint="use a smaller block and a larger grid",
            )
        if both[0][0] > 0x7FFFFFFF or both[0][1] > 65535 or both[0][2] > 65535:
            raise OpValueError(
                f"{self.name}: grid={grid} exceeds 2147483647 x 65535 x 65535", hint="use fewer"
            )
        if not 0 <= shared < 1 << 20:
            raise OpValueError(f"{self.name}: shared={shared} bytes", hint="pass 0 or more bytes")
        return both[0], both[1]

    def _array(self, parameter: Parameter, argument: Any) -> View | None:
        name = f"{self.name}: {parameter.name}"
        if argument is None:
            return None
        if isinstance(argument, int | float | np.generic):
            raise OpError(
                f"{name} is a number, the kernel takes {parameter.text}", hint="pass an array"
            )
        seen = arrays.view(argument, name)
        arrays.check_device(self.target, name, seen)
        if parameter.dtype and seen.dtype.name != parameter.dtype:
            raise OpDtypeError(
                f"{name} has {seen.dtype} elements, the kernel takes {parameter.text}",
                hint=f"convert it to {parameter.dtype}",
            )
        contiguous = contiguous_strides(seen.shape)
        if any(
            n > 1 and own != want
            for n, own, want in zip(seen.shape, seen.strides, contiguous, strict=True)
        ):
            raise OpStrideError(f"{name} is not C-contiguous", hint="pass a contiguous copy")
        if not parameter.constant and not seen.writable:
            raise OpStrideError(f"{name} is read-only", hint="pass a writable array")
        return seen

    def _number(self, parameter: Parameter, argument: Any) -> Any:
        name = f"{self.name}: {parameter.name}"
        value = argument.item() if isinstance(argument, np.generic) else argument
        dtype = DTYPES[parameter.dtype]
        if not isinstance(value, bool | int | float) or (
            isinstance(value, float) and dtype.kind != "f"
        ):
            raise OpDtypeError(
                f"{name} is {value!r}, the kernel takes {parameter.text}",
                hint="pass a number of that kind",
            )
        return ctypes.create_string_buffer(stored(name, value, dtype).tobytes(), 8)

    def _stream(self, leader: tuple[Any, View] | None, stream: Any) -> int:
        if stream is not None:
            return frameworks.stream_handle(stream)
        if leader is None:
            return 0
        array = leader[0]
        if isinstance(array, DeviceArray):
            return array.current_stream()
        return frameworks.current_stream(*leader)

    def _launch(
        self, sizes: tuple[list[int], list[int]], shared: int, stream: int, packed: list[Any],
        device: int, arrays_used: Sequence[Any],
    ) -> None:  # fmt: skip
        owner = None
        for argument in arrays_used:
            if isinstance(argument, DeviceArray):
                argument.use_on(stream)
                owner = argument.library
        captured = None if owner is None or stream != owner.current_stream() else owner.captured
        if captured is not None:
            captured.append([*arrays_used, packed])
        addresses = (ctypes.c_void_p * max(len(packed), 1))(*(ctypes.addressof(p) for p in packed))
        if self.target == "cpu":
            grid, block = ((ctypes.c_uint * 3)(*size) for size in sizes)
            if captured is not None and owner is not None:
                record = _Record(
                    ctypes.addressof(grid), ctypes.addressof(block), shared,
                    ctypes.addressof(addresses),
                )  # fmt: skip
                captured.append([record, grid, block, addresses])
                call = ctypes.cast(self._host.portgpu_jit_deferred, ctypes.c_void_p).value or 0
                owner.stream_host_call(stream, call, ctypes.addressof(record))
                return
            status = self._host.portgpu_jit_launch(
                ctypes.byref(grid), ctypes.byref(block), shared, None, addresses
            )
            if status:
                said = (self._host.portgpu_jit_error() or b"").decode("utf-8", "replace")
                raise OpDeviceError(f"{self.name}: {said}", hint="the CPU target names the place")
            return
        gpu = driver.find(self.target)
        gpu.enter(device)
        code = self._code(self._request.arch or gpu.arch(device))
        function = gpu.function(device, code.code, code.symbol)
        gpu.launch(function, *sizes, shared, stream, addresses)

    def launch_raw(
        self, grid: int, block: int, packed: list[Any], stream: int, device: int,
        arrays_used: Sequence[Any],
    ) -> None:  # fmt: skip
        """Launch with arguments that are packed and known to fit, as ctypes objects."""
        self._launch(([grid, 1, 1], [block, 1, 1]), 0, stream, packed, device, arrays_used)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(p.text for p in self.parameters)}), {self.target}>"


def compile_kernel(
    source: str,
    name: str,
    *,
    target: Literal["cuda", "rocm"],
    arch: str,
    std: str = "c++17",
    options: Sequence[str] = (),
    defines: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    file: str = "",
) -> Compiled:
    """Object code of a kernel for an architecture, without a device: a cubin or a code object.

    Arguments and errors are those of `kernel`.
    """
    if target not in ("cuda", "rocm"):
        raise UsageError(f"target {target!r} has no object code", hint='"cuda" or "rocm"')
    parameters(source, name, file or name)
    made = Request(
        source, name, target, arch, file or f"{name.split('<')[0]}.cu", std, tuple(options),
        tuple(defines), tuple(Path(p).resolve() for p in include_dirs),
    )  # fmt: skip
    return compile_gpu(made)[0]


def kernel(
    source: str | Path,
    name: str,
    *,
    target: Literal["cuda", "rocm", "cpu"],
    arch: str = "",
    std: str = "c++17",
    options: Sequence[str] = (),
    defines: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    file: str = "",
) -> Kernel:
    """Compile the `__global__` function `name` of `source` (text, or a path) for `target`.

    The source may be plain CUDA, HIP or the dialect (`#include "portgpu.h"`); for ROCm and the CPU,
    CUDA's names are translated. `name` may be a template's instance, `scale<float, 4>`. `arch`
    (sm_90, gfx90a …) defaults to the device's. Results are kept on disk (`portgpu cache`). Raises
    `UsageError` for a source without that kernel, `ToolchainError` without the compiler,
    `BuildError` with the compiler's log, whose lines are those of the source.
    """
    if target not in TARGETS:
        raise UsageError(
            f"no target is called {target!r}",
            hint=nearest(str(target), TARGETS) or "cuda, rocm, cpu",
        )
    if isinstance(source, Path):
        file = file or str(source)
        include_dirs = [source.parent, *include_dirs]
        text = source.read_text("utf-8")
    else:
        text = source
    return Kernel(
        Request(
            text, name, target, arch, file or f"{name.split('<')[0]}.cu", std, tuple(options),
            tuple(defines), tuple(Path(p).resolve() for p in include_dirs),
        )
    )  # fmt: skip
