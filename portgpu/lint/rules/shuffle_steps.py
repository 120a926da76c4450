"""PG2002: a warp reduction or scan whose steps end at 16."""

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
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ float sum(float v) {
              for (int d = 1; d < 32; d *= 2) v += __shfl_xor(v, d);  // finding
              return v;
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __device__ float sum(float v) {
              for (int d = 1; d < warpSize; d *= 2) v += __shfl_xor(v, d);  // finding
              return v;
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
            for stmt in view.stmts:
                yield from self._loop(ctx, view, stmt, ctx.native and not grouped)
            for expr in view.exprs:
                yield from self._recursion(ctx, view, expr)
            steps = {view.value(p[1]) for e in view.exprs if (p := shuffle_parts(e))}
            if 32 in steps:
                continue
            for expr in view.exprs:
                yield from self._literal(ctx, view, expr, steps)

    def _loop(
        self, ctx: Context, view: FunctionView, stmt: Stmt, fixable: bool
    ) -> Iterator[Report]:
        """A shuffle by the loop's variable: from 16 down, or from 1 up to 16."""
        if stmt.kind not in ("for", "while", "do"):
            return
        for expr in all_exprs(stmt.body):
            parts = shuffle_parts(expr)
            if parts is None or parts[1].kind != "name" or parts[2] is not None:
                continue
            start = self._start(stmt, parts[1])
            end = self._end(view, stmt, parts[1].text)
            if start is not None and view.value(start) == 16:
                fix: Fix = ()
                if fixable and start.kind == "num" and not start.macro:
                    fix = ctx.edit(start.start, start.end, "warpSize / 2")
                yield self._report(ctx, start, fix, expr.callee)
                return
            if start is not None and end is not None and view.value(start) == 1:
                fix = ()
                if fixable and end.kind == "num" and not end.macro and view.value(end) == 32:
                    fix = ctx.edit(end.start, end.end, "warpSize")
                yield self._report(ctx, end, fix, expr.callee)
                return

    def _start(self, stmt: Stmt, name: Expr) -> Expr | None:
        """The first value of a loop's variable."""
        known = loop_start(stmt)
        if known is not None and known[0] == name.text:
            return known[1]
        return name.var.init if name.var is not None and stmt.kind != "for" else None

    def _end(self, view: FunctionView, stmt: Stmt, name: str) -> Expr | None:
        """The bound of `d < 32` or `d <= 16`."""
        cond = stmt.cond
        if cond is None or cond.kind != "binary" or cond.args[0].text != name:
            return None
        bound = (cond.text, view.value(cond.args[1]))
        return cond.args[1] if bound in (("<", 32), ("<=", 16), ("<=", 31)) else None

    def _recursion(self, ctx: Context, view: FunctionView, expr: Expr) -> Iterator[Report]:
        """`sum<16>(v)` of a template that shuffles by its argument and calls itself."""
        if expr.kind != "call" or not expr.args[0].targs:
            return
        for _, function in ctx.names.functions.get(expr.callee, [])[:3]:
            inside = list(all_exprs(function.body or []))
            if function is view.function or not any(e.callee == function.name for e in inside):
                continue
            names = [v.name for v in function.templates]
            for step in (p[1] for e in inside if (p := shuffle_parts(e)) and p[2] is None):
                at = names.index(step.text) if step.text in names else -1
                if 0 <= at < len(expr.args[0].targs):
                    value = expr.args[0].targs[at]
                    if view.value(value) == 16:
                        yield self._report(ctx, value, (), expr.callee)
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
        message = "shuffles reach 16 lanes at most: a wave of 64 is taken in two halves"
        if not ctx.native:
            message = "steps over 32 lanes; kept by the logical warp, one step short of CDNA's wave"
        hint = "take the steps from warpSize, or pass the width 32 to the shuffle"
        return Report(value.start, value.end, message, hint, fix, symbol)
