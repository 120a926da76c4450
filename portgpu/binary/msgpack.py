"""Decodes MessagePack, the encoding of AMD's kernel metadata."""

from __future__ import annotations

import struct
from typing import Any

from portgpu.errors import InputError

# First byte -> (struct format of the value or of the length, what it is).
_FIXED = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_SIZED = {
    0xC4: (">B", "bin"),
    0xC5: (">H", "bin"),
    0xC6: (">I", "bin"),
    0xD9: (">B", "str"),
    0xDA: (">H", "str"),
    0xDB: (">I", "str"),
    0xDC: (">H", "list"),
    0xDD: (">I", "list"),
    0xDE: (">H", "map"),
    0xDF: (">I", "map"),
}


def decode(data: bytes) -> Any:
    """The first value in `data`; raises `InputError` for anything that is not MessagePack."""
    try:
        return _value(data, 0)[0]
    except (struct.error, IndexError, TypeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"damaged kernel metadata ({error})") from error


def _value(data: bytes, at: int) -> tuple[Any, int]:
    tag = data[at]
    at += 1
    if tag <= 0x7F:
        return tag, at
    if tag >= 0xE0:
        return tag - 256, at
    if tag <= 0x8F:
        return _body(data, at, "map", tag & 15)
    if tag <= 0x9F:
        return _body(data, at, "list", tag & 15)
    if tag <= 0xBF:
        return _body(data, at, "str", tag & 31)
    if tag in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[tag], at
    if tag in _FIXED:
        form = _FIXED[tag]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if tag in _SIZED:
        form, kind = _SIZED[tag]
        length = struct.unpack_from(form, data, at)[0]
        return _body(data, at + struct.calcsize(form), kind, length)
    raise InputError(f"kernel metadata holds an unknown type {tag:#x}")


def _body(data: bytes, at: int, kind: str, length: int) -> tuple[Any, int]:
    if kind in ("str", "bin"):
        raw = data[at : at + length]
        if len(raw) != length:
            raise IndexError("cut short")
        return (raw.decode("utf-8") if kind == "str" else raw), at + length
    if kind == "list":
        items = []
        for _ in range(length):
            item, at = _value(data, at)
            items.append(item)
        return items, at
    pairs = {}
    for _ in range(length):
        key, at = _value(data, at)
        pairs[key], at = _value(data, at)
    return pairs, at
