"""Reads NVIDIA device code: fatbins in objects and libraries, cubins, PTX.

NVIDIA publishes neither format. What is used here was established by comparing files with what
ptxas, cuobjdump and readelf print, for CUDA 12 and 13; tests hold it to ptxas's own numbers.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from portgpu.binary.compressed import decompress, looks_like_zstd
from portgpu.binary.elf import Elf, Section
from portgpu.binary.model import Image, Kernel
from portgpu.errors import InputError

FATBIN_MAGIC = 0xBA55ED50
_PTX, _ELF = 1, 2
_FLAG_LZ4, _FLAG_ZSTD = 0x2000, 0x8000
_FLAG_ARCH_SPECIFIC, _FLAG_FAMILY = 0x100000, 0x200000
_ENTRY = 0x10  # st_other of a kernel

# Attributes of .nv.info sections (EIATTR_*).
_MAX_THREADS = 0x05
_REQUIRED_THREADS = 0x10
_FRAME_SIZE = 0x11
_MIN_STACK_SIZE = 0x12
_REGISTERS = 0x2F
_API_VERSION = 0x37
_ANNOTATIONS = 0x55

# Instructions, low 12 bits: stores to local memory.
_STORE_LOCAL = 0x387
_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 8, 6: 16}


def fatbin_images(data: bytes, where: str) -> Iterator[Image]:
    """All images of one or more fatbin containers that follow each other."""
    magic = struct.pack("<I", FATBIN_MAGIC)
    start = data.find(magic)
    while start >= 0:
        if start + 16 > len(data):
            break
        _, version, header, size = struct.unpack_from("<IHHQ", data, start)
        if version != 1 or header != 16 or start + header + size > len(data):
            raise InputError(f"{where}: a damaged fatbin")
        end = start + header + size
        yield from _container(data, start + header, end, where)
        start = data.find(magic, end)


def _container(data: bytes, at: int, end: int, where: str) -> Iterator[Image]:
    while at + 64 <= end:
        kind, _, header, size, packed, _, _, _, arch = struct.unpack_from("<HHIQIIHHI", data, at)
        flags, _, plain_size = struct.unpack_from("<QQQ", data, at + 40)
        if header < 64 or at + header + size > end:
            raise InputError(f"{where}: a damaged fatbin entry")
        body = data[at + header : at + header + size]
        at += header + size
        if kind not in (_PTX, _ELF):
            continue
        suffix = "a" if flags & _FLAG_ARCH_SPECIFIC else "f" if flags & _FLAG_FAMILY else ""
        if flags & (_FLAG_LZ4 | _FLAG_ZSTD):
            method = "zstd" if looks_like_zstd(body) else "lz4"
            body = decompress(body[:packed] if packed else body, plain_size, method)
        if kind == _PTX:
            yield Image(f"compute_{arch}{suffix}", "ptx", (), len(body.rstrip(b"\0")))
        else:
            name = f"sm_{arch}{suffix}"
            yield Image(name, "cubin", tuple(kernels(Elf(body, where), name)), len(body))


def cubin_image(elf: Elf) -> Image:
    """The image of a bare cubin; its architecture is what the assembler was called with."""
    named = next(
        (m for _, _, body in elf.notes() if (m := re.search(rb"-arch (sm_\w+)", body))), None
    )
    if named:
        arch = named[1].decode()
    else:
        # ABI 8 (CUDA 12.9) moved the number from the lowest byte to the second.
        number = elf.flags >> 8 & 0xFF if elf.abi_version >= 8 else elf.flags & 0xFF
        arch = f"sm_{number}"
    size = sum(len(section.data) for section in elf.sections)
    return Image(arch, "cubin", tuple(kernels(elf, arch)), size)


def kernels(elf: Elf, arch: str) -> Iterator[Kernel]:
    """The kernels of a cubin with their resources."""
    symbols = elf.symbols()
    shared_info = _attributes(elf.named(".nv.info"))
    per_symbol: dict[tuple[int, int], int] = {}
    for attribute, body in shared_info:
        if attribute in (_REGISTERS, _FRAME_SIZE, _MIN_STACK_SIZE) and len(body) == 8:
            symbol, value = struct.unpack("<II", body)
            per_symbol[attribute, symbol] = value
    # From sm_90 on, a kernel's section also covers 1 KB that the system keeps.
    reserved = 1024 if elf.named(".nv.shared.reserved.0") else 0
    for index, symbol in enumerate(symbols):
        if symbol.kind != 2 or not symbol.other & _ENTRY:
            continue
        text = elf.named(f".text.{symbol.name}")
        if text is None:
            continue
        info = _attributes(elf.named(f".nv.info.{symbol.name}"))
        # Before CUDA 12.9 the count was in the section header.
        registers = per_symbol.get((_REGISTERS, index), text.info >> 24)
        stack = per_symbol.get((_MIN_STACK_SIZE, index), per_symbol.get((_FRAME_SIZE, index), 0))
        shared = elf.named(f".nv.shared.{symbol.name}")
        yield Kernel(
            name=symbol.name,
            arch=arch,
            registers=registers,
            shared=max(0, shared.size - reserved) if shared else 0,
            stack=stack,
            spills=_spills(text, info, stack),
            threads=_threads(info),
            wave=32,
        )


def _attributes(section: Section | None) -> list[tuple[int, bytes]]:
    """The entries of a .nv.info section: attribute and value bytes."""
    found: list[tuple[int, bytes]] = []
    if section is None:
        return found
    data, at = section.data, 0
    while at + 4 <= len(data):
        form, attribute, value = struct.unpack_from("<BBH", data, at)
        at += 4
        body = struct.pack("<H", value)
        if form == 4:
            body = data[at : at + value]
            at += value
        found.append((attribute, body))
    return found


def _threads(info: list[tuple[int, bytes]]) -> int:
    for attribute, body in info:
        if attribute in (_MAX_THREADS, _REQUIRED_THREADS) and len(body) == 12:
            x, y, z = struct.unpack("<III", body)
            return int(x * y * z)
    return 0


def _spills(text: Section, info: list[tuple[int, bytes]], stack: int) -> int | None:
    """Bytes of spill stores, as ptxas counts them; None when the file cannot tell.

    CUDA 13 marks each instruction that spills; before that only a kernel without stores to local
    memory is known not to.
    """
    marks = [body for attribute, body in info if attribute == _ANNOTATIONS]
    if marks:
        places = [
            place for body in marks for kind, place in struct.iter_unpack("<II", body) if kind == 1
        ]
        return sum(_local_store(text.data, place) for place in places)
    if stack == 0:
        return 0
    version = next((body for attribute, body in info if attribute == _API_VERSION), b"")
    if len(version) == 4 and struct.unpack("<I", version)[0] >= 130:
        return 0
    stored = any(_local_store(text.data, place) for place in range(0, len(text.data) - 15, 16))
    return None if stored else 0


def _local_store(code: bytes, place: int) -> int:
    if place + 16 > len(code):
        return 0
    low, high = struct.unpack_from("<QQ", code, place)
    return _BYTES.get(high >> 9 & 7, 4) if low & 0xFFF == _STORE_LOCAL else 0
