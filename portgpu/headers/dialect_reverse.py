"""HIP names on CUDA: which name of a mapping family stands for which, read backwards."""

from __future__ import annotations

import functools
import re

from portgpu import mapping, resources
from portgpu.mapping import Entry, Kind, Status

# Defined by hand, where the form differs; the table's names leave them out.
_BY_HAND = ("hip", "detail", "hip_on_cuda_host.h")
_DEFINITION = re.compile(r"#define (\w+)|cudaError_t (hip\w+)\(|(?:using|struct) (hip\w+)")

_NOT_NAMES = (Kind.HEADER, Kind.LIBRARY, Kind.FLAG, Kind.CMAKE, Kind.NAMESPACE)


def names(*families: str, prefix: str = "") -> list[tuple[str, str]]:
    """(HIP name, CUDA name) of the families' rows that have both, sorted by HIP name.

    `prefix` keeps CUDA names that start so: the error table also holds the driver's names. Of
    several CUDA names for one the living win over removed ones, the undeprecated over deprecated
    ones, then the one spelt alike, then the shorter. A CUDA name that a toolkit lacks matters
    only where it is used.
    """
    best: dict[str, Entry] = {}
    for family in families:
        for entry in mapping.load().family(family):
            if not _usable(entry, prefix):
                continue
            old = best.get(entry.hip)
            if old is None or _rank(entry) < _rank(old):
                best[entry.hip] = entry
    return sorted((hip, entry.cuda) for hip, entry in best.items())


@functools.cache
def _by_hand() -> frozenset[str]:
    text = resources.templates("reverse", *_BY_HAND).read_text(encoding="utf-8")
    return frozenset(name for found in _DEFINITION.findall(text) for name in found if name)


def _usable(entry: Entry, prefix: str) -> bool:
    return (
        entry.hip not in ("", entry.cuda)
        and entry.hip.isidentifier()
        and entry.cuda.isidentifier()
        and entry.hip not in _by_hand()
        and entry.kind not in _NOT_NAMES
        and entry.status is not Status.UNSUPPORTED
        and entry.cuda.startswith(prefix)
    )


def _rank(entry: Entry) -> tuple[bool, bool, bool, int, str]:
    alike = entry.cuda.lower().removeprefix("cu").removeprefix("da")
    other = entry.hip.lower().removeprefix("hip")
    dead, old = bool(entry.cuda_removed), bool(entry.cuda_deprecated)
    return dead, old, alike != other, len(entry.cuda), entry.cuda
