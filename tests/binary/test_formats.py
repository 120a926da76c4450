"""Formats that no compiler here writes, built by hand; damaged files; decompressors."""

from __future__ import annotations

import contextlib
import ctypes
import random
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from portgpu import binary
from portgpu.binary import compressed, msgpack
from portgpu.binary.amd import BUNDLE_MAGIC, PACKAGE_MAGIC
from portgpu.binary.demangle import demangle, short
from portgpu.errors import InputError, PortgpuError


def pack(value: Any) -> bytes:
    """MessagePack, written independently of the reader."""
    if isinstance(value, bool) or value is None:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        if -32 <= value < 0:
            return struct.pack("b", value)
        return (
            b"\xcf" + struct.pack(">Q", value) if value >= 0 else b"\xd3" + struct.pack(">q", value)
        )
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        raw = value.encode()
        head = bytes([0xA0 | len(raw)]) if len(raw) < 32 else b"\xda" + struct.pack(">H", len(raw))
        return head + raw
    if isinstance(value, bytes):
        return b"\xc5" + struct.pack(">H", len(value)) + value
    if isinstance(value, list):
        head = (
            bytes([0x90 | len(value)])
            if len(value) < 16
            else b"\xdc" + struct.pack(">H", len(value))
        )
        return head + b"".join(pack(item) for item in value)
    head = (
        bytes([0x80 | len(value)]) if len(value) < 16 else b"\xde" + struct.pack(">H", len(value))
    )
    return head + b"".join(pack(k) + pack(v) for k, v in value.items())


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kinds = 8 if depth < 4 else 6
    return [
        lambda: rng.randrange(-(2**40), 2**60),
        lambda: rng.randrange(-32, 128),
        lambda: "x" * rng.randrange(0, 70) + "ü",
        lambda: rng.choice([None, True, False]),
        lambda: rng.random(),
        lambda: rng.randbytes(rng.randrange(0, 400)),
        lambda: [random_value(rng, depth + 1) for _ in range(rng.randrange(0, 20))],
        lambda: {str(i): random_value(rng, depth + 1) for i in range(rng.randrange(0, 20))},
    ][rng.randrange(kinds)]()


def test_msgpack_round_trip(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        value = random_value(rng)
        assert msgpack.decode(pack(value)) == value


def test_damaged_msgpack_is_an_input_error(seed: int) -> None:
    rng = random.Random(seed)
    data = pack({"a": [1, "two", {"three": 3.0}], "b": "x" * 100})
    for cut in range(len(data)):
        with pytest.raises(InputError):
            msgpack.decode(data[:cut])
    for _ in range(300):
        broken = bytearray(data)
        broken[rng.randrange(len(broken))] = rng.randrange(256)
        with contextlib.suppress(InputError):
            msgpack.decode(bytes(broken))


def code_object(kernels: list[dict[str, Any]], target: str = "amdgcn-amd-amdhsa--gfx942") -> bytes:
    """The smallest AMD code object: an ELF file with one note section."""
    metadata = pack({"amdhsa.target": target, "amdhsa.kernels": kernels})
    note = struct.pack("<III", 7, len(metadata), 32) + b"AMDGPU\0\0" + metadata
    note += b"\0" * (-len(note) % 4)
    names = b"\0.note\0.shstrtab\0"
    at_note, at_names = 64, 64 + len(note)
    at_headers = at_names + len(names)
    header = b"\x7fELF\x02\x01\x01\x40\x02" + b"\0" * 7
    header += struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 0, at_headers, 0, 64, 0, 0, 64, 3, 2)
    sections = b"\0" * 64
    sections += struct.pack("<IIQQQQIIQQ", 1, 7, 0, 0, at_note, len(note), 0, 0, 4, 0)
    sections += struct.pack("<IIQQQQIIQQ", 7, 3, 0, 0, at_names, len(names), 0, 0, 1, 0)
    return header + note + names + sections


