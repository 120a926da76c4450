"""What is read back from a binary: device images and their kernels."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel for one architecture.

    Registers are per thread: `registers` is NVIDIA's count or AMD's VGPRs, `sgprs` and `agprs` are
    AMD's. `shared` (static), `stack` are bytes. `spills`: bytes of spill stores (NVIDIA), number of
    spilled registers (AMD), None when the binary does not tell (an NVIDIA kernel that has a stack:
    local arrays and spills look alike). `threads` is the launch bound, 0 without.
    """

    name: str
    arch: str
    registers: int
    shared: int = 0
    stack: int = 0
    spills: int | None = 0
    sgprs: int = 0
    agprs: int = 0
    threads: int = 0
    wave: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain data for `build.json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Image:
    """Device code for one architecture: a cubin, PTX (`compute_90`) or an AMD code object."""

    arch: str
    kind: str  # cubin | ptx | hsaco
    kernels: tuple[Kernel, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Contents:
    """All that one file holds. `machine` is the host's processor, empty for bare device code."""

    path: str
    machine: str
    images: tuple[Image, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def archs(self) -> tuple[str, ...]:
        """The device architectures, in order, each once."""
        from portgpu.toolchain.archs import sort_key

        return tuple(sorted({image.arch for image in self.images}, key=sort_key))

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels of all images."""
        return tuple(kernel for image in self.images for kernel in image.kernels)
