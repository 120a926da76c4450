"""Decompression of device code: LZ4 blocks (fatbins to CUDA 12.7), Zstandard, zlib."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import zlib
from collections.abc import Callable
from typing import Any

from portgpu.errors import InputError, ToolchainError

_MOST = 1 << 32  # bytes; no device code is that large
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def decompress(data: bytes, size: int, method: str) -> bytes:
    """Decompress to `size` bytes; `method` is `lz4`, `zstd` or `zlib`."""
    if size > _MOST:
        raise InputError("damaged compressed device code: impossible length")
    if method == "zlib":
        try:
            return zlib.decompress(data)
        except zlib.error as error:
            raise InputError(f"damaged compressed device code ({error})") from error
    plain = _lz4(data, size) if method == "lz4" else _zstd()(data, size)
    if len(plain) != size:
        raise InputError("damaged compressed device code: wrong length")
    return plain


def looks_like_zstd(data: bytes) -> bool:
    """Whether the bytes start a Zstandard frame."""
    return data.startswith(_ZSTD_MAGIC)


def _lz4(data: bytes, size: int) -> bytes:
    """One LZ4 block, as the block format's description has it."""
    out = bytearray()
    at, end = 0, len(data)
    try:
        while at < end and len(out) < size:
            token = data[at]
            at += 1
            length, at = _lz4_length(data, at, token >> 4)
            out += data[at : at + length]
            at += length
            if at >= end or len(out) >= size:
                break
            distance = data[at] | data[at + 1] << 8
            length, at = _lz4_length(data, at + 2, token & 15)
            length += 4
            start = len(out) - distance
            if distance == 0 or start < 0:
                raise InputError("damaged compressed device code: bad reference")
            if distance >= length:
                out += out[start : start + length]
            else:
                chunk = bytes(out[start:])
                out += (chunk * (length // distance + 1))[:length]
    except IndexError as error:
        raise InputError("damaged compressed device code: cut short") from error
    return bytes(out)


def _lz4_length(data: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while True:
            more = data[at]
            at += 1
            length += more
            if more != 255:
                break
    return length, at


@functools.cache
def _zstd() -> Callable[[bytes, int], bytes]:
    """A Zstandard decompressor: Python's own (3.14), the C library, or the `zstandard` package."""
    for find in (_zstd_python, _zstd_library, _zstd_package):
        found = find()
        if found is not None:
            return found
    raise ToolchainError(
        "the device code is compressed with Zstandard, and no decompressor for it is here",
        hint="python3 -m pip install zstandard (or: apt-get install libzstd1)",
    )


def _zstd_python() -> Callable[[bytes, int], bytes] | None:
    try:
        module: Any = __import__("compression.zstd", fromlist=["decompress"])
    except ImportError:
        return None
    return lambda data, size: bytes(module.decompress(data))


def _zstd_library() -> Callable[[bytes, int], bytes] | None:
    for name in ("libzstd.so.1", "libzstd.1.dylib", ctypes.util.find_library("zstd")):
        try:
            library = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if library is not None:
            break
    else:
        return None
    if library is None:
        return None
    call = library.ZSTD_decompress
    call.restype = ctypes.c_size_t
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    is_error = library.ZSTD_isError
    is_error.restype = ctypes.c_uint
    is_error.argtypes = [ctypes.c_size_t]

    def run(data: bytes, size: int) -> bytes:
        out = ctypes.create_string_buffer(max(size, 1))
        count = call(out, size, data, len(data))
        if is_error(count):
            raise InputError("damaged compressed device code")
        return out.raw[:count]

    return run


def _zstd_package() -> Callable[[bytes, int], bytes] | None:
    try:
        module: Any = __import__("zstandard")
    except ImportError:
        return None
    return lambda data, size: bytes(module.ZstdDecompressor().decompress(data, size))
