"""Follows a program's own includes and writes it, translated, below the build folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from portgpu.atomic import replace_file
from portgpu.errors import InputError, OutputError

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
_HIP = re.compile(rb"\bhip(?:[A-Z]\w+|_runtime|_fp16|rand)\b|\bhip/")
_CUDA = re.compile(
    rb"\bcuda[A-Z_]\w*|__\w+_sync\b|\b(?:__shfl|__ballot|__any|__all)\w*\b|\bcu[a-z]+_"
)
_DEVICE = re.compile(rb"__global__|__device__|<<<|cuda_runtime|hip_runtime|portgpu\.h")
_CUDA_SUFFIXES = (".cu", ".cuh")


@dataclass(frozen=True, slots=True)
class File:
    """One file of the program: where it is, its bytes, whether it was named on the command line."""

    path: Path
    data: bytes
    is_source: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """All files of a program that an include chain reaches."""

    files: tuple[File, ...]

    @property
    def text(self) -> bytes:
        return b"\n".join(f.data for f in self.files)

    @property
    def language(self) -> str:
        """`hip`, `cuda` or `dialect`: which vendor's names the program is written in."""
        names = [name for _, name in _INCLUDE.findall(self.text)]
        if any(n.startswith((b"hip/", b"hiprand/", b"hipcub/")) for n in names):
            return "hip"
        dialect = b"portgpu.h" in names
        if not dialect and _HIP.search(self.text) and not _CUDA.search(self.text):
            return "hip"
        if dialect and not _CUDA.search(self.text):
            return "dialect"
        return "cuda"


def collect(sources: Iterable[Path], includes: Iterable[Path]) -> Tree:
    """Read sources and the files of the project that they include, each once.

    Raises `InputError` for a source that is missing or holds nothing for a device or a host
    compiler. System headers and vendors' headers are not followed.
    """
    folders = [folder.resolve() for folder in includes]
    todo: list[tuple[Path, bool]] = []
    for source in sources:
        if not source.is_file():
            raise InputError(
                f"{source}: {'is a folder' if source.is_dir() else 'no such file'}",
                hint="name the source files of one program: portgpu run main.cu kernels.cu",
            )
        todo.append((source.resolve(), True))
    seen: set[Path] = set()
    files: list[File] = []
    while todo:
        path, is_source = todo.pop(0)
        if path in seen:
            continue
        seen.add(path)
        data = path.read_bytes()
        files.append(File(path, data, is_source))
        for kind, name in _INCLUDE.findall(data):
            target = os.fsdecode(name)
            places = [*([path.parent] if kind == b'"' else []), *folders]
            hit = next((p / target for p in places if (p / target).is_file()), None)
            if hit is not None:
                # Not resolved: a path through a link keeps its place in the copy.
                todo.append((Path(os.path.normpath(hit)), False))
    return Tree(tuple(files))


def write(tree: Tree, root: Path, change: Callable[[File], bytes]) -> dict[Path, Path]:
    """Write every file below `root` at its own absolute path; returns original -> copy.

    Each copy starts with a #line directive, so that compilers and diagnostics name the original.
    """
    copies: dict[Path, Path] = {}
    here = Path.cwd()
    for file in tree.files:
        copy = root / file.path.relative_to(file.path.anchor)
        shown = file.path.relative_to(here) if file.path.is_relative_to(here) else file.path
        name = str(shown).replace("\\", "\\\\").replace('"', '\\"')
        text = f'#line 1 "{name}"\n'.encode() + change(file).removeprefix(b"\xef\xbb\xbf")
        write_file(copy, text)
        copies[file.path] = copy
    return copies


def write_file(path: Path, data: bytes) -> None:
    """Write atomically, and only when the content differs; raises `OutputError`."""
    try:
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data, 0o600)
    except OSError as error:
        raise OutputError(
            f"{error.filename or path}: {error.strerror}",
            hint="choose a build folder that can be written: --build-dir DIR",
        ) from error


def is_device_code(file: File) -> bool:
    """Whether nvcc or hipcc would treat the file as device code."""
    return file.path.suffix in _CUDA_SUFFIXES or bool(_DEVICE.search(file.data))


def key(*parts: object) -> str:
    """A short content key of bytes, strings and paths."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:20]
