"""Loads object code on a GPU and launches its kernels: CUDA's driver, or HIP's module functions."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

from portgpu.errors import NoDeviceError
from portgpu.ops.errors import OpDeviceError

_MAX_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_MAJOR, _MINOR = 75, 76
_VOID, _INT, _UINT = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint


class Driver:
    """One vendor's driver; raises `NoDeviceError` when it, or a device, is not here."""

    def __init__(self, target: str) -> None:
        self.target = target
        self._lib = self._open()
        self._check(self._lib_call("Init")(0), "Init")
        self._functions: dict[tuple[int, bytes, str], Any] = {}
        self._contexts: dict[int, Any] = {}

    def _open(self) -> Any:
        names = {
            "cuda": ("libcuda.so.1", "libcuda.so"),
            "rocm": ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"),
        }[self.target]
        for name in names:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
        raise NoDeviceError(
            f"no {self.target} driver is here: {names[0]} cannot be loaded",
            hint='portgpu doctor shows devices; target="cpu" works everywhere',
        )

    def _lib_call(self, name: str) -> Any:
        return getattr(self._lib, ("cu" if self.target == "cuda" else "hip") + name)

    def _check(self, status: int, what: str) -> None:
        if status == 0:
            return
        prefix = "cu" if self.target == "cuda" else "hip"
        if self.target == "cuda":
            text = ctypes.c_char_p()
            self._lib.cuGetErrorString(status, ctypes.byref(text))
            said = (text.value or b"unknown error").decode()
        else:
            self._lib.hipGetErrorString.restype = ctypes.c_char_p
            said = (self._lib.hipGetErrorString(status) or b"unknown error").decode()
        if status in (100, 101) and what == "Init":
            raise NoDeviceError(
                f"no {self.target} device is here: {said}", hint="portgpu doctor shows devices"
            )
        raise OpDeviceError(
            f"{prefix}{what}: {said} ({status})", hint="check the device with `portgpu doctor`"
        )

    def arch(self, device: int) -> str:
        """Architecture of a device, as compilers spell it."""
        if self.target == "cuda":
            numbers = []
            for attribute in (_MAJOR, _MINOR):
                value = _INT(0)
                self._check(
                    self._lib.cuDeviceGetAttribute(ctypes.byref(value), attribute, device),
                    "DeviceGetAttribute",
                )
                numbers.append(value.value)
            return f"sm_{numbers[0]}{numbers[1]}"
        from portgpu.toolchain.devices import find_devices

        found = [d for d in find_devices() if d.target == "rocm"]
        if device >= len(found):
            raise NoDeviceError(
                f"rocm device {device} is not here", hint="portgpu doctor shows devices"
            )
        return found[device].arch

    def enter(self, device: int) -> None:
        """Make the device's context, which the runtime and frameworks use, the thread's own."""
        if self.target == "rocm":
            self._check(self._lib.hipSetDevice(device), "SetDevice")
            return
        context = self._contexts.get(device)
        if context is None:
            context = _VOID()
            self._check(
                self._lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
                "DevicePrimaryCtxRetain",
            )
            self._contexts[device] = context
        self._check(self._lib.cuCtxSetCurrent(context), "CtxSetCurrent")

    def function(self, device: int, code: bytes, symbol: str) -> Any:
        """The kernel `symbol` of object code on a device, loaded once. Call `enter` first."""
        key = (device, code, symbol)
        found = self._functions.get(key)
        if found is None:
            module, found = _VOID(), _VOID()
            self._check(
                self._lib_call("ModuleLoadData")(ctypes.byref(module), code), "ModuleLoadData"
            )
            self._check(
                self._lib_call("ModuleGetFunction")(ctypes.byref(found), module, symbol.encode()),
                "ModuleGetFunction",
            )
            self._functions[key] = found
        return found

    def launch(
        self,
        function: Any,
        grid: Sequence[int],
        block: Sequence[int],
        shared: int,
        stream: int,
        arguments: Any,
    ) -> None:
        """Queue a launch; `arguments` is an array of addresses of the arguments."""
        if shared > 48 * 1024 and self.target == "cuda":
            self._check(
                self._lib.cuFuncSetAttribute(function, _MAX_SHARED, shared), "FuncSetAttribute"
            )
        name = "LaunchKernel" if self.target == "cuda" else "ModuleLaunchKernel"
        self._check(
            self._lib_call(name)(
                function, *(_UINT(n) for n in (*grid, *block)), _UINT(shared),
                _VOID(stream or None), arguments, None,
            ),
            name,
        )  # fmt: skip


@functools.cache
def find(target: str) -> Driver:
    """The driver of `target`, opened once."""
    return Driver(target)
