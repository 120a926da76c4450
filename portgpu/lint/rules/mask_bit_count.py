"""PG2005: 32-bit popc, ffs and clz on lane masks."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.lanes import produces_mask
from portgpu.lint.rule import Context, Example, Report, Rule

_WIDE = {
    "__popc": "__popcll", "__ffs": "__ffsll", "__clz": "__clzll", "__brev": "__brevll",
    "__builtin_popcount": "__builtin_popcountll", "__builtin_ffs": "__builtin_ffsll",
    "__builtin_clz": "__builtin_clzll", "__builtin_ctz": "__builtin_ctzll",
}  # fmt: skip


class MaskBitCount(Rule):
    id = "PG2005"
    title = "Bits of a lane mask counted with a 32-bit function"
    severity = Severity.ERROR
    width = True
    explain = """
`__popc`, `__ffs`, `__clz` and `__brev` take 32 bits. Given a 64-bit lane mask they look at lanes 0
to 31 only: counts are too small, a leader among lanes 32 to 63 is not found. HIP code needs the
`ll` forms; the dialect has `pg::popcount`, `pg::first_lane` and `pg::contains`.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int count(bool p) {
              unsigned long long m = __ballot(p);
              int leader = __ffs(m) - 1;  // finding
              return __popc(__ballot(p)) + leader;  // finding
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __device__ int count(bool p) {
              unsigned long long m = __ballot(p);
              int leader = __ffsll(m) - 1;  // finding
              return __popcll(__ballot(p)) + leader;  // finding
            }
            """,
            mode="hip",
        ),
        Example("__device__ int n(bool p) { return __popc(__ballot_sync(~0u, p)); }  // finding"),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int bits(unsigned w, bool p) { return __popc(w) + __popcll(__ballot(p)); }
            """,
            mode="hip",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for expr in view.exprs:
                wide = _WIDE.get(expr.callee)
                if (
                    wide is None
                    or not expr.arguments
                    or not produces_mask(expr.arguments[0], ctx.names)
                ):
                    continue
                head = expr.args[0]
                fix = ctx.edit(head.start, head.end, wide) if ctx.native and not expr.macro else ()
                message = f"{expr.callee} looks at lanes 0 to 31 of a 64-bit lane mask"
                if not ctx.native:
                    message = f"{expr.callee} on a lane mask: right for 32 lanes, for 64 use {wide}"
                yield Report(expr.start, expr.end, message, f"use {wide}", fix, expr.callee)
