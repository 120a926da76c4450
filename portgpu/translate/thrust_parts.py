"""Thrust's headers include more of each other in CUDA than in rocThrust: what is used is added."""

from __future__ import annotations

import csv
import functools

from portgpu import resources
from portgpu.translate.covered import branches_of
from portgpu.translate.model import Context


@functools.cache
def _headers() -> dict[bytes, str]:
    """Name in `thrust::` -> the header that has it."""
    path = resources.data("translate", "thrust_headers.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["name"].encode(): row["header"] for row in csv.DictReader(file)}


def needed(context: Context, at: int) -> list[str]:
    """Headers of Thrust whose names the file uses without including them, to be added at `at`.

    Only for a file that includes another part of Thrust, under the same conditions as at `at`.
    """
    source = context.source
    if context.is_hip or b"thrust" not in source.data:
        return []
    have = {i.name for i in source.includes if i.name.startswith("thrust/")}
    if not have:
        return []
    branches = branches_of(source)
    here = branches.at(at)
    if not any(
        branches.at(i.start) <= here for i in source.includes if i.name.startswith("thrust/")
    ):
        return []
    found = set()
    for i, word in enumerate(source.text):
        if word == b"thrust" and source.word(i + 1) == b"::":
            header = _headers().get(source.word(i + 2))
            if header and source.word(i - 1) != b"::" and header not in have:
                found.add(header)
    return sorted(found)
