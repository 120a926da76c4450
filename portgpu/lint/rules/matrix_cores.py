"""PG2052: tensor core fragments."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Report, Rule


class MatrixCores(Rule):
    id = "PG2052"
    title = "Tensor core fragments of NVIDIA"
    severity = Severity.WARNING
    explain = """
`nvcuda::wmma` fragments live in warps of 32 lanes with a layout of their own. AMD's matrix cores
are MFMA (waves of 64, CDNA) and WMMA (RDNA3 and later), with other tile sizes and layouts.
`portgpu translate` and the shadow headers keep the meaning: a header of ours has the same
fragments, in NVIDIA's layout, as plain code over 32 lanes on every device. It is right, and far
slower than the matrix cores, which it does not use.

For speed, write the tile as a type with load, store and multiply, and give it one body a vendor
(`pg::mma` of the dialect is one), leave it to a matrix library, or use rocWMMA, which has an
interface like wmma's in its own namespace; code that indexes into `fragment.x[i]` by lane is wrong
with it.
"""
    invalid = (
        Example("""
            #include <mma.h>
            using namespace nvcuda;  // finding
            __global__ void k() { wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; }
        """),
    )
    valid = (
        Example("""
            #include <rocwmma/rocwmma.hpp>
            __global__ void k() { rocwmma::fragment<rocwmma::accumulator, 16, 16, 16, float> c; }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for item in ctx.unit.scanned.items:
            if isinstance(item, Directive) or item.text != "nvcuda" or not ctx.for_amd(item.start):
                continue
            message = "nvcuda::wmma is plain code on AMD, without its matrix cores"
            hint = "for speed: rocWMMA, or a tile type of your own"
            yield Report(item.start, item.end, message, hint)
            return
