"""Matrix products and their loads in inline PTX: NVIDIA's layout of fragments, by plain code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portgpu.translate.ptx import Access

_KINDS = r"f16|bf16|tf32|s8|u8"
_MMA = re.compile(
    r"mma\.sync\.aligned\.m16n8k(?P<k>4|8|16|32)\.row\.col\.(?P<d>f32|f16|s32)"
    rf"\.(?P<a>{_KINDS})\.(?P<b>{_KINDS})\.(?P<c>f32|f16|s32)"
)
_MMA_DOUBLE = re.compile(r"mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64")
_LOAD = re.compile(
    r"ldmatrix\.sync\.aligned(?:\.m8n8)?\.x(?P<n>[124])(?:\.m8n8)?(?P<trans>\.trans)?"
    r"\.shared(?:::cta)?(?P<late>\.trans)?\.b16"
)
_PER_WORD = {"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "u8": 4}
_SUMS = {"f16": ("f32", "f16"), "bf16": ("f32",), "tf32": ("f32",), "s8": ("s32",), "u8": ("s32",)}
_C_TYPES = {"f32": "float", "s32": "int", "f16": "unsigned"}


def statement(opcode: str, args: list[str], access: Access) -> list[str] | None:
    """C++ statements of the instruction, None for any other or another shape."""
    if m := _MMA.fullmatch(opcode):
        return _product(m, args, access)
    if _MMA_DOUBLE.fullmatch(opcode):
        return _doubles(args, access)
    if m := _LOAD.fullmatch(opcode):
        return _load(m, args, access)
    return None


def _parts(arg: str) -> list[str]:
    return [part.strip() for part in arg.strip().strip("{}").split(",")]


def _array(access: Access, kind: str, values: list[str], constant: bool = True) -> tuple[str, str]:
    """(name, declaration) of an array of the statement's own."""
    name = access.fresh()
    head = "const " if constant else ""
    return name, f"{head}{kind} {name}[] = {{{', '.join(values)}}}"


def _product(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    per = _PER_WORD[m["a"]]
    blocks = int(m["k"]) // (4 * per)
    if blocks not in (1, 2) or per != _PER_WORD[m["b"]] or len(args) != 4:
        return None
    if m["d"] != m["c"] or m["c"] not in _SUMS[m["a"]] or (per < 4 and m["a"] != m["b"]):
        return None
    d, a, b, c = (_parts(arg) for arg in args)
    count = 2 if m["c"] == "f16" else 4
    if [len(d), len(a), len(b), len(c)] != [count, 2 * blocks, blocks, count]:
        return None
    kind = "b32" if m["c"] == "f16" else m["c"]
    left, one = _array(access, "unsigned", [access.read(x, "b32") for x in a])
    right, two = _array(access, "unsigned", [access.read(x, "b32") for x in b])
    sums, three = _array(access, _C_TYPES[m["c"]], [access.read(x, kind) for x in c], False)
    call = f"pg_compat::ptx_mma<pg_compat::ptx_{m['a']}, pg_compat::ptx_{m['b']}, {blocks}>"
    lines = [one, two, three, f"{call}({sums}, {left}, {right})"]
    return lines + [access.write(x, f"{sums}[{i}]", kind) for i, x in enumerate(d)]


def _doubles(args: list[str], access: Access) -> list[str] | None:
    if len(args) != 4:
        return None
    d, a, b, c = (_parts(arg) for arg in args)
    if [len(d), len(a), len(b), len(c)] != [2, 1, 1, 2]:
        return None
    sums, declared = _array(access, "double", [access.read(x, "f64") for x in c], False)
    values = ", ".join(access.read(x[0], "f64") for x in (a, b))
    call = f"pg_compat::ptx_mma_f64({sums}, {values})"
    return [declared, call] + [access.write(x, f"{sums}[{i}]", "f64") for i, x in enumerate(d)]


def _load(m: re.Match[str], args: list[str], access: Access) -> list[str] | None:
    count = int(m["n"])
    if len(args) != 2 or len(_parts(args[0])) != count:
        return None
    place, offset = access.address(args[1])
    words, declared = _array(access, "unsigned", ["0u"] * count, False)
    address = f"(unsigned)({place})" + (f" + {offset}" if offset else "")
    transposed = "true" if m["trans"] or m["late"] else "false"
    call = f"pg_compat::ptx_ldmatrix<{transposed}>({words}, {address})"
    parts = _parts(args[0])
    return [declared, call] + [access.write(x, f"{words}[{i}]", "b32") for i, x in enumerate(parts)]