KERNEL = {
    ".name": "k",
    ".vgpr_count": 132,
    ".agpr_count": 4,
    ".sgpr_count": 90,
    ".group_segment_fixed_size": 4096,
    ".private_segment_fixed_size": 16,
    ".vgpr_spill_count": 3,
    ".sgpr_spill_count": 1,
    ".max_flat_workgroup_size": 256,
    ".wavefront_size": 64,
}


def bundle(entries: dict[str, bytes]) -> bytes:
    """An offload bundle as clang-offload-bundler lays it out."""
    head_size = len(BUNDLE_MAGIC) + 8 + sum(24 + len(name) for name in entries)
    body, head = b"", BUNDLE_MAGIC + struct.pack("<Q", len(entries))
    for name, data in entries.items():
        head += struct.pack("<QQQ", head_size + len(body), len(data), len(name)) + name.encode()
        body += data
    return head + body


def check(path: Path, data: bytes, archs: tuple[str, ...]) -> None:
    path.write_bytes(data)
    held = binary.read(path)
    assert held.archs == archs
    for kernel in held.kernels:
        assert (kernel.registers, kernel.agprs, kernel.sgprs) == (132, 4, 90)
        assert (kernel.shared, kernel.stack, kernel.spills) == (4096, 16, 4)


def test_bare_code_object(tmp_path: Path) -> None:
    check(tmp_path / "k.hsaco", code_object([KERNEL]), ("gfx942",))
    feature = code_object([KERNEL], "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-")
    check(tmp_path / "f.hsaco", feature, ("gfx90a:sramecc+:xnack-",))


def test_bundles_and_their_compressed_forms(tmp_path: Path) -> None:
    plain = bundle(
        {
            "host-x86_64-unknown-linux": b"",
            "hipv4-amdgcn-amd-amdhsa--gfx942": code_object([KERNEL]),
            "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": code_object([KERNEL]),
        }
    )
    archs = ("gfx90a:xnack+", "gfx942")
    check(tmp_path / "plain", plain, archs)
    check(tmp_path / "two", plain + b"\0" * 100 + plain, archs)
    packed = zlib.compress(plain)
    check(tmp_path / "v1", b"CCOB" + struct.pack("<HHIQ", 1, 0, len(plain), 0) + packed, archs)
    head = struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(plain), 0)
    check(tmp_path / "v2", b"CCOB" + head + packed + plain, archs)
    head = struct.pack("<HHQQQ", 3, 0, 32 + len(packed), len(plain), 0)
    check(tmp_path / "v3", b"CCOB" + head + packed, archs)
    (tmp_path / "v9").write_bytes(b"CCOB" + struct.pack("<HH", 9, 0) + packed)
    with pytest.raises(InputError, match="version 9"):
        binary.read(tmp_path / "v9")


def test_offload_package() -> None:
    from portgpu.binary.amd import package_entries

    image = code_object([KERNEL])
    strings = b"triple\0amdgcn-amd-amdhsa\0arch\0gfx942\0"
    table_at = 32 + 40
    strings_at = table_at + 32
    places = [strings_at + strings.index(w) for w in (b"triple", b"amdgcn", b"arch", b"gfx942")]
    image_at = strings_at + len(strings)
    data = PACKAGE_MAGIC + struct.pack("<IQQQ", 1, image_at + len(image), 32, 40)
    data += struct.pack("<HHIQQQQ", 2, 4, 0, table_at, 2, image_at, len(image))
    data += struct.pack("<QQQQ", *places) + strings + image
    (found,) = [entry.image("x") for entry in package_entries(data, "x")]
    assert (found.arch, len(found.kernels)) == ("gfx942", 1)


def lz4_literals(data: bytes) -> bytes:
    length = len(data)
    if length < 15:
        return bytes([length << 4]) + data
    rest = length - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def test_lz4_block() -> None:
    assert compressed.decompress(lz4_literals(b"abc" * 200), 600, "lz4") == b"abc" * 200
    # "ab", then 18 bytes from 2 back (overlapping), then "c".
    block = b"\x2eab\x02\x00" + b"\x10c"
    assert compressed.decompress(block, 21, "lz4") == b"ab" * 10 + b"c"
    long = b"\x1fa\x01\x00\xff\x10" + b"\x10b"
    assert compressed.decompress(long, 1 + 19 + 255 + 16 + 1, "lz4") == b"a" * 291 + b"b"
    for broken in (b"\x1fa\x05\x00\x00", b"\x1fa\x00\x00\x00", b"\x1f", b"\x10a\x01"):
        with pytest.raises(InputError):
            compressed.decompress(broken, 100, "lz4")


