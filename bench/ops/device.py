"""The op library through ctypes for benchmarks: tensors on the device, timing by its events."""

from __future__ import annotations

import ctypes
import statistics
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

DTYPES = {
    "bool": (0, 1), "u8": (1, 1), "i8": (2, 1), "u16": (3, 2), "i16": (4, 2), "u32": (5, 4),
    "i32": (6, 4), "u64": (7, 8), "i64": (8, 8), "f16": (9, 2), "bf16": (10, 2), "f32": (11, 4),
    "f64": (12, 8),
}  # fmt: skip


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class Array:
    """A strided array on the device; owns its memory unless it is a view."""

    def __init__(
        self, device: Device, shape: Sequence[int], dtype: str, *, data: int | None = None,
        strides: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        self.device, self.shape, self.dtype = device, tuple(shape), dtype
        code, item = DTYPES[dtype]
        self.nbytes = item
        for extent in self.shape:
            self.nbytes *= extent
        self.data = device.malloc(self.nbytes) if data is None else data
        if strides is None:
            strides = [1] * len(self.shape)
            for i in range(len(self.shape) - 2, -1, -1):
                strides[i] = strides[i + 1] * self.shape[i + 1]
        n = len(self.shape)
        self._shape = (ctypes.c_int64 * max(n, 1))(*self.shape)
        self._strides = (ctypes.c_int64 * max(n, 1))(*strides)
        self.c = _Tensor(self.data, code, n, self._shape, self._strides)

    @property
    def T(self) -> Array:
        """The transposed view."""
        strides = list(self._strides)[: len(self.shape)]
        return Array(
            self.device, self.shape[::-1], self.dtype, data=self.data, strides=strides[::-1]
        )

    def view(self, *shape: int) -> Array:
        """The same contiguous memory with another shape."""
        return Array(self.device, shape, self.dtype, data=self.data)


class Device:
    """The library on its current device."""

    def __init__(self, path: Path, registry: Path) -> None:
        self.lib = ctypes.CDLL(str(path))
        self.lib.pg_last_error.restype = ctypes.c_char_p
        self.lib.pg_target.restype = ctypes.c_char_p
        ops = tomllib.loads(registry.read_text("utf-8"))["op"]
        self._ops = {name: op for op in ops for name in op.get("names", [op.get("name")])}
        self._buffers: list[int] = []
        self._workspace = (0, 0)

    def check(self, status: int) -> None:
        """Raise with the library's sentence if a call failed."""
        if status != 0:
            raise RuntimeError(f"{self.lib.pg_last_error().decode()} (status {status})")

    def has(self, op: str) -> bool:
        """Whether the library exports the op."""
        return hasattr(self.lib, f"pg_{op}")

    def malloc(self, nbytes: int) -> int:
        pointer = ctypes.c_void_p()
        self.check(self.lib.pg_malloc(ctypes.byref(pointer), ctypes.c_size_t(max(nbytes, 1))))
        self._buffers.append(pointer.value or 0)
        return pointer.value or 0

    def release(self) -> None:
        """Free all arrays made so far."""
        self.synchronize()
        for pointer in self._buffers:
            self.check(self.lib.pg_free(ctypes.c_void_p(pointer)))
        self._buffers.clear()
        self._workspace = (0, 0)

    def synchronize(self) -> None:
        self.check(self.lib.pg_stream_synchronize(None))

    def bind(self, op: str, *tensors: Array | None, **params: Any) -> Callable[[], None]:
        """A call of the op with its workspace, to run many times on the default stream."""
        entry = self._ops[op]
        args: list[Any] = [None if t is None else ctypes.byref(t.c) for t in tensors]
        keep = list(tensors)
        for p in entry.get("params", []):
            value = params.get(p["name"], p.get("default"))
            if isinstance(value, str):
                value = p["choices"].index(value)
            match p["type"]:
                case "axes":
                    axes = list(value or [])
                    args += [(ctypes.c_int32 * max(len(axes), 1))(*axes), ctypes.c_int32(len(axes))]
                case "f64":
                    args.append(ctypes.c_double(value))
                case "i64":
                    args.append(ctypes.c_int64(value))
                case _:
                    args.append(ctypes.c_int32(int(value)))
        call = getattr(self.lib, f"pg_{op}")
        if entry.get("workspace"):
            need = ctypes.c_size_t()
            self.check(getattr(self.lib, f"pg_{op}_workspace")(*args, ctypes.byref(need)))
            if self._workspace[1] < need.value:
                self._workspace = (self.malloc(need.value), need.value)
            args += [ctypes.c_void_p(self._workspace[0] or None), need]
        args.append(None)

        def run(_keep: Any = keep) -> None:
            self.check(call(*args))

        return run

    def time(self, calls: Sequence[Callable[[], None]], repeats: int) -> float:
        """Median microseconds of one call; the calls take turns (their buffers exceed the cache).

        An untimed call goes first: the device is busy while the host enqueues the timed one.
        """
        events = []
        for _ in range(2):
            event = ctypes.c_void_p()
            self.check(self.lib.pg_event_create(ctypes.byref(event)))
            events.append(event)
        for call in calls:
            call()
        self.synchronize()
        times = []
        for i in range(repeats):
            calls[(i + 1) % len(calls)]()
            self.check(self.lib.pg_event_record(events[0], None))
            calls[i % len(calls)]()
            self.check(self.lib.pg_event_record(events[1], None))
            self.check(self.lib.pg_event_synchronize(events[1]))
            ms = ctypes.c_float()
            self.check(self.lib.pg_event_elapsed_ms(events[0], events[1], ctypes.byref(ms)))
            times.append(ms.value * 1e3)
        for event in events:
            self.check(self.lib.pg_event_destroy(event))
        return statistics.median(times)

    def random(self, shape: Sequence[int], dtype: str = "f32", *, seed: int = 1) -> Array:
        """Values that look uniform in [-1, 1): a hash of the element's number."""
        bits = self.random_bits(shape, seed)
        value = Array(self, shape, "f32")
        self.bind("cast", bits, value)()
        self.bind("mul", value, self.scalar(2.0**-31, "f32"), value)()
        if dtype == "f32":
            return value
        out = Array(self, shape, dtype)
        self.bind("cast", value, out)()
        return out

    def random_bits(self, shape: Sequence[int], seed: int) -> Array:
        """Hashed element numbers as i32."""
        x, t = Array(self, shape, "i32"), Array(self, shape, "i32")
        self.bind("arange", x, start=float(seed * 7919), step=1.0)()
        for shift, factor in ((16, 0x21F0AAAD), (15, 0x735A2D97), (15, 1)):
            self.bind("right_shift", x, self.scalar(shift, "i32"), t)()
            self.bind("bitwise_xor", x, t, x)()
            self.bind("mul", x, self.scalar(factor, "i32"), x)()
        return x

    def indices(self, count: int, below: int, seed: int = 3) -> Array:
        """Hashed i64 indices in [0, below)."""
        bits, out = self.random_bits((count,), seed), Array(self, (count,), "i64")
        self.bind("remainder", bits, self.scalar(below, "i32"), bits)()
        self.bind("cast", bits, out)()
        return out

    def scalar(self, value: float, dtype: str) -> Array:
        """One element, for broadcasting."""
        out = Array(self, (), dtype)
        self.bind("fill", out, value=float(value))()
        return out
