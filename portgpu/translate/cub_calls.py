"""Calls of CUB's device-wide algorithms whose shorter forms hipCUB lacks in some version."""

from __future__ import annotations

import re

from portgpu.translate import api
from portgpu.translate.model import Context

# Scan in place -> how many arguments it has without a stream.
_IN_PLACE = {b"InclusiveSum": 4, b"ExclusiveSum": 4, b"InclusiveScan": 5, b"ExclusiveScan": 6}
_STREAM = re.compile(rb"stream|\bs\b", re.IGNORECASE)


def rewrite(context: Context) -> None:
    """`DeviceScan::InclusiveSum(temp, bytes, data, n)` names its data twice, as hipCUB wants."""
    source = context.source
    if context.is_hip or context.options.hipify or b"DeviceScan" not in source.places:
        return
    for i in source.places[b"DeviceScan"]:
        function = source.word(i + 2)
        if source.word(i + 1) != b"::" or function not in _IN_PLACE or source.word(i + 3) != b"(":
            continue
        close = source.match.get(i + 3)
        if close is None:
            continue
        given = source.split_commas(i + 4, close - 1)
        plain = _IN_PLACE[function]
        if len(given) == plain or (
            len(given) == plain + 1 and _STREAM.search(_text(context, *given[-1]))
        ):
            first, last = given[2]
            words = set(source.text[first : last + 1]) - {b"thrust"}
            if not any(api.interesting[word] for word in words):  # what is copied stays as it is
                context.insert_after(last, b", " + _text(context, first, last))


def _text(context: Context, first: int, last: int) -> bytes:
    start, end = context.source.span(first, last)
    return context.source.data[start:end]
