"""How many warps of a kernel fit on a multiprocessor (NVIDIA) or compute unit (AMD), and why.

Rules: CUDA's occupancy calculator and programming guide; LLVM's AMDGPUBaseInfo for AMD. Dynamic
shared memory is not in a binary, so the result is an upper limit.
"""

from __future__ import annotations

from dataclasses import dataclass

from portgpu.binary.model import Kernel
from portgpu.toolchain.archs import Arch, lookup

DEFAULT_BLOCK = 256
_REGISTERS = 65536
_REGISTER_UNIT = 256  # allocated for a warp at a time
_PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident warps of at most `most`; `limit` names what stops more of them."""

    warps: int
    most: int
    block: int
    limit: str

    @property
    def fraction(self) -> float:
        """Between 0 (does not fit at all) and 1."""
        return self.warps / self.most


def of(kernel: Kernel, block: int = 0) -> Occupancy | None:
    """Occupancy at `block` threads; None for architectures whose limits are not in the table.

    Without `block`: the kernel's launch bound, or 256 where it has none (AMD's compilers then write
    1024).
    """
    arch = lookup(kernel.arch)
    if arch is None or not arch.limits:
        return None
    if not block:
        unbounded = kernel.threads == 0 or (arch.vendor == "amd" and kernel.threads >= 1024)
        block = DEFAULT_BLOCK if unbounded else kernel.threads
    return _nvidia(kernel, arch, block) if arch.vendor == "nvidia" else _amd(kernel, arch, block)


def _nvidia(kernel: Kernel, arch: Arch, block: int) -> Occupancy:
    limits = arch.limits
    warps = -(-block // 32)
    by = {"block size": limits["warps"] // warps, "blocks": limits["blocks"]}
    if kernel.registers:
        each = _round_up(kernel.registers * 32, _REGISTER_UNIT)
        by["registers"] = _REGISTERS // _PARTITIONS // each * _PARTITIONS // warps
    modern = int(arch.name[3:]) >= 80
    shared = kernel.shared + (1024 if modern else 0)
    if kernel.shared:
        each = _round_up(shared, 128 if modern else 256)
        by["shared"] = limits["shared"] * 1024 // each
    return _result(by, warps, limits["warps"], block)


def _amd(kernel: Kernel, arch: Arch, block: int) -> Occupancy:
    limits = arch.limits
    wave = kernel.wave or arch.wave
    vgprs, granule = limits["vgprs"], limits["granule"]
    if wave == 64 and arch.wave == 32:
        vgprs, granule = vgprs // 2, granule // 2
    warps = -(-block // wave)
    most = limits["waves"] * limits["simds"]
    by = {"block size": most // warps, "blocks": most}
    if kernel.registers:
        each = _round_up(kernel.registers, granule)
        by["registers"] = min(limits["waves"], vgprs // each) * limits["simds"] // warps
    if arch.name.startswith("gfx9"):
        by["sgprs"] = min(limits["waves"], _waves_by_sgprs(kernel.sgprs)) * limits["simds"] // warps
    if kernel.shared:
        by["shared"] = limits["lds"] * 1024 // _round_up(kernel.shared, 512)
    return _result(by, warps, most, block)


def _waves_by_sgprs(count: int) -> int:
    for most, waves in ((80, 10), (88, 9), (100, 8)):
        if count <= most:
            return waves
    return 7


def _result(by: dict[str, int], warps: int, most: int, block: int) -> Occupancy:
    blocks = min(by.values())
    full = blocks * warps >= most
    limit = "-" if full else next(name for name, count in _ordered(by) if count == blocks)
    return Occupancy(blocks * warps, most, block, limit)


def _ordered(by: dict[str, int]) -> list[tuple[str, int]]:
    # What the author can change comes first when several limits are equal.
    order = ["registers", "sgprs", "shared", "block size", "blocks"]
    return sorted(by.items(), key=lambda item: order.index(item[0]))


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
