"""PG2031: code chosen by __CUDA_ARCH__."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive, Tok
from portgpu.lint.rule import Context, Example, Fix, Report, Rule

# `!defined(__CUDA_ARCH__) || …` holds where the macro is unknown, and so on AMD.
_HOST_TOO = re.compile(r"! ?defined ?\(? ?__CUDA_ARCH__ ?\)? ?\|\|")


_HINTS = ("cudaTriggerProgrammaticLaunchCompletion", "cudaGridDependencySynchronize")


class ArchGate(Rule):
    id = "PG2031"
    title = "Code chosen by __CUDA_ARCH__"
    severity = Severity.WARNING
    explain = """
`__CUDA_ARCH__` is not defined for AMD. `#if __CUDA_ARCH__ >= 800` takes the branch for the oldest
NVIDIA GPUs there (or the `#error`), and `#ifdef __CUDA_ARCH__` takes the host's branch in device
code. Giving it a number for AMD, as some compatibility headers do, selects code with PTX.

For "is this the device pass" use `PG_DEVICE_PASS` (1 or 0), by hand
`defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)`; for a feature use a feature macro.
"""
    invalid = (
        Example("""
            __device__ float f(float x) {
            #if __CUDA_ARCH__ >= 800  // finding
              return x;
            #else
              return -x;
            #endif
            }
            #ifdef __CUDA_ARCH__  // finding
            #endif
        """),
        Example(
            """
            #include "portgpu.h"
            #if defined(__CUDA_ARCH__)  // finding
            #endif
        """,
            fixed="""
            #include "portgpu.h"
            #if PG_DEVICE_PASS  // finding
            #endif
        """,
            mode="dialect",
        ),
    )
    valid = (
        Example("""
            __global__ void k(float* x) {
              x[0] = 0;
            #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
              cudaTriggerProgrammaticLaunchCompletion();
            #endif
            }
        """),
        Example("""
            #if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
            #endif
            #if !defined(USE_ROCM) && __CUDA_ARCH__ >= 800
            #endif
            #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
            #endif
        """),
    )

    def _only_a_hint(self, ctx: Context, gate: Directive) -> bool:
        """Whether nothing but a call stands there that only tells the GPU of dependent launches."""
        items = ctx.unit.scanned.items
        inside = items[items.index(gate) + 1 :][:6]
        end = next((i for i, x in enumerate(inside) if isinstance(x, Directive)), -1)
        words = [x.text for x in inside[:end] if isinstance(x, Tok)]
        last = inside[end] if end >= 0 else None
        closed = isinstance(last, Directive) and last.name == "endif"
        return closed and bool(words) and words[0] in _HINTS

    def check(self, ctx: Context) -> Iterator[Report]:
        if ctx.mode == "hip":
            return
        for item in ctx.unit.directives:
            if item.name not in ("if", "elif", "ifdef", "ifndef") or not ctx.for_amd(item.start):
                continue
            names = ctx.condition_names(item)
            written = [t.text for t in item.tokens]
            if "__CUDA_ARCH__" not in names:
                continue
            if any(m in n.upper() for n in names for m in ("HIP", "ROCM", "AMD", "MUSA")):
                continue
            if _HOST_TOO.search(" ".join(t.text for t in item.tokens)):
                continue
            numeric = any(t.kind == "num" for t in item.tokens) or "__CUDA_ARCH__" not in written
            joined = " ".join(written)
            if numeric and "defined ( __CUDA_ARCH__ ) &&" in joined and "!" not in written:
                message = "__CUDA_ARCH__ is never defined on AMD: this condition is false there"
            elif numeric:
                message = (
                    "__CUDA_ARCH__ has no value on AMD: the branch for old GPUs is taken there"
                )
            else:
                message = "__CUDA_ARCH__ is never defined on AMD, in its device pass neither"
            if self._only_a_hint(ctx, item):
                continue
            fix: Fix = ()
            spelled = [t.text for t in item.tokens]
            plain = spelled == ["defined", "(", "__CUDA_ARCH__", ")"] or item.name == "ifdef"
            if ctx.mode == "dialect" and plain and not numeric and item.name in ("if", "ifdef"):
                fix = ctx.edit(item.start, item.tokens[-1].end, "#if PG_DEVICE_PASS")
            yield Report(
                item.start, item.end, message, "use PG_DEVICE_PASS or a feature macro", fix,
                "__CUDA_ARCH__", severity=None if numeric else Severity.NOTE,
            )  # fmt: skip
