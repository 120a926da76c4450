"""What a plain search finds in a file: includes, and API names that it defines.

Comments are not told apart: this runs over every file of a tree on every run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import NamedTuple

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?:(?P<opens>if|ifdef|ifndef)\b[ \t]*(?P<tested>\w*)|(?P<closes>endif)\b"
    rb'|include[ \t]*(?P<mark>["<])(?P<header>[^">\r\n]+)[">]|define[ \t]+(?P<macro>[A-Za-z_]\w*))',
    re.MULTILINE,
)


class Outline(NamedTuple):
    """The result, for one content.

    `includes` are (name, quoted, whether it is certainly NVIDIA's own). `sure` names those outside
    of any `#if`, an include guard aside, `defines` the API names that are macros there. `runtime`:
    the file's translation includes the runtime, itself or by what it needs. `pastes` are macros
    that paste names together, see `portgpu.translate.pasting`. `addresses` are names of the type
    CUdeviceptr that the file declares, functions as `name()`. `prototypes` are names of templates'
    functions that it declares without a body or defaults, and `defaults` of those with defaults,
    as `::name` behind a class.
    """

    digest: str
    includes: list[tuple[str, bool, bool]]
    sure: list[str]
    defines: list[str]
    runtime: bool
    pastes: list[str]
    addresses: list[str]
    prototypes: list[str]
    defaults: list[str]


# Members, variables and functions, no parameters.
_ADDRESS = re.compile(rb"[;{}:\]\s]CUdeviceptr\s+(?:const\s+)?(\w+)\s*(\()?")
_TEMPLATE = re.compile(rb"\btemplate\s*<([^;{}]*)([;{])")
_CALLED = re.compile(rb"((?:::\s*)?\b[A-Za-z_]\w*)\s*\(")
Outliner = Callable[[bytes], Outline]


def digest(data: bytes) -> str:
    """Identity of a content: 128 bits, hexadecimal."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def outline(data: bytes) -> Outline:
    """Searches a file; never fails."""
    from portgpu.translate import api
    from portgpu.translate.headers import brings_runtime, is_cuda_header, looks_cuda, plain_name
    from portgpu.translate.pasting import definitions

    found = list(_DIRECTIVE.finditer(data))
    guarded = (
        len(found) > 1
        and found[0]["opens"] == b"ifndef"
        and found[0]["tested"] == found[1]["macro"]
    )
    includes = []
    sure, defines = set(), set()
    runtime = b"__global__" in data or b"__device__" in data
    depth = 0
    for line in found:
        if line["opens"]:
            depth += 1
        elif line["closes"]:
            depth -= 1
        elif macro := line["macro"]:
            if depth <= guarded and (macro in api.forward() or macro in api.shims()):
                defines.add(macro.decode())
        else:
            name, quoted = line["header"].decode("utf-8", "surrogateescape"), line["mark"] == b'"'
            plain = plain_name(name)
            includes.append(
                (name, quoted, is_cuda_header(plain) or (looks_cuda(plain) and not quoted))
            )
            if depth <= guarded:
                sure.add(name)
            runtime = runtime or brings_runtime(plain)
    pastes = sorted(text.decode("utf-8", "surrogateescape") for text in definitions(data))
    parts = digest(data), includes, sorted(sure), sorted(defines), runtime, pastes
    return Outline(*parts, _addresses(data), *_templates(data))


def _templates(data: bytes) -> tuple[list[str], list[str]]:
    """Names that may be of function templates: declared without defaults, and with defaults."""
    prototypes, defaults = set(), set()
    for head, end in _TEMPLATE.findall(data):
        _, opener, parameters = head.partition(b"(")
        if b"=" in parameters:
            defaults.update(_CALLED.findall(head))
        elif opener and end == b";":
            prototypes.update(_CALLED.findall(head))
    both = ({name.decode() for name in names} for names in (prototypes, defaults))
    first, second = (sorted(names) for names in both)
    return first, second


def _addresses(data: bytes) -> list[str]:
    found = set()
    if b"CUdeviceptr" in data:
        for m in _ADDRESS.finditer(data):
            if not data[: m.start() + 1].rstrip().endswith((b"(", b",", b"<")):
                found.add(m[1].decode() + ("()" if m[2] else ""))
    return sorted(found)
