"""PG2004: ballot, activemask and match results kept in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.lanes import produces_mask
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule


class MaskNarrowed(Rule):
    id = "PG2004"
    title = "Lane mask cut to 32 bits"
    severity = Severity.ERROR
    width = True
    explain = """
`__ballot`, `__activemask` and `__match_any` return one bit a lane: 32 in CUDA, 64 in HIP. Stored in
an `unsigned` or `int`, the bits of lanes 32 to 63 are lost without a warning, and counts, leaders
and prefix sums taken from it are wrong on CDNA.

Right: `unsigned long long` in HIP, `pg::lane_mask` in the dialect, `auto` in code for both. The
translation of a CUDA source keeps 32 lanes and 32 bits together, so there it is a note.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int count(bool p) {
              unsigned m = __ballot(p);  // finding
              return __popcll(m);
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __device__ int count(bool p) {
              unsigned long long m = __ballot(p);  // finding
              return __popcll(m);
            }
            """,
            mode="hip",
        ),
        Example(
            """
            #include "portgpu.h"
            __device__ unsigned votes(bool p) {
              return pg::ballot(p);  // finding
            }
            """,
            mode="dialect",
        ),
        Example(
            """
            __device__ int leader(int v) {
              int m = 0;
              m = __match_any_sync(__activemask(), v);  // finding
              return __ffs(m) - 1;
            }
            """
        ),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __device__ int count(bool p) {
              unsigned long long m = __ballot(p);
              auto n = __ballot(!p);
              bool any = __ballot(p);
              return __popcll(m | n) + any;
            }
            """,
            mode="hip",
        ),
        Example(
            """
            #include "portgpu.h"
            __device__ pg::lane_mask votes(bool p) { return pg::ballot(p); }
            """,
            mode="dialect",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for stmt in view.stmts:
                for var in stmt.vars:
                    if (
                        var.init is None
                        or not self._mask(var.init)
                        or not self._narrow(view, var.type)
                    ):
                        continue
                    fix: Fix = ()
                    single = len(stmt.vars) == 1 and not var.macro and "*" not in var.type
                    if ctx.native and single and var.type_end > var.type_start:
                        text = ctx.unit.data[var.type_start : var.type_end].decode("latin-1")
                        better = "pg::lane_mask" if ctx.mode == "dialect" else "unsigned long long"
                        bare = text.replace(var.type, better)
                        fix = ctx.edit(var.type_start, var.type_end, bare) if bare != text else ()
                    yield self._report(ctx, var.init, var.type, fix, var.name)
                returns = view.function.returns
                value = stmt.expr if stmt.kind == "return" else None
                if value is not None and self._mask(value) and self._narrow(view, returns):
                    yield self._report(ctx, value, returns, (), "")
            for expr in view.exprs:
                if expr.kind == "assign" and self._mask(expr.args[1]):
                    target = view.type(expr.args[0])
                    if self._narrow(view, target):
                        yield self._report(ctx, expr.args[1], target, (), expr.args[0].text)

    def _mask(self, expr: Expr) -> bool:
        return expr.kind in ("call", "binary", "unary", "cast") and produces_mask(expr)

    def _narrow(self, view: FunctionView, text: str) -> bool:
        from portgpu.lint.consts import int_type

        bits = int_type(text, view.scope)
        # A bool asks whether any lane voted, which is right at any width.
        return bits is not None and 8 < bits[0] <= 32

    def _report(self, ctx: Context, expr: Expr, type_text: str, fix: Fix, name: str) -> Report:
        wide = "pg::lane_mask" if ctx.mode == "dialect" else "unsigned long long"
        if ctx.native:
            message = f"a lane mask has 64 bits; {type_text} drops the lanes from 32 up"
        else:
            message = (
                f"lane mask in 32 bits ({type_text}); kept by the logical warp, too narrow natively"
            )
        return Report(expr.start, expr.end, message, f"hold it in {wide}", fix, name)
