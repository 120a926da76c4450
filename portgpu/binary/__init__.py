"""Reads binaries back: device architectures, kernels, registers, spills. Needs no vendor SDK."""

from portgpu.binary.model import Contents, Image, Kernel
from portgpu.binary.read import read

__all__ = ["Contents", "Image", "Kernel", "read"]
