"""`load`: find a built op library and give its ops as functions."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from portgpu.errors import InputError, NoDeviceError, UsageError, nearest
from portgpu.ops import abi, dtypes, registry
from portgpu.ops import compiled as binding
from portgpu.ops.device_array import DeviceArray
from portgpu.ops.errors import OpDtypeError, OpValueError
from portgpu.ops.functions import Caller, Function
from portgpu.ops.memory import Memory
from portgpu.ops.streams import Event, Graph, Stream

if TYPE_CHECKING:
    from portgpu.ops.typed import OpFunctions
else:
    OpFunctions = object  # functions are made on first use, from the registry

TARGETS = ("cuda", "rocm", "cpu")


class Ops(OpFunctions):
    """The ops of one loaded library, as functions: `ops.softmax(x, axis=-1)`.

    `help(ops.softmax)` shows signature, types and rules; `dir(ops)` and iteration list the names.
    """

    def __init__(self, library: abi.Library, *, compiled: bool = True) -> None:
        self.library = library
        self._caller = Caller(library)
        self._compiled, self._binding = (
            binding.find(library) if compiled else (None, "ctypes (as asked)")
        )
        if self._compiled is not None:
            library.on_stream = self._compiled.set_stream
            self._caller.on_capture = self._compiled.set_slow
            self._caller.numbers.binding = self._compiled

    @property
    def binding(self) -> str:
        """How functions reach the library: "compiled", or "ctypes" and why."""
        return self._binding

    @property
    def target(self) -> str:
        """ "cuda", "rocm" or "cpu"."""
        return self.library.target

    @property
    def device(self) -> abi.DeviceInfo:
        """Facts about the current device."""
        return self.library.device_info(self.library.get_device())

    @property
    def memory(self) -> Memory:
        """The allocator: statistics, limit, trimming."""
        return Memory(self.library)

    def array(self, host: Any, *, managed: bool = False) -> DeviceArray:
        """A copy of a host array in the library's memory, for use without another framework.

        `managed` memory is reached by host and device at one address (`DeviceArray.host`).
        """
        return DeviceArray.from_host(self.library, host, managed=managed)

    def empty(
        self, shape: int | Sequence[int], dtype: Any = "f32", *, managed: bool = False
    ) -> DeviceArray:
        """An uninitialised array in the library's memory."""
        found = dtypes.find(dtype)
        if found is None:
            raise OpDtypeError(
                f"empty: no element type is called {dtype}", hint=", ".join(dtypes.DTYPES)
            )
        extents = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        if any(n < 0 for n in extents):
            raise OpValueError(
                f"empty: shape {extents} has a negative extent", hint="use 0 or more"
            )
        return DeviceArray.empty(self.library, extents, found, managed=managed)

    def stream(self) -> Stream:
        """A new stream; as a context it is the thread's current one."""
        return Stream(self.library)

    def event(self) -> Event:
        """An event, from the pool."""
        return Event(self.library)

    def capture(self) -> Graph:
        """Records the ops of a `with` block, to run them later with `replay()`."""
        return Graph(self.library, self._caller)

    def on_device(self, device: int) -> AbstractContextManager[None]:
        """Within the block `device` is the thread's current one, for new arrays."""
        return self.library.on_device(device)

    def synchronize(self, stream: int = 0) -> None:
        """Wait for the work of a stream."""
        self.library.synchronize(stream)

    def release_workspaces(self) -> None:
        """Free the scratch memory that ops keep between calls: `memory.trim()`."""
        self._caller.numbers.clear()
        self.library.memory_trim()

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        op = self.library.registry.ops.get(name)
        if op is not None and not self.library.has(op):
            raise AttributeError(
                f"{self.library.path.name} was built without {name}; rebuild it: portgpu build"
            )
        if op is None:
            hint = nearest(name, list(self.library.registry.ops))
            raise AttributeError(f"no op is called {name!r}" + (f"; {hint}" if hint else ""))
        function = self._caller.function(op)
        if self._compiled is not None:
            function = self._compiled.function(op, function)
        self.__dict__[name] = function
        return function

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.library.registry.ops]

    def __iter__(self) -> Any:
        return iter(self.library.registry.ops)

    def __repr__(self) -> str:
        return (
            f"<portgpu ops, {self.target}: {len(self.library.registry)} ops of {self.library.path}>"
        )


def load(
    target: Literal["cuda", "rocm", "cpu"], path: str | Path | None = None, *, compiled: bool = True
) -> Ops:
    """Load the op library of `target`.

    `path` names the library; else `PORTGPU_OPS_<TARGET>` (a file), then
    `<PORTGPU_BUILD_DIR or build>/<target>/libportgpu_ops_<target>.so` in the working folder or in
    the checkout, then an installed wheel of `portgpu wheel`. `compiled=False` leaves the compiled
    binding aside. Raises `InputError` when there is none, `NoDeviceError` without a device.
    """
    if target not in TARGETS:
        raise UsageError(
            f"no target is called {target!r}",
            hint=nearest(str(target), TARGETS) or "cuda, rocm, cpu",
        )
    return _load(target, find(target, path), compiled)


def find(target: str, path: str | Path | None = None) -> Path:
    """Path of the library that `load` takes; raises `InputError` when there is none."""
    given = path or os.environ.get(f"PORTGPU_OPS_{target.upper()}")
    if given:
        if Path(given).is_file():
            return Path(given).resolve()
        raise InputError(f"{given}: no such library", hint=_HINT.format(target))
    build = Path(os.environ.get("PORTGPU_BUILD_DIR", "build"))
    name = f"libportgpu_ops_{target}" + (".dylib" if sys.platform == "darwin" else ".so")
    checkout = registry.load().path.resolve().parent.parent
    for folder in (Path.cwd() / build, checkout / build):
        candidate = folder / target / name
        if candidate.is_file():
            return candidate.resolve()
    with contextlib.suppress(ImportError):  # a wheel of `portgpu wheel`
        packaged = importlib.import_module(f"portgpu_ops_{target}").library_path()
        if packaged.is_file():
            return Path(packaged).resolve()
    raise InputError(
        f"no {name} in {build / target}, here or in {checkout}", hint=_HINT.format(target)
    )


_HINT = "portgpu build --target {0}, then pass its path, or set PORTGPU_OPS_<TARGET>"


@functools.cache
def _load(target: str, path: Path, compiled: bool) -> Ops:
    library = abi.Library(path)
    if library.target != target:
        raise InputError(
            f"{path} is a {library.target} library, not {target}",
            hint=f'portgpu.ops.load("{library.target}", …)',
        )
    if library.device_count() == 0:
        raise NoDeviceError(
            f"no {target} device is here: {library.last_error() or 'the runtime finds none'}",
            hint='portgpu doctor shows devices; portgpu.ops.load("cpu") works everywhere',
        )
    _point_at_pip(library)
    return Ops(library, compiled=compiled)


# Vendors' libraries where pip puts them, which the loader does not search.
_PIP = {
    "blas": ("nvidia/cu*/lib/libcublas.so.*", "nvidia/cublas/lib/libcublas.so.*"),
    "fft": ("nvidia/cu*/lib/libcufft.so.*", "nvidia/cufft/lib/libcufft.so.*"),
}


def _point_at_pip(library: abi.Library) -> None:
    if library.target != "cuda":
        return
    for kind, patterns in _PIP.items():
        if os.environ.get(f"PORTGPU_{kind.upper()}"):
            continue
        found = [p for place in sys.path for pattern in patterns for p in Path(place).glob(pattern)]
        if found:
            library.set_library(kind, str(found[0]))
