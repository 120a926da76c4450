"""Functions of math that nvcc has on the host too, and HIP on devices alone."""

from __future__ import annotations

import re

from portgpu.translate import libc
from portgpu.translate.model import Context

_NAMES = frozenset(
    name + suffix
    for name in b"rsqrt rcbrt sinpi cospi sincospi normcdf normcdfinv erfinv erfcinv erfcx rhypot"
    b" norm3d rnorm3d".split()
    for suffix in (b"", b"f")
)
_ANY = re.compile(rb"\b(?:" + b"|".join(sorted(_NAMES)) + rb")\b")


def needed(context: Context) -> bool:
    """Whether host code of the file calls one of them."""
    source = context.source
    if context.is_hip or context.options.hipify or context.options.compat is None:
        return False
    return _ANY.search(source.data) is not None and libc._calls(source, _NAMES)
