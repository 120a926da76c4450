"""cuTENSOR's names as hipTensor's, for HIPIFY's text: both libraries have version 2's functions."""

from __future__ import annotations

import csv
import functools

from portgpu import resources
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

HEADERS = {
    "cutensor.h": "hiptensor/hiptensor.h",
    "cutensor/types.h": "hiptensor/hiptensor_types.h",
}
# cuTENSOR has pointers to descriptors there, hipTensor an enum.
_DIFFER = frozenset(
    b"cutensorComputeDescriptor_t cutensorCreateContraction cutensorCreatePermutation"
    b" cutensorCreateReduction cutensorCreateElementwiseBinary"
    b" cutensorCreateElementwiseTrinary".split()
)


@functools.cache
def names() -> dict[bytes, bytes]:
    """hipTensor's names by cuTENSOR's, as in the headers of cuTENSOR 2.8 and hipTensor 2."""
    with resources.data("hiptensor.csv").open(encoding="utf-8", newline="") as file:
        return {row["cuda"].encode(): row["hiptensor"].encode() for row in csv.DictReader(file)}


def rewrite(context: Context, declared: Declarations) -> None:
    """Renames what hipTensor has; what it lacks stays for the residue."""
    source = context.source
    if b"cutensor" not in source.data and b"CUTENSOR" not in source.data:
        return
    known = names()
    for word in known.keys() & source.places.keys():
        for i in source.places[word]:
            if (
                i in context.claimed
                or not source.is_ident(i)
                or source.word(i - 1) in (b".", b"->", b"goto")
                or (source.word(i - 1) == b"::" and source.is_ident(i - 2))
                or declared.covers(i)
            ):
                continue
            context.replace(i, known[word])
            if word in _DIFFER:
                context.report(
                    "PG1003",
                    i,
                    f"{word.decode()}: a compute descriptor is an enum in hipTensor, no pointer",
                )
