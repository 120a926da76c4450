"""Scratch memory for ops: one buffer a thread, device and stream, grown when an op needs more."""

from __future__ import annotations

import threading

from portgpu.ops.abi import Library

_GRAIN = 1 << 16


class WorkspaceCache:
    """Buffers by (thread, device, stream). Ops of one stream run in order, so they can share one.

    A buffer that is too small is freed after the stream's work and replaced by a larger one.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._buffers: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._lock = threading.Lock()

    def get(self, size: int, device: int, stream: int) -> int:
        """Address of at least `size` bytes (0 for size 0), aligned as the allocator aligns."""
        if size == 0:
            return 0
        key = (threading.get_ident(), device, stream)
        address, have = self._buffers.get(key, (0, 0))
        if have >= size:
            return address
        with self._lock:
            if address:
                del self._buffers[key]
                self._library.synchronize(stream)
                self._library.free(address)
            wanted = -(-size // _GRAIN) * _GRAIN
            address = self._library.malloc(wanted)
            self._buffers[key] = (address, wanted)
        return address

    def clear(self) -> None:
        """Free all buffers; no op may be running."""
        with self._lock:
            buffers, self._buffers = self._buffers, {}
            for address, _ in buffers.values():
                self._library.free(address)

    @property
    def bytes(self) -> int:
        """Bytes held."""
        return sum(size for _, size in self._buffers.values())
