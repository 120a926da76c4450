"""Streams, events and graphs of an op library.

with ops.stream() as s:            # arrays without a framework work on s in this thread
    y = ops.exp(x)
event = s.record()

with ops.capture() as graph:       # recorded, not run
    ops.add(w, step, out=w)
graph.replay()                     # as often as wanted, with one launch
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from portgpu.ops import abi, frameworks
from portgpu.ops.errors import OpError, OpValueError


class Event:
    """A point in the work of a stream. From a pool: making one costs little."""

    def __init__(self, library: abi.Library) -> None:
        self._library = library
        self.handle = library.event_create()

    def record(self, stream: Any = None) -> Event:
        """Happen when what is queued on `stream` (default: the current one) has ended."""
        self._library.event_record(self.handle, _handle(self._library, stream))
        return self

    def synchronize(self) -> None:
        """Wait until it has happened."""
        self._library.event_synchronize(self.handle)

    @property
    def done(self) -> bool:
        """Whether it has happened."""
        return self._library.event_query(self.handle)

    def elapsed(self, later: Event) -> float:
        """Milliseconds from this event to `later`, after waiting for both."""
        self.synchronize()
        later.synchronize()
        return self._library.event_elapsed(self.handle, later.handle)

    def __del__(self) -> None:
        try:
            self._library.event_destroy(self.handle)
        except Exception:
            return  # interpreter or device runtime is going away


class Stream:
    """Work that runs in order, beside that of other streams.

    As a context it is the thread's current stream for arrays that have no framework (PyTorch and
    CuPy keep their own). It is destroyed with its last reference, when its work has ended.
    """

    def __init__(self, library: abi.Library) -> None:
        self._library = library
        self._before: list[int] = []
        self.handle = library.stream_create()

    def __enter__(self) -> Stream:
        self._before.append(self._library.current_stream())
        self._library.use_stream(self.handle)
        return self

    def __exit__(self, *_: object) -> None:
        self._library.use_stream(self._before.pop())

    def synchronize(self) -> None:
        """Wait for its work; errors of earlier kernels surface here."""
        self._library.synchronize(self.handle)

    def record(self) -> Event:
        """An event after what is queued now."""
        return Event(self._library).record(self)

    def wait(self, other: Event | Stream) -> None:
        """Later work waits for an event, or for what another stream has queued now."""
        event = other.record() if isinstance(other, Stream) else other
        self._library.stream_wait_event(self.handle, event.handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __del__(self) -> None:
        try:
            self._library.stream_destroy(self.handle)
        except Exception:
            return  # interpreter or device runtime is going away


class Graph:
    """Work that was captured once and runs with one launch.

    The graph keeps every array that its ops used, so that addresses stay valid; to give new values,
    write into the same arrays. Its own memory goes back to the allocator with it.
    """

    def __init__(self, library: abi.Library, caller: Any) -> None:
        self._library = library
        self._caller = caller
        self._handle = 0
        self._stream: Stream | None = None
        self._complete = False
        self.arrays: list[Any] = []
        self.leader: Any = None

    @property
    def ops(self) -> int:
        """How many ops were captured."""
        return len(self.arrays)

    def keep(self, arrays: list[Any], leader: Any) -> None:
        """Called for each captured op: what must stay alive, and whose stream decides."""
        self.arrays.append(arrays)
        if self.leader is None:
            self.leader = leader

    def __enter__(self) -> Graph:
        if self._handle:
            raise OpValueError("this graph has been captured", hint="make another: ops.capture()")
        if self._caller.capturing:
            raise OpError(
                "a capture cannot begin during a capture", hint="end the outer `with` block first"
            )
        self._stream = Stream(self._library)
        self._handle = self._library.graph_begin(self._stream.handle)
        self._stream.__enter__()
        self._caller.begin_capture(self, self._stream.handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        assert self._stream is not None
        self._caller.end_capture()
        self._stream.__exit__()
        try:
            if kind is None:
                self._library.graph_end(self._handle)
                self._complete = True
        finally:
            if not self._complete:
                self._destroy()

    def replay(self, stream: Any = None) -> None:
        """Run the captured work on `stream`; by default the framework's current stream."""
        if not self._complete:
            raise OpError(
                "the graph has no complete capture", hint="with ops.capture() as graph: ..."
            )
        if stream is None and self.leader is not None:
            handle = frameworks.current_stream(*self.leader) or self._library.current_stream()
        else:
            handle = _handle(self._library, stream)
        self._library.graph_launch(self._handle, handle)

    def _destroy(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            self._library.graph_destroy(handle)
        self._complete = False
        self.arrays.clear()
        self.leader = None

    def __del__(self) -> None:
        try:
            self._destroy()
        except Exception:
            return  # interpreter or device runtime is going away


def _handle(library: abi.Library, stream: Any) -> int:
    return library.current_stream() if stream is None else frameworks.stream_handle(stream)
