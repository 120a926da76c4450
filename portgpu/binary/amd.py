"""Reads AMD device code: clang's offload bundles (also compressed), code objects, metadata.

Sources: LLVM's documents "Clang Offload Bundler", "Clang Offload Packager" and "User Guide for
AMDGPU Backend" (code object metadata).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from portgpu.binary.compressed import decompress
from portgpu.binary.elf import Elf
from portgpu.binary.model import Image, Kernel
from portgpu.binary.msgpack import decode
from portgpu.errors import InputError

BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"
PACKAGE_MAGIC = b"\x10\xff\x10\xad"
_NT_METADATA = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """Device code for one architecture, as it lies in a file: a code object, or bitcode."""

    arch: str
    kind: str
    body: bytes = field(repr=False)

    @property
    def is_code_object(self) -> bool:
        return self.body.startswith(b"\x7fELF")

    def image(self, where: str) -> Image:
        """What it holds."""
        if self.is_code_object:
            return code_object(Elf(self.body, where), self.arch, len(self.body))
        return Image(self.arch, self.kind, (), len(self.body))


def bundle_entries(data: bytes, where: str) -> Iterator[Entry]:
    """All entries of the bundles in a section; a library has one bundle an object file."""
    at = 0
    while True:
        plain = data.find(BUNDLE_MAGIC, at)
        packed = data.find(COMPRESSED_MAGIC, at)
        starts = [place for place in (plain, packed) if place >= 0]
        if not starts:
            return
        start = min(starts)
        if start == packed:
            body, length = _unpack(data, start, where)
            yield from _bundle(body, 0, where)[0]
            at = start + length
        else:
            entries, end = _bundle(data, start, where)
            yield from entries
            at = end


def _unpack(data: bytes, start: int, where: str) -> tuple[bytes, int]:
    """Decompress a CCOB bundle; returns the bundle and the bytes that it took."""
    version, method = struct.unpack_from("<HH", data, start + 4)
    if version == 1:
        size, _ = struct.unpack_from("<IQ", data, start + 8)
        header, total = 20, len(data) - start
    elif version == 2:
        total, size, _ = struct.unpack_from("<IIQ", data, start + 8)
        header = 24
    elif version == 3:
        total, size, _ = struct.unpack_from("<QQQ", data, start + 8)
        header = 32
    else:
        raise InputError(f"{where}: compressed bundle of unknown version {version}")
    body = data[start + header : start + total]
    return decompress(body, size, "zlib" if method == 0 else "zstd"), total


def _bundle(data: bytes, start: int, where: str) -> tuple[list[Entry], int]:
    entries: list[Entry] = []
    at = start + len(BUNDLE_MAGIC)
    try:
        (count,) = struct.unpack_from("<Q", data, at)
        if count > 1000:
            raise InputError(f"{where}: a damaged offload bundle")
        at += 8
        end = at
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, at)
            name = data[at + 24 : at + 24 + length].decode("ascii", "replace")
            at += 24 + length
            body = data[start + offset : start + offset + size]
            end = max(end, at, start + offset + size)
            if "amdgcn" in name and size:
                arch = re.search(r"-(gfx[0-9a-z].*|amdgcnspirv)$", name)
                entries.append(Entry(arch[1] if arch else name, "bitcode", body))
    except struct.error as error:
        raise InputError(f"{where}: a damaged offload bundle ({error})") from error
    return entries, end


def package_entries(data: bytes, where: str) -> Iterator[Entry]:
    """Entries of clang's newer packaging (`.llvm.offloading`); bitcode has no kernels yet."""
    start = data.find(PACKAGE_MAGIC)
    while start >= 0:
        try:
            _, size, entry, _ = struct.unpack_from("<IQQQ", data, start + 4)
            kind, _, _, strings, count, offset, length = struct.unpack_from(
                "<HHIQQQQ", data, start + entry
            )
            words: dict[str, str] = {}
            for index in range(count):
                key, value = struct.unpack_from("<QQ", data, start + strings + 16 * index)
                words[_c_string(data, start + key)] = _c_string(data, start + value)
        except struct.error as error:
            raise InputError(f"{where}: a damaged offload package ({error})") from error
        if "amdgcn" in words.get("triple", ""):
            body = data[start + offset : start + offset + length]
            yield Entry(words.get("arch", ""), f"bitcode {kind}", body)
        start = data.find(PACKAGE_MAGIC, start + max(size, 4))


def _c_string(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("ascii", "replace")


def code_object(elf: Elf, arch: str = "", size: int = 0) -> Image:
    """One code object; without `arch` (a bare .hsaco) the metadata names it."""
    found = metadata(elf)
    if not arch:
        arch = str(found.get("amdhsa.target", "")).partition("amdgcn-amd-amdhsa--")[2] or "unknown"
    kernels = [_kernel(entry, arch) for entry in found.get("amdhsa.kernels", [])]
    size = size or sum(len(section.data) for section in elf.sections)
    return Image(arch, "hsaco", tuple(kernels), size)


def metadata(elf: Elf) -> dict[str, Any]:
    """The code object's metadata note; empty without one."""
    for owner, kind, body in elf.notes():
        if owner == "AMDGPU" and kind == _NT_METADATA:
            found = decode(body)
            if isinstance(found, dict):
                return found
    return {}


def _kernel(entry: dict[str, Any], arch: str) -> Kernel:
    return Kernel(
        name=str(entry.get(".name", "?")),
        arch=arch,
        registers=int(entry.get(".vgpr_count", 0)),
        sgprs=int(entry.get(".sgpr_count", 0)),
        agprs=int(entry.get(".agpr_count", 0)),
        shared=int(entry.get(".group_segment_fixed_size", 0)),
        stack=int(entry.get(".private_segment_fixed_size", 0)),
        spills=int(entry.get(".vgpr_spill_count", 0)) + int(entry.get(".sgpr_spill_count", 0)),
        threads=int(entry.get(".max_flat_workgroup_size", 0)),
        wave=int(entry.get(".wavefront_size", 0)),
    )
