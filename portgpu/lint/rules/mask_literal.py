"""PG2003: participation masks of 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.lanes import produces_mask
from portgpu.lint.rule import Context, Example, Fix, Report, Rule
from portgpu.lint.warps import FULL_MASK, mask_argument


class MaskLiteral(Rule):
    id = "PG2003"
    title = "Participation mask of 32 bits"
    severity = Severity.ERROR
    width = True
    explain = """
A CUDA lane mask has 32 bits. HIP's `_sync` functions take 64-bit masks, even on GPUs with waves of
32, and refuse a 32-bit one with a static assertion (ROCm 6.4 and later; older versions have no
`_sync` functions). Widened by hand, `0xffffffff` names only the lower half of a wave of 64: the
upper half calls a shuffle it does not take part in, which is undefined.

Translation with the default logical warp takes care of it. Native code says "all lanes" with
`0xffffffffffffffffull`, or leaves the mask out (`__shfl_xor(v, 1)` exists in every HIP version),
or uses the dialect, in which no function takes a mask.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int f(int v) { return __any_sync(0xffffffffu, v); }  // finding
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __device__ int f(int v) { return __any_sync(0xffffffffffffffffull, v); }  // finding
            """,
            mode="hip",
        ),
        Example(
            """
            #define FULL 0xffffffff
            __device__ int g(int v) {
              const unsigned m = FULL;
              v = __any_sync(FULL, v);  // finding
              return __all_sync(m, v);  // finding
            }
            """,
        ),
        Example("__device__ int g(int v) { return __shfl_sync(-1, v, 0); }  // finding"),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ float f(float v) { return __shfl_xor_sync(0xffffffffffffffffull, v, 1); }
            __device__ float h(unsigned long long m, float v) { return __shfl_xor_sync(m, v, 1); }
            """,
            mode="hip",
        ),
        Example("__device__ int keep(unsigned x) { return __popc(x & 0xffffffff); }"),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for expr in view.exprs:
                mask = mask_argument(expr)
                if mask is None or produces_mask(mask, ctx.names):
                    continue
                value = view.value(mask)
                if value in (FULL_MASK, -1):
                    yield self._report(
                        ctx,
                        expr.callee,
                        mask.start,
                        mask.end,
                        mask.kind == "num" and not mask.macro,
                    )
                elif ctx.mode == "hip" and value is None:
                    bits = view.int_type(mask)
                    if bits is not None and bits[0] <= 32:
                        yield Report(
                            mask.start,
                            mask.end,
                            f"the mask of {expr.callee} has {bits[0]} bits, and HIP takes only 64",
                            "declare it as unsigned long long",
                            symbol=expr.callee,
                        )

    def _report(self, ctx: Context, callee: str, start: int, end: int, literal: bool) -> Report:
        if ctx.native:
            message = f"the mask of {callee} names 32 lanes and has 32 bits; HIP takes 64-bit masks"
        else:
            message = f"the mask of {callee} has 32 bits; translation widens it, HIP code needs 64"
        fix: Fix = ()
        if literal and ctx.mode == "hip":
            fix = ctx.edit(start, end, "0xffffffffffffffffull")
        return Report(start, end, message, "all lanes in HIP: 0xffffffffffffffffull", fix, callee)
