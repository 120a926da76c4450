"""Runtime calls of an op library by ctypes: devices, memory, streams, events, graphs.

Every failure is an `OpError` subclass whose text names the call. What people use is on top:
`portgpu.ops.streams` and `portgpu.ops.memory`.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

H2D, D2H, D2D = 0, 1, 2  # pg_copy_kind
DEVICE, MANAGED = 0, 1  # pg_memory_kind


class _DeviceProps(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 128),
        ("arch", ctypes.c_char * 64),
        ("warp_size", ctypes.c_int32),
        ("compute_units", ctypes.c_int32),
        ("shared_bytes_per_block", ctypes.c_int64),
        ("total_memory", ctypes.c_int64),
    )


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What `pg_device_info` says about one device. Sizes are bytes."""

    name: str
    arch: str
    warp_size: int
    compute_units: int
    shared_bytes_per_block: int
    total_memory: int


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """The allocator on one device. Bytes in use are rounded to size classes.

    `device_allocs` and `device_frees` count calls of the device's own allocator: in a steady state
    they stand still.
    """

    in_use: int
    most_in_use: int
    reserved: int
    most_reserved: int
    limit: int
    allocs: int
    reused: int
    device_allocs: int
    device_frees: int


_STATS = tuple(MemoryStats.__dataclass_fields__)
_VOID, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_OUT = ctypes.POINTER(_VOID)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "pg_malloc": (_OUT, _SIZE),
    "pg_free": (_VOID,),
    "pg_memcpy": (_VOID, _VOID, _SIZE, _INT, _VOID),
    "pg_memset": (_VOID, _INT, _SIZE, _VOID),
    "pg_alloc": (_OUT, _SIZE, _INT, _VOID),
    "pg_release": (_VOID, _VOID),
    "pg_memory_info": (ctypes.POINTER(ctypes.c_uint64 * len(_STATS)),),
    "pg_memory_trim": (_SIZE,),
    "pg_memory_limit": (_SIZE,),
    "pg_prefetch": (_VOID, _SIZE, _INT, _VOID),
    "pg_stream_create": (_OUT,),
    "pg_stream_destroy": (_VOID,),
    "pg_stream_synchronize": (_VOID,),
    "pg_stream_wait_event": (_VOID, _VOID),
    "pg_stream_capturing": (_VOID, ctypes.POINTER(_INT)),
    "pg_stream_host_call": (_VOID, _VOID, _VOID),
    "pg_set_library": (ctypes.c_char_p, ctypes.c_char_p),
    "pg_event_create": (_OUT,),
    "pg_event_destroy": (_VOID,),
    "pg_event_record": (_VOID, _VOID),
    "pg_event_synchronize": (_VOID,),
    "pg_event_query": (_VOID, ctypes.POINTER(_INT)),
    "pg_event_elapsed_ms": (_VOID, _VOID, ctypes.POINTER(ctypes.c_float)),
    "pg_graph_begin": (_VOID, _OUT),
    "pg_graph_end": (_VOID,),
    "pg_graph_launch": (_VOID, _VOID),
    "pg_graph_destroy": (_VOID,),
    "pg_device_count": (ctypes.POINTER(_INT),),
    "pg_set_device": (_INT,),
    "pg_get_device": (ctypes.POINTER(_INT),),
    "pg_device_info": (_INT, ctypes.POINTER(_DeviceProps)),
}


