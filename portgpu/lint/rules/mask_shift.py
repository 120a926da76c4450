"""PG2006: lane masks built by shifting a 32-bit one."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import builtins
from portgpu.lint.rule import Context, Example, Fix, Report, Rule
from portgpu.lint.warps import is_lane


class MaskShift(Rule):
    id = "PG2006"
    title = "Lane mask built from a 32-bit one"
    severity = Severity.ERROR
    width = True
    explain = """
`1u << lane` is undefined for lanes 32 to 63 of a wave of 64: in practice it wraps to the bit of
`lane - 32`, and "the lanes below me" becomes wrong in the upper half. Use `1ull << lane`, and
`pg::contains` or `pg::popcount` with a `pg::lane_mask` in the dialect.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int rank(bool p, int lane) {
              return __popcll(__ballot(p) & ((1u << lane) - 1));  // finding
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __device__ int rank(bool p, int lane) {
              return __popcll(__ballot(p) & ((1ull << lane) - 1));  // finding
            }
            """,
            mode="hip",
        ),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int rank(bool p, int lane) {
              return __popcll(__ballot(p) & ((1ull << lane) - 1));
            }
            """,
            mode="hip",
        ),
        # Bits of a data word in a function that never asks for lane masks.
        Example(
            "__device__ bool bit(unsigned w, int lane) { return w & (1u << lane); }", warp="native"
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            if not any(
                e.kind == "call"
                and (e.callee in builtins.LANE_MASKS or e.qualified == "pg::ballot")
                for e in view.exprs
            ):
                continue
            for expr in view.exprs:
                if expr.kind != "binary" or expr.text != "<<":
                    continue
                ones = view.value(expr.args[0])  # one bit, or all of them
                if ones not in (1, -1, 0xFFFFFFFF):
                    continue
                bits = view.int_type(expr.args[0])
                if bits is None or bits[0] > 32 or not is_lane(expr.args[1], view):
                    continue
                one = expr.args[0]
                fix: Fix = ()
                if ctx.native and one.kind == "num" and not one.macro and ones == 1:
                    fix = ctx.edit(one.start, one.end, "1ull")
                message = "32 bits shifted by a lane number: undefined for lanes 32 to 63"
                if not ctx.native:
                    message = "lane mask of 32 bits; right for 32 lanes, native code needs 1ull"
                yield Report(expr.start, expr.end, message, "shift 1ull", fix)
