"""nvcuda::wmma: what our header does not have of it, and what it costs."""

from __future__ import annotations

from portgpu.findings import Severity
from portgpu.source.syntax import Include
from portgpu.translate.model import Context

# Products of single bits and of 4-bit numbers.
_LACKS = frozenset((b"bmma_sync", b"bmmaBitOp", b"bmmaAccumulateOp", b"experimental"))


def tell(context: Context, include: Include) -> None:
    """Reports at the include of mma.h, and at the names that our header lacks."""
    source = context.source
    context.report_span(
        "PG1003",
        include.start,
        include.end,
        "fragments are computed by plain code over 32 lanes, without matrix units",
        hint="for speed on AMD write the tile with rocWMMA, whose fragments belong to whole waves",
        severity=Severity.NOTE,
        symbol=include.name,
    )
    for name in _LACKS:
        for i in source.places.get(name, ()):
            if name == b"experimental" and source.word(i - 2) not in (b"wmma", b"nvcuda"):
                continue
            context.report(
                "PG1203", i, f"{name.decode()}: fragments of single bits and 4-bit numbers"
            )
