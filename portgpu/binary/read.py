"""Reads one file of any kind: object, library, program, archive, cubin, fatbin, code object."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

from portgpu.binary import amd, nvidia
from portgpu.binary.elf import MACHINES, Elf
from portgpu.binary.model import Contents, Image
from portgpu.errors import InputError, OutputError

Part = Image | amd.Entry
_MACH_O = {0x01000007: "x86_64", 0x0100000C: "arm64"}


def read(path: Path) -> Contents:
    """What a file holds. Raises `InputError` when it is of no known kind, or damaged."""
    with damage(path):
        machine, parts = _contents(_bytes(path), str(path))
        images = [part.image(str(path)) if isinstance(part, amd.Entry) else part for part in parts]
    return Contents(str(path), machine, tuple(images))


def code_objects(path: Path) -> list[amd.Entry]:
    """AMD's code objects in a file of any kind; raises as `read` does."""
    with damage(path):
        parts = _contents(_bytes(path), str(path))[1]
    return [part for part in parts if isinstance(part, amd.Entry) and part.is_code_object]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file", hint="build first, or check the name") from error
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}") from error


@contextlib.contextmanager
def damage(path: Path) -> Iterator[None]:
    """Turns whatever a damaged file makes a reader raise into `InputError`."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        TypeError,
        ValueError,
        struct.error,
    ) as error:
        raise InputError(f"{path}: a damaged file ({error})") from error


def _contents(data: bytes, where: str) -> tuple[str, list[Part]]:
    if data.startswith(b"\x7fELF"):
        return _elf(Elf(data, where))
    if data.startswith(b"!<arch>\n"):
        machine = ""
        images: list[Part] = []
        for name, body in _members(data, where):
            if body.startswith(b"\x7fELF"):
                found, more = _elf(Elf(body, f"{where}({name})"))
                machine = machine or found
                images += more
        return machine, images
    if data[:4] == struct.pack("<I", nvidia.FATBIN_MAGIC):
        return "", list(nvidia.fatbin_images(data, where))
    if data.startswith((amd.BUNDLE_MAGIC, amd.COMPRESSED_MAGIC)):
        return "", list(amd.bundle_entries(data, where))
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _MACH_O.get(struct.unpack_from("<I", data, 4)[0], "unknown"), []
    if data[:4] == b"\xca\xfe\xba\xbe":  # several Mach-O files in one
        count = struct.unpack_from(">I", data, 4)[0]
        kinds = [struct.unpack_from(">I", data, 8 + 20 * i)[0] for i in range(min(count, 16))]
        return "+".join(_MACH_O.get(kind, "unknown") for kind in kinds), []
    raise InputError(
        f"{where}: not an object, library, program, archive, cubin, fatbin or code object",
        hint="give portgpu inspect a binary or a build folder",
    )


def _elf(elf: Elf) -> tuple[str, list[Part]]:
    if elf.machine == 190:
        return "", [nvidia.cubin_image(elf)]
    if elf.machine == 224:
        return "", [amd.Entry(amd.code_object(elf).arch, "hsaco", elf.data)]
    images: list[Part] = []
    for section in elf.sections:
        if section.name in (".nv_fatbin", "__nv_relfatbin"):
            images += nvidia.fatbin_images(section.data, elf.name)
        elif section.name == ".hip_fatbin":
            images += amd.bundle_entries(section.data, elf.name)
        elif section.name == ".llvm.offloading":
            images += amd.package_entries(section.data, elf.name)
    return MACHINES.get(elf.machine, f"machine {elf.machine}"), images


def _members(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    at = 8
    while at < len(data):
        head = data[at : at + 60]
        size = head[48:58].strip()
        if len(head) < 60 or head[58:] != b"`\n" or not size.isdigit():
            raise InputError(f"{where}: a damaged archive", hint="build it again")
        name = head[:16].decode("ascii", "replace").strip().rstrip("/")
        at += 60
        body = data[at : at + int(size)]
        if len(body) < int(size):
            raise InputError(
                f"{where}({name}): an archive that was cut short", hint="build it again"
            )
        yield name, body
        at += len(body) + (len(body) & 1)
