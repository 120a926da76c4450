"""cuSOLVER takes cuBLAS's enums where hipSOLVER has enums of its own, with the same values."""

from __future__ import annotations

import re

from portgpu.translate.calls import arguments
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

_CALL = re.compile(rb"cusolver[A-Z]\w+\Z")
_BLAS_CALL = re.compile(rb"cublas[A-Z]\w+\Z")
# Neither takes or gives one of these enums.
_NO_ENUM = re.compile(
    rb"cublas(?:Create|Destroy|SetStream|GetStream|SetPointerMode|GetPointerMode|SetMathMode"
    rb"|GetStatus\w+|GetVersion|\w+_t)(?:_v2)?\Z"
)
_NAMES = {
    b"cublasFillMode_t": b"hipsolverFillMode_t",
    b"CUBLAS_FILL_MODE_LOWER": b"HIPSOLVER_FILL_MODE_LOWER",
    b"CUBLAS_FILL_MODE_UPPER": b"HIPSOLVER_FILL_MODE_UPPER",
    b"cublasOperation_t": b"hipsolverOperation_t",
    b"CUBLAS_OP_N": b"HIPSOLVER_OP_N",
    b"CUBLAS_OP_T": b"HIPSOLVER_OP_T",
    b"CUBLAS_OP_C": b"HIPSOLVER_OP_C",
    b"cublasSideMode_t": b"hipsolverSideMode_t",
    b"CUBLAS_SIDE_LEFT": b"HIPSOLVER_SIDE_LEFT",
    b"CUBLAS_SIDE_RIGHT": b"HIPSOLVER_SIDE_RIGHT",
}
_TYPES = frozenset(name for name in _NAMES if name.endswith(b"_t"))


def rewrite(context: Context, declared: Declarations) -> None:
    """Without cuBLAS calls in the file all become hipSOLVER's, else those in cuSOLVER's calls."""
    source = context.source
    if b"cusolver" not in source.data or not any(name in source.data for name in _NAMES):
        return
    calls = [i for i in context.spots if _CALL.match(source.text[i]) and source.word(i + 1) == b"("]
    if not calls or context.options.roc:
        return
    if not any(
        _BLAS_CALL.match(source.text[i]) and not _NO_ENUM.match(source.text[i])
        for i in context.spots
    ):
        for i in context.spots:
            if source.text[i] in _NAMES and i not in context.claimed and not declared.covers(i):
                context.replace(i, _NAMES[source.text[i]])
        return
    variables = {
        word
        for i, kind in enumerate(source.text)
        if kind in _TYPES
        for word in source.text[i + 1 : i + 3]
        if word not in (b"const", b";", b",", b")")
    }
    for i in calls:
        for first, last in arguments(source, i) or ():
            word = source.text[first]
            if first != last or first in context.claimed:
                continue
            if word in _NAMES:
                context.replace(first, _NAMES[word])
            elif word in variables:
                context.wrap(first, last, context.shim("solver_enum") + b"(", b")")
