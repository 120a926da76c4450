"""Compilers and devices: what is here, what it can build, and why it was chosen."""

from portgpu.toolchain.archs import Arch, lookup, parse, parse_list, require_known, table
from portgpu.toolchain.cuda import find_cuda
from portgpu.toolchain.host import Tool, find_host, find_tool
from portgpu.toolchain.model import (
    Candidate,
    Options,
    Toolchain,
    facts,
    install_commands,
    install_hint,
)
from portgpu.toolchain.rocm import find_rocm

__all__ = [
    "Arch",
    "Candidate",
    "Options",
    "Tool",
    "Toolchain",
    "facts",
    "find_cuda",
    "find_for",
    "find_host",
    "find_rocm",
    "find_tool",
    "install_commands",
    "install_hint",
    "lookup",
    "parse",
    "parse_list",
    "require_known",
    "table",
]


def find_for(target: str, options: Options | None = None) -> Toolchain:
    """The toolchain of a target (`cuda`, `rocm`, `cpu`)."""
    return {"cuda": find_cuda, "rocm": find_rocm, "cpu": find_host}[target](options)
