"""Good cases of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portgpu.testing.cases import Builder, Shape

Parts = tuple[list[Shape | None], list[Shape], dict[str, Any]]


def _parts(b: Builder, lead: Shape, n: int, **params: Any) -> Parts:
    half = (*lead, n // 2 + 1, 2)
    algorithm = {"algorithm": 2, **params}
    if b.op.name == "rfft":
        return [(*lead, n)], [half], algorithm
    if b.op.name == "irfft":
        return [half], [(*lead, n)], algorithm
    return [(*lead, n, 2)], [(*lead, n, 2)], {"inverse": False, **algorithm}


def _fft(b: Builder) -> None:
    # Powers of two and others on both sides of what fits into shared memory; 4099 is a prime.
    sizes = sorted({*b.sizes, 2, 4, 8, 16, 100, 512, 513, 2048, 4096} - {0})
    for n in sizes:
        if n < 2000 or b.level == "full" or b.first:
            b.add(f"n{n}", *_parts(b, (3,), n), repeat=n in (257, 1024, 4099))
    for n in (16384, 10007):  # more rows than go through the workspace at once
        b.add(f"rows-of-{n}", *_parts(b, (2**21 // n + 7,), n), heavy=True)
    if b.op.name == "fft":
        for n in b.pick([1, 31, 64, 100, 1025], 2):
            b.add(f"inverse{n}", *_parts(b, (2,), n, inverse=True))
    b.add("one-row", *_parts(b, (), 96))
    b.add("no-rows", *_parts(b, (0,), 16))
    b.add("many-rows", *_parts(b, (3001,), 8))
    b.add("auto", *_parts(b, (3,), 60, algorithm=0))  # the library, where there is one
    b.add("auto-power", *_parts(b, (5,), 256, algorithm=0))
    inputs, outputs, params = _parts(b, (3, 5), 32)
    b.layouts("3d", inputs, outputs, params)
    inputs, outputs, params = _parts(b, (3, 2), 33)
    b.layouts("odd", inputs, outputs, params)


RULES: dict[str, Callable[[Builder], None]] = {"fft": _fft, "irfft": _fft}
TYPICAL: dict[str, Callable[[Builder], Parts]] = {
    "fft": lambda b: _parts(b, (3,), 13),
    "irfft": lambda b: _parts(b, (3,), 13),
}
