"""A small reader for 64-bit little-endian ELF files: sections, symbols, notes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from portgpu.errors import InputError

MACHINES = {
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
    21: "ppc64",
    190: "cuda",
    224: "amdgpu",
}
SHT_NOTE = 7
SHT_NOBITS = 8
_SYMTABS = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM


@dataclass(frozen=True, slots=True)
class Section:
    """One section header, with its bytes (empty for NOBITS)."""

    name: str
    type: int
    flags: int
    size: int
    link: int
    info: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol: `kind` is the STT_ number, `other` st_other, `section` where it is defined."""

    name: str
    value: int
    size: int
    kind: int
    other: int
    section: int


@dataclass(frozen=True, slots=True)
class Segment:
    """What a loader maps: `data` at `address`, then zeros up to `size`; `flags` as PF_X/W/R."""

    address: int
    size: int
    flags: int
    data: bytes = field(repr=False)


class Elf:
    """A parsed file. Raises `InputError` when it is not a whole 64-bit little-endian ELF file."""

    def __init__(self, data: bytes, name: str = "file") -> None:
        if len(data) < 64 or data[:6] != b"\x7fELF\x02\x01":
            raise InputError(f"{name}: not a 64-bit ELF file")
        self.name, self.data = name, data
        self.os_abi, self.abi_version = data[7], data[8]
        (
            self.type,
            self.machine,
            _,
            _,
            self._headers,
            offset,
            self.flags,
            _,
            self._header_size,
            self._header_count,
            entry,
            count,
            strings,
        ) = struct.unpack_from("<HHIQQQIHHHHHH", data, 16)
        try:
            self.sections = self._read_sections(data, offset, entry, count, strings)
        except (struct.error, IndexError, ValueError) as error:
            raise InputError(f"{name}: a damaged ELF file ({error})") from error

    def _read_sections(
        self, data: bytes, offset: int, entry: int, count: int, strings: int
    ) -> list[Section]:
        if offset == 0:
            return []
        rows = []
        if count == 0:  # more than 65279 sections: the count is in the first header
            count = struct.unpack_from("<Q", data, offset + 32)[0]
        if strings == 0xFFFF:
            strings = struct.unpack_from("<I", data, offset + 40)[0]
        if offset + count * entry > len(data):
            raise ValueError("the section table lies outside the file")
        for index in range(count):
            rows.append(struct.unpack_from("<IIQQQQII", data, offset + index * entry))
        _, _, _, _, start, size, _, _ = rows[strings]
        names = data[start : start + size]
        found = []
        for name, kind, flags, _, start, size, link, info in rows:
            body = b"" if kind == SHT_NOBITS else data[start : start + size]
            found.append(Section(_text(names, name), kind, flags, size, link, info, body))
        return found

    def named(self, name: str) -> Section | None:
        """The first section of this name."""
        return next((section for section in self.sections if section.name == name), None)

    def symbols(self) -> list[Symbol]:
        """All symbols, of the full table when there is one."""
        table = next((s for kind in _SYMTABS for s in self.sections if s.type == kind), None)
        if table is None:
            return []
        names = self.sections[table.link].data
        found = []
        for at in range(0, len(table.data) - 23, 24):
            name, info, other, section, value, size = struct.unpack_from("<IBBHQQ", table.data, at)
            found.append(Symbol(_text(names, name), value, size, info & 15, other, section))
        return found

    def segments(self) -> Iterator[Segment]:
        """The segments that a loader maps, in file order."""
        for index in range(self._header_count):
            kind, flags, start, address, _, length, size, _ = struct.unpack_from(
                "<IIQQQQQQ", self.data, self._headers + index * self._header_size
            )
            if kind == 1:  # PT_LOAD
                yield Segment(address, size, flags, self.data[start : start + length])

    def notes(self) -> Iterator[tuple[str, int, bytes]]:
        """All notes as (owner, type, description)."""
        for section in self.sections:
            if section.type != SHT_NOTE:
                continue
            data, at = section.data, 0
            while at + 12 <= len(data):
                name_size, size, kind = struct.unpack_from("<III", data, at)
                at += 12
                owner = data[at : at + name_size].rstrip(b"\0").decode("ascii", "replace")
                at += (name_size + 3) & ~3
                yield owner, kind, data[at : at + size]
                at += (size + 3) & ~3


def _text(table: bytes, start: int) -> str:
    end = table.find(b"\0", start)
    return table[start : end if end >= 0 else None].decode("utf-8", "replace")
