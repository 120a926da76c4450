"""A kernel's parameters, read from its source: what a launch checks and packs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from portgpu.errors import UsageError, nearest

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
_QUALIFIERS = re.compile(
    r"\b(?:const|volatile|__restrict__|__restrict|PG_RESTRICT|PG_GRID_CONSTANT|__grid_constant__|"
    r"struct|typename|std::|pg::)\b|\bstd::|\bpg::"
)
# C++ types of parameters -> element types of portgpu.
_TYPES = {
    "f32": "float", "f64": "double", "bool": "bool",
    "i8": "char, signed char, int8_t", "u8": "unsigned char, uint8_t",
    "i16": "short, short int, int16_t", "u16": "unsigned short, uint16_t",
    "i32": "int, signed, signed int, int32_t", "u32": "unsigned, unsigned int, uint32_t",
    "i64": "long, long int, long long, int64_t, ptrdiff_t, ssize_t",
    "u64": "unsigned long, unsigned long long, uint64_t, size_t, uintptr_t",
    "f16": "half, __half, _Float16",
    "bf16": "bfloat16, __nv_bfloat16, hip_bfloat16, __hip_bfloat16",
}  # fmt: skip
DTYPE_OF = {name: dtype for dtype, names in _TYPES.items() for name in names.split(", ")}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `dtype` is "" for a pointer to a type that portgpu has not."""

    name: str
    dtype: str
    pointer: bool
    constant: bool  # a pointer that is only read through
    text: str  # as the source has it


def parameters(source: str, name: str, file: str) -> tuple[Parameter, ...]:
    """Parameters of the kernel `name` (`scale`, `scale<float, 4>`) in `source`.

    Raises `UsageError` when the source has no such kernel, or one with parameters that a launch
    from Python cannot pass.
    """
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    base, arguments = _split_name(name)
    kernels: list[str] = []
    for match in re.finditer(r"\b__global__\b", text):
        head = _head(text, match.end())
        if head is None:
            continue
        kernels.append(head[0])
        if head[0] == base:
            template = re.search(r"template\s*<([^{};]*)>\s*(?:static\s+|inline\s+)*$",
                                 text[: match.start()])  # fmt: skip
            types = _template_types(template[1] if template else "", arguments)
            return tuple(_parameter(part, types, name, file) for part in _split(head[1]))
    raise UsageError(
        f"{file}: no __global__ function is called {base}",
        hint=nearest(base, kernels) or f"it has: {', '.join(kernels) or 'none'}",
    )


def _split_name(name: str) -> tuple[str, list[str]]:
    match = re.fullmatch(r"\s*([\w:]+?)\s*(?:<(.*)>)?\s*", name, re.S)
    if match is None:
        raise UsageError(
            f"{name!r} is not the name of a kernel", hint="such as scale, or scale<float>"
        )
    return match[1].rsplit("::", 1)[-1], _split(match[2] or "")


def _head(text: str, start: int) -> tuple[str, str] | None:
    """Name and parameter list of the function whose declaration goes on at `start`."""
    at = start
    while True:
        match = re.compile(r"\s*([A-Za-z_]\w*)\s*").match(text, at)
        if match is None:
            return None
        at = match.end()
        if at < len(text) and text[at] == "(":
            end = _closing(text, at)
            if end is None:
                return None
            if match[1] in ("__launch_bounds__", "PG_LAUNCH_BOUNDS", "__attribute__", "alignas"):
                at = end + 1
                continue
            return match[1], text[at + 1 : end]


def _closing(text: str, at: int) -> int | None:
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return None


def _split(text: str) -> list[str]:
    """Parts between top-level commas; none of an empty text."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += {"(": 1, "<": 1, "[": 1, "{": 1, ")": -1, ">": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip() and part.strip() != "void"]


def _template_types(declared: str, given: list[str]) -> dict[str, str]:
    names = []
    for part in _split(declared):
        match = re.match(r"(?:class|typename)\s+(\w+)\s*(?:=\s*(.*))?$", part, re.S)
        names.append((match[1], (match[2] or "").strip()) if match else ("", ""))
    found = {}
    for i, (name, default) in enumerate(names):
        value = given[i] if i < len(given) else default
        if name and value:
            found[name] = value
    return found


def _parameter(text: str, types: dict[str, str], kernel: str, file: str) -> Parameter:
    shown = " ".join(text.split())
    body = text.split("=", 1)[0]
    stars = body.count("*") + body.count("[")
    body = re.sub(r"\[[^\]]*\]", " ", body)
    constant = bool(re.search(r"\bconst\b", body.split("*", 1)[0]))
    words = _QUALIFIERS.sub(" ", body.replace("*", " ").replace("&", " ")).split()
    name = words[-1] if len(words) > 1 and words[-1] not in DTYPE_OF else ""
    kind = " ".join(words[:-1] if name else words)
    kind = _QUALIFIERS.sub(" ", types.get(kind, kind)).strip()
    dtype = DTYPE_OF.get(kind, "")
    if stars > 1 or (not stars and not dtype) or "&" in body:
        raise UsageError(
            f"{file}: parameter `{shown}` of {kernel} cannot be passed from Python",
            hint="pointers to elements, and numbers, can; template arguments go into the name: "
            f"{kernel.split('<')[0]}<float>",
        )
    return Parameter(name or shown, dtype, bool(stars), bool(stars) and constant, shown)
