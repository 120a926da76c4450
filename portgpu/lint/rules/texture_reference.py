"""PG2042: texture and surface references."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_CALLS = ("cudaBindTexture", "cudaBindTexture2D", "cudaBindTextureToArray", "cudaUnbindTexture",
          "cudaBindSurfaceToArray", "cuTexRefSetAddress", "cuModuleGetTexRef")  # fmt: skip


class TextureReference(Rule):
    id = "PG2042"
    title = "Texture or surface reference"
    severity = Severity.ERROR
    explain = """
Texture references (`texture<float, 2> t;` at file scope, bound by `cudaBindTexture`) were removed
from CUDA 12 and exist in HIP only in part, deprecated. Texture objects (`cudaTextureObject_t`)
exist on both sides, but not on every AMD data-centre GPU: MI200 and MI300 have no texture units.

For plain reads use `__ldg` or a `const __restrict__` pointer; interpolate by hand where filtering
was used.
"""
    invalid = (
        Example("""
            texture<float, 1> image;  // finding
            __global__ void k(float* x) { x[0] = tex1Dfetch(image, 0); }
            void f(float* p) { check(cudaBindTexture(0, image, p)); }  // finding
        """),
    )
    valid = (
        Example("""
            struct texture { int id; };
            static texture wood;
            __global__ void k(float* x, cudaTextureObject_t t) { x[0] = tex1Dfetch<float>(t, 0); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for var in ctx.unit.declarations.globals:
            bare = var.type.replace("static", "").strip()
            if bare.startswith(("texture<", "surface<")) and not ctx.names.records & {
                "texture",
                "surface",
            }:
                message = f"{var.name} is a texture reference, which CUDA 12 removed"
                yield Report(
                    var.start, var.end, message, "read through a pointer, or a texture object",
                    symbol=var.name,
                )  # fmt: skip
        for view in ctx.functions:
            for expr in view.exprs:
                if expr.callee in _CALLS:
                    message = f"{expr.callee} belongs to texture references, which CUDA 12 removed"
                    yield Report(
                        expr.start, expr.end, message, "use a texture object", symbol=expr.callee
                    )
