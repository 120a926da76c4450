"""PG2010: shuffles without a width in an algorithm for 32 lanes."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule
from portgpu.lint.warps import lane_arithmetic, shuffle_parts

_BY_PLACE = ("__shfl", "__shfl_sync", "__shfl_up", "__shfl_up_sync")


class ShuffleWidth(Rule):
    id = "PG2010"
    title = "Shuffle without a width in an algorithm for groups of 32"
    severity = Severity.ERROR
    width = True
    explain = """
Without a width, a shuffle works on the whole wave: 64 lanes on CDNA. An algorithm that numbers its
lanes with `& 31` means groups of 32: `__shfl(v, 0)` then gives lanes 32 to 63 the value of lane 0
instead of lane 32, and `__shfl_up` carries values from one group into the next.

Pass the width: `__shfl(v, 0, 32)`, `pg::shfl<32>(v, 0)`. It costs nothing on hardware of 32 lanes.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __global__ void prefix(int* x) {
              int lane = threadIdx.x & 31, v = x[threadIdx.x];
              for (int d = 1; d < 32; d *= 2) {
                int t = __shfl_up(v, d);  // finding
                if (lane >= d) v += t;
              }
              x[threadIdx.x] = v - __shfl(v, 0);  // finding
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __global__ void prefix(int* x) {
              int lane = threadIdx.x & 31, v = x[threadIdx.x];
              for (int d = 1; d < 32; d *= 2) {
                int t = __shfl_up(v, d, 32);  // finding
                if (lane >= d) v += t;
              }
              x[threadIdx.x] = v - __shfl(v, 0, 32);  // finding
            }
            """,
            mode="hip",
        ),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __global__ void k(int* x) {
              int lane = threadIdx.x & 31;
              x[lane] = __shfl(x[threadIdx.x], 0, 32);
            }
            __global__ void whole(int* x) { x[threadIdx.x] = __shfl(x[threadIdx.x], 0); }
            """,
            mode="hip",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            if self._groups_of_32(view):
                yield from self._shuffles(ctx, view)

    def _groups_of_32(self, view: FunctionView) -> bool:
        return any(role == "lane" for _, role, _ in lane_arithmetic(view, named=True))

    def _shuffles(self, ctx: Context, view: FunctionView) -> Iterator[Report]:
        for expr in view.exprs:
            parts = shuffle_parts(expr)
            if parts is None or parts[2] is not None or expr.callee not in _BY_PLACE:
                continue
            fix: Fix = ()
            if ctx.native and not expr.macro:
                fix = ctx.edit(parts[1].end, parts[1].end, ", 32")
            message = f"{expr.callee} works on 64 lanes here; lanes are numbered in groups of 32"
            if not ctx.native:
                message = f"{expr.callee} has no width; kept at 32 lanes by the logical warp"
            yield Report(expr.start, expr.end, message, "pass the width 32", fix, expr.callee)
