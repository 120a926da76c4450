"""The caching allocator of an op library, as people see it: `ops.memory`."""

from __future__ import annotations

from portgpu.ops import abi
from portgpu.ops.errors import OpValueError
from portgpu.ops.runtime import MemoryStats


class Memory:
    """Memory that ops and their results take, on the current device.

    Blocks are kept by stream and size class and reused in stream order, so that a steady state asks
    the device for nothing. `PORTGPU_MEMORY_LIMIT` (bytes) bounds what is reserved; nine tenths of
    the device's memory is the default.
    """

    def __init__(self, library: abi.Library) -> None:
        self._library = library

    def stats(self) -> MemoryStats:
        """Bytes in use and reserved, and how often the device was asked."""
        return self._library.memory_stats()

    def trim(self, keep: int = 0) -> None:
        """Give idle memory back until at most `keep` bytes are reserved; waits for the device."""
        self._library.memory_trim(keep)

    def limit(self, size: int | None) -> None:
        """Reserve at most `size` bytes from now on; None for the default."""
        if size is not None and size <= 0:
            raise OpValueError(f"a limit of {size} bytes", hint="pass a positive number, or None")
        self._library.memory_limit(size or 0)

    def __repr__(self) -> str:
        stats = self.stats()
        return f"<memory: {stats.in_use:,} bytes in use, {stats.reserved:,} reserved>"
