"""cuBLAS calls whose arguments have types of their own in some version of hipBLAS.

Complex numbers and halves are classes or integers of hipBLAS's there, and before ROCm 6 types of
data and of computing are other enums. `PG_COMPAT_BLAS(hipblasCgemm)(...)` takes CUDA's in all.
"""

from __future__ import annotations

import re

from portgpu.translate import api
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

ADAPTED = re.compile(
    r"cublas(?:I[cz]am\w+|[CZ](?!reate|ontext|omputeType)[a-z]\w*|(?:Sc|Dz)(?:asum|nrm2)|[A-Z]\w*Ex)"
    r"(?:_v2)?(?:_64)?\Z"
)
_PREFIX = re.compile(rb"cublas(?:I[cz]|[CZ]|Sc|Dz|\w*Ex)")
MACRO = "PG_COMPAT_BLAS"


def rewrite(context: Context, declared: Declarations) -> None:
    """Wraps the names of such functions where they are called."""
    source = context.source
    if context.options.compat is None or context.options.roc or not _PREFIX.search(source.data):
        return
    for i in context.spots:
        if i in context.claimed or source.word(i + 1) != b"(":
            continue
        found = api.entry(source.text[i])
        if found is None or found.adapter or not found.hip or not ADAPTED.match(found.cuda):
            continue
        if not declared.covers(i):
            context.shims.add(MACRO)
            context.uses.add(found.family)
            context.replace(i, f"{MACRO}({found.hip})".encode())
