"""What a name of the tables becomes under the options at hand."""

from __future__ import annotations

import re

from portgpu.mapping import Entry, Kind, Status
from portgpu.source.lexer import Kind as Token
from portgpu.translate import api
from portgpu.translate.model import Context, Options

# Families of which AMD has libraries of its own below the hip* ones, with handles of their own.
BELOW = frozenset(("blas", "sparse", "solver", "rand"))
# Functions of hipBLAS 2 that take hipComplex and hipDataType by names with "_v2" alone.
_V2 = re.compile(
    r"(hipblas(?:(?:[CZ](?!reate)|I[cz]|Dz)[a-z]\w*?|Sc(?:asum|nrm2)"
    r"|(?:Axpy|Dotc?|Nrm2|Rot|Scal|Gemm(?:Strided)?(?:Batched)?)Ex))((?:_64)?)"
)
_WITHOUT_FOLDER = {  # HIPIFY's text
    "hipblas/hipblas.h": "hipblas.h",
    "hipblaslt/hipblaslt.h": "hipblaslt.h",
    "hipsolver/hipsolver.h": "hipsolver.h",
    "hipsparse/hipsparse.h": "hipsparse.h",
    "hip/hiprtc.h": "hiprtc.h",
    "rocblas/rocblas.h": "rocblas.h",
    "rocsparse/rocsparse.h": "rocsparse.h",
}


def target(context: Context, found: Entry) -> str:
    """The name to write for a row, with or without our shims; "" where nothing stands for it."""
    options = context.options
    data_type = is_data_type(found)
    if options.roc and not (options.hip_types and data_type):
        if found.family in BELOW and not data_type:
            return found.roc  # a hip* function does not take the handle of a roc* library
        if found.roc and (options.compat is None or not found.adapter):
            return found.roc
    if found.status is Status.UNSUPPORTED:
        return ""
    name = found.adapter or found.hip
    if name.startswith("pg_compat::") and options.compat is None:
        name = found.hip
    return _second(options, name) if found.kind is Kind.FUNCTION else name


def _second(options: Options, name: str) -> str:
    """The name with "_v2" of a hipBLAS function that takes HIP's own types in ROCm 6."""
    version = api.version(options.hip_version) or (6,)
    six = options.hipify and (6,) <= version < (7,) and name.startswith("hipblas")
    found = _V2.fullmatch(name) if six else None
    return f"{found[1]}_v2{found[2]}" if found else name


def header(options: Options, name: str) -> str:
    """A header of a library as HIPIFY writes it, without its folder."""
    return _WITHOUT_FOLDER.get(name, name) if options.hipify and not options.hip_version else name


def translated(context: Context, first: int, last: int) -> bytes:
    """The text of `code[first..last]` with its names as the translation has them."""
    source = context.source
    start, end = source.span(first, last)
    text, done = b"", start
    for k in range(first, last + 1):
        row = api.entry(source.text[k]) if source.code[k][0] == Token.IDENT else None
        if row is not None and source.word(k - 1) not in (b".", b"->"):
            name = target(context, row) or row.cuda
            if name.startswith("pg_compat::"):
                context.shims.add(name.removeprefix("pg_compat::"))
            text += source.data[done : source.code[k].start] + name.encode()
            done = source.code[k].end
    return text + source.data[done:end]


def is_data_type(found: Entry) -> bool:
    """Whether the row is cudaDataType or one of its values, which HIP has as hipDataType."""
    return found.hip == "hipDataType" or found.hip.startswith(("HIP_R_", "HIP_C_"))
