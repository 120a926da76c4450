"""Names that some version of HIP lacks: what our header brings, and notes on the rest."""

from __future__ import annotations

import re

from portgpu.findings import Severity
from portgpu.mapping import Entry
from portgpu.translate import api, targets
from portgpu.translate.model import Context

# Names of hipBLAS and hipSPARSE since ROCm 6, which our headers have for older ones.
_BROUGHT = re.compile(
    r"hipblas(?:ComputeType|Math)_t|HIPBLAS_(?:COMPUTE_|\w*MATH)\w*"
    r"|hipsparseConst(?:Sp|Dn)(?:Mat|Vec)Descr_t"
    r"|hipsparseCreateConst(?:Csr|Csc|Coo|SpVec|DnVec|DnMat)"
)


def since(context: Context, i: int, found: Entry) -> None:
    """Says since when HIP has the name at `i`, where our header does not bring it."""
    added = api.version(found.hip_added)
    if context.options.compat and (found.adapter or is_brought(found)):
        return
    wanted = api.version(context.options.hip_version)
    if wanted and added and added > wanted:
        context.report(
            "PG1004",
            i,
            f"{found.hip} exists from HIP {found.hip_added}, not in {context.options.hip_version}",
            symbol=found.cuda,
        )
    elif not wanted and added > (5, 2, 0):
        context.report(
            "PG1004",
            i,
            f"{found.hip} exists from HIP {found.hip_added} on",
            severity=Severity.NOTE,
            symbol=found.cuda,
        )


def is_brought(found: Entry) -> bool:
    """Whether our header names this type or value where HIP does not."""
    return targets.is_data_type(found) or _BROUGHT.fullmatch(found.hip) is not None
