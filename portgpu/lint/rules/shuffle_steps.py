"""PG2002: a warp reduction that starts at a literal 16."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, Stmt, all_exprs
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule
from portgpu.lint.warps import lane_arithmetic, loop_start, shuffle_parts


class ShuffleSteps(Rule):
    id = "PG2002"
    title = "Warp reduction written for 32 lanes"
    severity = Severity.ERROR
    width = True
    explain = """
A butterfly or tree over a warp starts at half its width: 16 for 32 lanes, 32 for 64. Started at 16
without a width argument, a wave of 64 is reduced in two halves, and code that takes lane 0's value
as the warp's loses lanes 32 to 63.

Right: start at `warpSize / 2`; or say that 32 is meant by passing a width of 32 to the shuffle
(and let lane 0 of each 32 use the result); or `pg::warp_sum(v)` in the dialect.
"""
    invalid = (
        Example(
            """
            __device__ float sum(float v) {
              for (int d = 16; d > 0; d >>= 1)  // finding
                v += __shfl_down_sync(0xffffffff, v, d);
              return v;
            }
            """,
            fixed="""
            __device__ float sum(float v) {
              for (int d = warpSize / 2; d > 0; d >>= 1)  // finding
                v += __shfl_down_sync(0xffffffff, v, d);
              return v;
            }
            """,
            warp="native",
        ),
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int top(int v) {
              v = max(v, __shfl_xor(v, 16));  // finding
              v = max(v, __shfl_xor(v, 8));
              v = max(v, __shfl_xor(v, 4));
              v = max(v, __shfl_xor(v, 2));
              return max(v, __shfl_xor(v, 1));
            }
            """,
            mode="hip",
        ),
        # In groups of 32 it is reported, but this line alone has no fix.
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ float sum(float v) {
              for (int d = 16; d > 0; d >>= 1) v += __shfl_down(v, d);  // finding
              return (threadIdx.x & 31) == 0 ? v : 0;
            }
            """,
            mode="hip",
        ),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ float sum(float v) {
              for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d, 32);
              return v;
            }
            """,
            mode="hip",
        ),
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ float sum(float v) {
              v += __shfl_xor(v, 32);
              v += __shfl_xor(v, 16);
              return v + __shfl_xor(v, 8);
            }
            """,
            mode="hip",
        ),
        # 16 counts something else.
        Example("""
            __global__ void k(float* x) {
              for (int i = 16; i > 0; i >>= 1) x[i] = 0;
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        # Where lanes are numbered in groups of 32, the whole has to change, not this line.
        grouped = any(lane_arithmetic(view, named=True) for view in ctx.device)
        for view in ctx.device:
            steps = {view.value(p[1]) for e in view.exprs if (p := shuffle_parts(e))}
            for stmt in view.stmts:
                yield from self._loop(ctx, view, stmt, ctx.native and not grouped)
            if 32 in steps:
                continue
            for expr in view.exprs:
                yield from self._literal(ctx, view, expr, steps)

    def _loop(
        self, ctx: Context, view: FunctionView, stmt: Stmt, fixable: bool
    ) -> Iterator[Report]:
        start = loop_start(stmt)
        if start is None or view.value(start[1]) != 16:
            return
        name, value = start
        for expr in all_exprs(stmt.body):
            parts = shuffle_parts(expr)
            if parts and parts[1].kind == "name" and parts[1].text == name and parts[2] is None:
                fix: Fix = ()
                if fixable and value.kind == "num" and not value.macro:
                    fix = ctx.edit(value.start, value.end, "warpSize / 2")
                yield self._report(ctx, value, fix, expr.callee)
                return

    def _literal(
        self, ctx: Context, view: FunctionView, expr: Expr, steps: set[int | None]
    ) -> Iterator[Report]:
        parts = shuffle_parts(expr)
        if parts is None or parts[2] is not None or expr.macro:
            return
        if expr.callee in ("__shfl", "__shfl_sync") or view.value(parts[1]) != 16:
            return
        # Only a whole tree: 16 followed by 8, 4, 2 and 1.
        if parts[1].kind == "num" and {8, 4, 2, 1} <= steps:
            yield self._report(ctx, parts[1], (), expr.callee)

    def _report(self, ctx: Context, value: Expr, fix: Fix, symbol: str) -> Report:
        message = "reduction starts at 16 and leaves out lanes 32 to 63 of a wave of 64"
        if not ctx.native:
            message = (
                "reduction over 32 lanes; kept by the logical warp, one step short of CDNA's wave"
            )
        hint = "start at warpSize / 2, or pass the width 32 to the shuffle"
        return Report(value.start, value.end, message, hint, fix, symbol)
