"""What kind of source a file is, and so how a target's compiler takes it.

nvcc and hipcc hand plain C++ files to the host's compiler; only files with kernels, or that need
the GPU's host interface, are compiled as device code. The same holds here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from portgpu.build.model import Kind
from portgpu.run.sources import File, Tree, is_device_code
from portgpu.translate import tree

# What only a device compiler takes in a file that is no .cu file.
_KERNEL = re.compile(rb"__global__|__device__|<<<")
_WIDER = re.compile(rb"\bportgpu\.h\b|\bhip/")
_CUDA_ONLY = frozenset((".cu", ".cuh"))


def kinds(target: str, sources: Iterable[Path], files: Iterable[tree.File]) -> dict[Path, Kind]:
    """The kind of each source; `files` are the sources and the headers that they include."""
    known = {file.source: file for file in files}
    return {path: _kind(target, path, known) for path in sources}


def closure(path: Path, known: Mapping[Path, tree.File]) -> list[tree.File]:
    """A file and all files of the project that it includes, directly or not."""
    found: dict[Path, tree.File] = {}
    stack = [path]
    while stack:
        at = stack.pop()
        if at in found or at not in known:
            continue
        found[at] = known[at]
        stack += known[at].includes.values()
    return list(found.values())


def _kind(target: str, path: Path, known: Mapping[Path, tree.File]) -> Kind:
    if path.suffix == ".c":
        return Kind.C
    tree = Tree(tuple(File(f.source, f.data, f.source == path) for f in closure(path, known)))
    if path.suffix not in (*_CUDA_ONLY, ".hip"):
        if target == "cuda":
            # nvcc's own rule, widened: hipcc takes every .cpp for device code, and so do we for
            # whatever uses the dialect.
            if not _KERNEL.search(known[path].data) and not _WIDER.search(tree.text):
                return Kind.HOST
        elif not any(is_device_code(file) for file in tree.files):
            return Kind.HOST
    if path.suffix == ".hip" or tree.language != "cuda":
        return Kind.NATIVE
    return Kind.CUDA
