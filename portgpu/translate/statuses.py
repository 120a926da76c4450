"""Status codes: those that HIP never returns, and functions that tell CUDA's two enums apart."""

from __future__ import annotations

import re
import zlib

from portgpu.mapping import Entry, Kind, Status
from portgpu.translate import api
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

CODE = re.compile(
    rb"(?:cudaError|CUDA_ERROR_|NVRTC_ERROR_|(?:CUBLAS|CUSPARSE|CUSOLVER|CURAND|CUDNN)_STATUS_|nccl)"
    rb"\w+|CUFFT_(?:LICENSE_ERROR|MISSING_DEPENDENCY|NV\w+_FAILURE|INCOMPLETE_PARAMETER_LIST"
    rb"|PARSE_ERROR|INVALID_DEVICE)"
)
# Include guards of libraries that have no counterpart: what they guard is not compiled.
_NVIDIA_ONLY = frozenset(b"NVJPEGAPI NV_NPPIDEFS_H NPP_VERSION_MAJOR NVML_API_VERSION".split())
_RUNTIME = frozenset((b"cudaError_t", b"cudaError"))


def rewrite(context: Context, declared: Declarations) -> None:
    """Codes that are only compared become numbers that HIP never returns; see `_overloads`."""
    source = context.source
    if any(word in source.data for word in _NVIDIA_ONLY):
        _not_compiled(context)
    for i in context.spots:
        word = source.text[i]
        if i in context.claimed or word[:1] not in b"cCNn" or not CODE.fullmatch(word):
            continue
        found = api.entry(word)
        if found is None or found.kind is not Kind.ENUM or found.status is not Status.UNSUPPORTED:
            continue
        if _is_compared(context, i) and not declared.covers(i):
            context.replace(i, number(found))
    if b"CUresult" in source.data:
        _overloads(context)


def number(found: Entry) -> bytes:
    """What stands for a status code that HIP lacks: a number of its own, and the name."""
    return b"0x%x /* %s */" % (value(found), found.cuda.encode())


def value(found: Entry) -> int:
    """A number that HIP never returns."""
    return 0x40000000 | zlib.crc32(found.cuda.encode()) & 0xFFFFFF


def _is_compared(context: Context, i: int) -> bool:
    source = context.source
    first = i - 1
    while source.word(first) == b"::" and source.is_ident(first - 1):
        first -= 2
    return source.word(first) in (b"case", b"==", b"!=") or source.word(i + 1) in (b"==", b"!=")


def _not_compiled(context: Context) -> None:
    """Claims what `#ifdef NVJPEGAPI` and its like guard."""
    source = context.source
    start, depth = -1, 0
    for d in source.directives:
        if d.name in (b"if", b"ifdef", b"ifndef"):
            if start >= 0:
                depth += 1
            elif d.name == b"ifdef" and source.word(d.first + 2) in _NVIDIA_ONLY:
                start, depth = d.first, 0
        elif start >= 0 and depth == 0 and d.name in (b"endif", b"else", b"elif"):
            context.claimed.update(range(start, d.last + 1))
            start = -1
        elif start >= 0 and d.name == b"endif":
            depth -= 1


def _overloads(context: Context) -> None:
    """`f(CUresult)` beside `f(cudaError_t)`: in HIP both are hipError_t, so one has to give way.

    As a template with nothing to deduce it is chosen only where the other one is not compiled.
    """
    source = context.source
    others = {name for name, _ in _definitions(context, _RUNTIME)}
    for name, start in _definitions(context, frozenset((b"CUresult",))):
        if name in others and source.word(start) != b"template":
            context.insert_before(start, b"template <int = 0> ")


def _definitions(context: Context, types: frozenset[bytes]) -> list[tuple[bytes, int]]:
    """(name, first token) of functions defined with one parameter of a type in `types`."""
    source = context.source
    found = []
    for i in context.spots:
        if source.text[i] not in types:
            continue
        opener = i - 1
        if source.word(opener) == b"const":
            opener -= 1
        close = source.match.get(opener)
        if source.word(opener) != b"(" or close is None or source.word(close + 1) != b"{":
            continue
        if not source.is_ident(opener - 1) or close > i + 3:
            continue
        start = opener - 1
        ends = {d.last for d in source.directives}
        while (
            start > 0
            and start - 1 not in ends
            and (source.is_ident(start - 1) or source.word(start - 1) in (b"*", b"&", b"::"))
        ):
            start -= 1
        if start < opener - 1:
            found.append((source.text[opener - 1], start))
    return found
