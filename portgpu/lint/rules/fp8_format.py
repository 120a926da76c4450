"""PG2044: 8-bit floating point types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Report, Rule

_TYPE = re.compile(
    r"^(?:__nv_fp8(?:x[24])?_e[45]m[23]|__nv_fp8_storage_t|Float8_e[45]m[23](?:fn)?|kFloat8_e[45]m[23](?:fn)?|"
    r"CUDA_R_8F_E[45]M[23]|__hip_fp8_e[45]m[23](?:_fnuz)?|__nv_cvt_\w*fp8\w*)$"
)


class Fp8Format(Rule):
    id = "PG2044"
    title = "8-bit floating point whose encoding depends on the GPU"
    severity = Severity.WARNING
    explain = """
NVIDIA's fp8 is the OCP encoding. MI300 (gfx942) works in another one, "fnuz": the exponent bias is
one larger, so that the same byte means half the value; it has no infinities, no minus zero, and NaN
is 0x80. MI350 (gfx950) and RDNA4 (gfx12) use OCP again. Bytes that are written on one GPU and read
on another, weights above all, are off by a factor of two without an error.

Make the format part of the type's name and of file formats, convert in software where it differs
from the hardware's, and test both encodings.
"""
    invalid = (
        Example("""
            #include <cuda_fp8.h>
            __global__ void k(const __nv_fp8_e4m3* x, float* y) { y[0] = float(x[0]); }  // finding
        """),
    )
    valid = (Example("__global__ void k(const unsigned char* x, float* y) { y[0] = x[0]; }"),)

    def check(self, ctx: Context) -> Iterator[Report]:
        if b"fnuz" in ctx.unit.data.lower():
            return  # the file knows of both
        seen: set[str] = set()
        for item in ctx.unit.scanned.items:
            # The first use of each name in a file says it all.
            if isinstance(item, Directive) or item.text in seen or not _TYPE.match(item.text):
                continue
            if not ctx.for_amd(item.start):
                continue
            seen.add(item.text)
            message = (
                f"{item.text}: bytes mean other numbers on gfx942 (fnuz) than in OCP's encoding"
            )
            hint = "name the encoding in the type, and convert where the GPU's differs"
            yield Report(item.start, item.end, message, hint, symbol=item.text)