def test_zstd_by_the_c_library() -> None:
    library = ctypes.CDLL("libzstd.so.1")
    plain = random.Random(1).randbytes(100) * 500
    out = ctypes.create_string_buffer(len(plain) + 1000)
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_int,
    ]
    size = library.ZSTD_compress(out, len(out), plain, len(plain), 3)
    packed = out.raw[:size]
    assert compressed.looks_like_zstd(packed)
    assert compressed.decompress(packed, len(plain), "zstd") == plain
    with pytest.raises(InputError):
        compressed.decompress(packed[: size // 2], len(plain), "zstd")


def test_files_of_no_known_kind(tmp_path: Path) -> None:
    for name, data in (
        ("text", b"hello"),
        ("empty", b""),
        ("elf32", b"\x7fELF\x01\x01" + b"\0" * 60),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError):
            binary.read(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        binary.read(tmp_path / "nothing")
    with pytest.raises(PortgpuError):
        binary.read(tmp_path)


def test_damaged_files_never_crash(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    whole = bundle({"hipv4-amdgcn-amd-amdhsa--gfx942": code_object([KERNEL] * 3)})
    path = tmp_path / "b"
    for _ in range(300):
        data = bytearray(whole[: rng.randrange(1, len(whole))] if rng.random() < 0.5 else whole)
        for _ in range(rng.randrange(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        with contextlib.suppress(PortgpuError):
            binary.read(path)


@pytest.mark.cuda_compiler
def test_damaged_cuda_objects_never_crash(tmp_path: Path, seed: int) -> None:
    from portgpu.toolchain import find_cuda

    (tmp_path / "k.cu").write_text("__global__ void k(float* p) { *p = 1; }\n")
    command = [find_cuda().compiler, "-c", "-arch=sm_80", "-o", tmp_path / "k.o", tmp_path / "k.cu"]
    subprocess.run(command, check=True)
    whole = (tmp_path / "k.o").read_bytes()
    rng = random.Random(seed)
    for _ in range(300):
        data = bytearray(whole[: rng.randrange(1, len(whole))] if rng.random() < 0.3 else whole)
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        (tmp_path / "d.o").write_bytes(bytes(data))
        with contextlib.suppress(PortgpuError):
            binary.read(tmp_path / "d.o")


def test_names_for_people() -> None:
    assert (
        demangle("_Z5saxpyIfEviT_PKS0_PS0_")
        == "void saxpy<float>(int, float, float const*, float*)"
    )
    assert short("_Z5saxpyIfEviT_PKS0_PS0_") == "saxpy<float>"
    assert short("_ZN12_GLOBAL__N_14sortILi4EEEvPi") == "sort<4>"
    assert short("plain_c_name") == "plain_c_name"
    assert demangle("_Zgarbage") == "_Zgarbage"


def test_mach_o_of_one_and_of_two_machines(tmp_path: Path) -> None:
    thin = tmp_path / "thin.o"
    thin.write_bytes(struct.pack("<II", 0xFEEDFACF, 0x0100000C) + bytes(100))
    assert binary.read(thin).machine == "arm64"
    fat = tmp_path / "fat.dylib"
    parts = b"".join(struct.pack(">IIIII", cpu, 0, 0, 0, 0) for cpu in (0x01000007, 0x0100000C))
    fat.write_bytes(struct.pack(">II", 0xCAFEBABE, 2) + parts)
    assert binary.read(fat).machine == "x86_64+arm64"
    assert binary.read(fat).archs == ()
    fat.write_bytes(fat.read_bytes()[:20])
    with pytest.raises(InputError, match="damaged"):
        binary.read(fat)
