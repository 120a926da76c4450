"""Headers that one of CUDA's brings along, and HIP's for it does not: included behind it."""

from __future__ import annotations

from portgpu.findings import Edit
from portgpu.translate.model import Context

# CUDA's headers, what HIP's names begin with, HIP's header for them, and CUDA's own for it.
_BROUGHT: tuple[tuple[frozenset[str], bytes, str, frozenset[str]], ...] = (
    (
        frozenset(("cuda.h",)),  # the driver links what hipRTC does
        b"hiprtc",
        "hip/hiprtc.h",
        frozenset(("nvrtc.h",)),
    ),
    (
        frozenset(("cusolverSp.h", "cusolverSp_LOWLEVEL_PREVIEW.h")),
        b"hipsparse",
        "hipsparse/hipsparse.h",
        frozenset(("cusparse.h", "cusparse_v2.h")),
    ),
    (
        frozenset(("cusolverDn.h", "cusolverSp.h", "cublasLt.h")),
        b"hipblas",
        "hipblas/hipblas.h",
        frozenset(("cublas_v2.h", "cublas.h", "cublas_api.h")),
    ),
)


def rewrite(context: Context) -> None:
    """Adds the headers whose names the file uses; all other edits have been made."""
    source = context.source
    names = {include.name for include in source.includes}
    for givers, prefix, header, own in _BROUGHT:
        if not names & givers or names & own:
            continue
        begins = (prefix, prefix.upper() + b"_")
        used = (e.text for e in context.edits if e.text.startswith(begins))
        if not any(not text.startswith((b"hipblasLt", b"HIPBLASLT")) for text in used):
            continue
        giver = next(include for include in source.includes if include.name in givers)
        line = f"#include <{header}>".encode()
        newline = b"\r\n" if b"\r\n" in source.data else b"\n"
        end = source.data.find(b"\n", giver.end)
        at = len(source.data) if end < 0 else end + 1
        context.edits.append(Edit(at, at, line + newline if end >= 0 else newline + line))
