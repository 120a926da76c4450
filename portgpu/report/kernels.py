"""Kernel resources as rows of a table, the same for all formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from portgpu.binary import Kernel, occupancy
from portgpu.binary.demangle import short
from portgpu.report.views import visible

# (title, what it is); the order of `row`.
COLUMNS = (
    ("kernel", "function with its template arguments"),
    ("arch", "architecture"),
    ("registers", "per thread; VGPRs on AMD"),
    ("SGPRs", "AMD only"),
    ("AGPRs", "AMD only"),
    ("spills", "NVIDIA: bytes of spill stores; AMD: registers; ? where the binary does not tell"),
    ("shared", "static shared memory, bytes"),
    ("stack", "bytes per thread"),
    ("block", "threads a block that occupancy is for"),
    ("occupancy", "resident warps or waves of the most possible, in percent"),
    ("limited by", "what stops more of them"),
)


@dataclass(frozen=True, slots=True)
class ArchSummary:
    """One architecture's kernels in numbers."""

    arch: str
    kernels: int
    registers: int  # the most
    spilling: int
    unknown: int  # kernels whose spills the binary does not tell
    shared: int  # the most, bytes
    low: int  # kernels under a quarter of full occupancy


def row(kernel: Kernel) -> list[Any]:
    """One row in the order of `COLUMNS`; None where a value does not exist."""
    amd = kernel.arch.startswith("gfx")
    fits = occupancy.of(kernel)
    return [
        visible(short(kernel.name)),
        kernel.arch,
        kernel.registers,
        kernel.sgprs if amd else None,
        kernel.agprs if amd else None,
        "?" if kernel.spills is None else kernel.spills,
        kernel.shared,
        kernel.stack,
        fits.block if fits else None,
        round(100 * fits.fraction) if fits else None,
        fits.limit if fits and fits.limit != "-" else "",
    ]


def rows(kernels: Sequence[Kernel]) -> list[list[Any]]:
    """All rows once: those that spill first, then by occupancy from low to high, then by name."""

    def order(one: tuple[Any, ...]) -> tuple[bool, float, tuple[str, ...]]:
        return one[5] in (0, "?"), 101 if one[9] is None else one[9], tuple(map(str, one))

    return [list(r) for r in sorted({tuple(row(k)) for k in kernels}, key=order)]


def by_arch(kernels: Sequence[Kernel]) -> list[ArchSummary]:
    """Numbers of each architecture, in the architectures' order."""
    from portgpu.toolchain.archs import sort_key

    groups: dict[str, list[Kernel]] = {}
    for kernel in {(k.name, k.arch): k for k in kernels}.values():
        groups.setdefault(kernel.arch, []).append(kernel)
    found = []
    for arch in sorted(groups, key=sort_key):
        its = groups[arch]
        fits = [occupancy.of(k) for k in its]
        found.append(
            ArchSummary(
                arch,
                len(its),
                max(k.registers for k in its),
                sum(bool(k.spills) for k in its),
                sum(k.spills is None for k in its),
                max(k.shared for k in its),
                sum(f is not None and f.fraction < 0.25 for f in fits),
            )
        )
    return found