class Runtime:
    """The runtime part of `portgpu.ops.abi.Library`. Streams, events and graphs are handles."""

    _lib: Any
    check: Callable[[int, str], None]

    def _declare(self) -> None:
        for name, argtypes in _SIGNATURES.items():
            function = getattr(self._lib, name)
            function.argtypes = argtypes
            function.restype = ctypes.c_int
        self._local = threading.local()
        # While ops are captured: what their graph keeps alive.
        self.captured: list[Any] | None = None
        self.gone_streams: set[int] = set()  # destroyed: their work has ended
        # Called with the thread's new stream; the compiled binding listens here.
        self.on_stream: Callable[[int], None] | None = None

    def _made(self, name: str, *args: Any) -> int:
        out = ctypes.c_void_p()
        self.check(getattr(self._lib, name)(ctypes.byref(out), *args), name)
        return out.value or 0

    # Devices

    def device_count(self) -> int:
        """Devices that the library can see; 0 also when the driver is missing."""
        count = ctypes.c_int(0)
        return count.value if self._lib.pg_device_count(ctypes.byref(count)) == 0 else 0

    def device_info(self, device: int = 0) -> DeviceInfo:
        """Facts about a device."""
        props = _DeviceProps()
        self.check(self._lib.pg_device_info(device, ctypes.byref(props)), "pg_device_info")
        return DeviceInfo(
            props.name.decode("utf-8", "replace"),
            props.arch.decode("utf-8", "replace"),
            props.warp_size,
            props.compute_units,
            props.shared_bytes_per_block,
            props.total_memory,
        )

    def get_device(self) -> int:
        """The calling thread's current device."""
        device = ctypes.c_int(0)
        self.check(self._lib.pg_get_device(ctypes.byref(device)), "pg_get_device")
        return device.value

    def set_device(self, device: int) -> None:
        """Make `device` the calling thread's current one."""
        self.check(self._lib.pg_set_device(device), "pg_set_device")

    # Memory

    @contextlib.contextmanager
    def on_device(self, device: int) -> Iterator[None]:
        """Within the block `device` is the calling thread's current one."""
        before = self.get_device()
        if before == device:
            yield
            return
        self.set_device(device)
        try:
            yield
        finally:
            self.set_device(before)

    def malloc(self, size: int) -> int:
        """`size` bytes on the current device, from the device's own allocator."""
        return self._made("pg_malloc", size)

    def free(self, data: int) -> None:
        """Free memory of `malloc`; waits for work that uses it."""
        self.check(self._lib.pg_free(data), "pg_free")

    def alloc(self, size: int, stream: int = 0, *, managed: bool = False) -> int:
        """`size` bytes on the current device in the order of `stream`, from the caching allocator.

        `managed` memory is reached by host and device at one address. Raises `OpMemoryError`.
        """
        return self._made("pg_alloc", size, MANAGED if managed else DEVICE, stream)

    def release(self, data: int, stream: int = 0) -> None:
        """Give memory of `alloc` back; `stream` is that of its last use."""
        self.check(self._lib.pg_release(data, stream), "pg_release")

    def memory_stats(self) -> MemoryStats:
        """The allocator on the current device."""
        values = (ctypes.c_uint64 * len(_STATS))()
        self.check(self._lib.pg_memory_info(ctypes.byref(values)), "pg_memory_info")
        return MemoryStats(*values)

    def memory_trim(self, keep: int = 0) -> None:
        """Give idle memory back until at most `keep` bytes are reserved; waits for the device."""
        self.check(self._lib.pg_memory_trim(keep), "pg_memory_trim")

    def memory_limit(self, size: int) -> None:
        """Most bytes that the allocator reserves on the current device; 0 for the default."""
        self.check(self._lib.pg_memory_limit(size), "pg_memory_limit")

    def memcpy(self, dst: int, src: int, size: int, kind: int, stream: int = 0) -> None:
        """Copy `size` bytes, in stream order; `kind` is H2D, D2H or D2D."""
        self.check(self._lib.pg_memcpy(dst, src, size, kind, stream), "pg_memcpy")

    def prefetch(self, data: int, size: int, device: int, stream: int = 0) -> None:
        """Move managed memory to a device (-1: the host) ahead of its use."""
        self.check(self._lib.pg_prefetch(data, size, device, stream), "pg_prefetch")

    # Streams and events

    def current_stream(self) -> int:
        """The calling thread's stream for arrays that have no framework; 0 is the default one."""
        return int(getattr(self._local, "stream", 0))

    def use_stream(self, stream: int) -> None:
        """Make `stream` the calling thread's for arrays that have no framework."""
        self._local.stream = stream
        if self.on_stream is not None:
            self.on_stream(stream)

    def synchronize(self, stream: int = 0) -> None:
        """Wait for all work of `stream`; errors of earlier kernels surface here."""
        self.check(self._lib.pg_stream_synchronize(stream), "pg_stream_synchronize")

    def stream_create(self) -> int:
        """A new stream."""
        stream = self._made("pg_stream_create")
        self.gone_streams.discard(stream)
        return stream

    def stream_destroy(self, stream: int) -> None:
        """Destroy a stream of `stream_create`, when its work has ended."""
        self.check(self._lib.pg_stream_destroy(stream), "pg_stream_destroy")
        self.gone_streams.add(stream)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Later work of `stream` waits for the event."""
        self.check(self._lib.pg_stream_wait_event(stream, event), "pg_stream_wait_event")

    def stream_capturing(self, stream: int) -> bool:
        """Whether the stream is being captured, by whomever."""
        yes = ctypes.c_int(0)
        self.check(self._lib.pg_stream_capturing(stream, ctypes.byref(yes)), "pg_stream_capturing")
        return yes.value != 0

    def stream_host_call(self, stream: int, function: int, data: int) -> None:
        """Call a C function (its address) with `data` in the stream's order, on a host thread."""
        self.check(self._lib.pg_stream_host_call(stream, function, data), "pg_stream_host_call")

    def set_library(self, kind: str, path: str) -> None:
        """Where the vendor's library of `kind` ("blas", "fft") is, before its first use."""
        self.check(self._lib.pg_set_library(kind.encode(), path.encode()), "pg_set_library")

    def event_create(self) -> int:
        """An event, from the pool."""
        return self._made("pg_event_create")

    def event_destroy(self, event: int) -> None:
        """Give an event back to the pool."""
        self.check(self._lib.pg_event_destroy(event), "pg_event_destroy")

    def event_record(self, event: int, stream: int = 0) -> None:
        """The event happens when the work queued on `stream` so far has ended."""
        self.check(self._lib.pg_event_record(event, stream), "pg_event_record")

    def event_synchronize(self, event: int) -> None:
        """Wait for the event."""
        self.check(self._lib.pg_event_synchronize(event), "pg_event_synchronize")

    def event_query(self, event: int) -> bool:
        """Whether the event has happened."""
        done = ctypes.c_int(0)
        self.check(self._lib.pg_event_query(event, ctypes.byref(done)), "pg_event_query")
        return done.value != 0

    def event_elapsed(self, start: int, stop: int) -> float:
        """Milliseconds between two events that have happened."""
        ms = ctypes.c_float(0)
        self.check(
            self._lib.pg_event_elapsed_ms(start, stop, ctypes.byref(ms)), "pg_event_elapsed_ms"
        )
        return ms.value

    # Graphs

    def graph_begin(self, stream: int) -> int:
        """Record what is queued on `stream` instead of running it; returns the graph."""
        out = ctypes.c_void_p()
        self.check(self._lib.pg_graph_begin(stream, ctypes.byref(out)), "pg_graph_begin")
        return out.value or 0

    def graph_end(self, graph: int) -> None:
        """End the capture; the graph can be launched from now on."""
        self.check(self._lib.pg_graph_end(graph), "pg_graph_end")

    def graph_launch(self, graph: int, stream: int = 0) -> None:
        """Run the graph's work in the order of `stream`."""
        self.check(self._lib.pg_graph_launch(graph, stream), "pg_graph_launch")

    def graph_destroy(self, graph: int) -> None:
        """Destroy a graph, also one whose capture did not end; waits for the device."""
        self.check(self._lib.pg_graph_destroy(graph), "pg_graph_destroy")
