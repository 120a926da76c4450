"""PG2004: ballot, activemask and match results kept in 32 bits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.lanes import produces_mask
from portgpu.lint.nodes import Expr, Stmt, Var, subexprs
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule

_BY_WIDTH = re.compile(r"lane_?mask|WarpMask|warp_?mask_t", re.IGNORECASE)


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
                    if var.init is not None and self._cut(view, var.init, var.type):
                        fix = self._declared_wide(ctx, stmt, var)
                        yield self._report(ctx, var.init, var.type, fix, var.name)
                returns = view.function.returns
                value = stmt.expr if stmt.kind == "return" else None
                if value is not None and self._cut(view, value, returns):
                    yield self._report(ctx, value, returns, (), "")
            for expr in view.exprs:
                if expr.kind == "assign":
                    target = view.type(expr.args[0])
                    if self._cut(view, expr.args[1], target):
                        yield self._report(ctx, expr.args[1], target, (), expr.args[0].text)
                elif expr.kind == "cast" and expr.args and self._cut(view, expr.args[0], expr.text):
                    yield self._report(ctx, expr, expr.text, (), "")
                elif expr.kind == "call" and ctx.native:
                    yield from self._passed(ctx, view, expr)

    def _declared_wide(self, ctx: Context, stmt: Stmt, var: Var) -> Fix:
        single = len(stmt.vars) == 1 and not var.macro and "*" not in var.type
        if not (ctx.native and single and var.type_end > var.type_start):
            return ()
        text = ctx.unit.data[var.type_start : var.type_end].decode("latin-1")
        better = "pg::lane_mask" if ctx.mode == "dialect" else "unsigned long long"
        bare = text.replace(var.type, better)
        return ctx.edit(var.type_start, var.type_end, bare) if bare != text else ()

    def _passed(self, ctx: Context, view: FunctionView, call: Expr) -> Iterator[Report]:
        """Masks given to functions of the project that take 32 bits."""
        known = [f for _, f in ctx.names.functions.get(call.callee, [])]
        for position, argument in enumerate(call.arguments if known else []):
            types = {f.params[position].type if position < len(f.params) else "" for f in known}
            if len(types) == 1 and self._cut(view, argument, text := types.pop()):
                yield self._report(ctx, argument, text, (), call.callee)

    def _cut(self, view: FunctionView, expr: Expr, text: str) -> bool:
        """Whether a lane mask loses bits in a variable of this type."""
        if not self._narrow(view, text) or not produces_mask(expr, view.context.names):
            return False
        if expr.kind == "binary" and expr.text == "&":
            kept = [view.value(a) for a in expr.args]
            if any(v is not None and 0 <= v <= 0xFFFFFFFF for v in kept):
                return False  # which bits to keep is written down
        while expr.kind == "cast" and expr.args and not self._narrow(view, expr.text):
            expr = expr.args[0]
        if expr.kind == "cast":
            return True
        # What was cut before, when it was stored, is told there.
        asked = any(
            e.kind == "call" and produces_mask(e, view.context.names) for e in subexprs(expr)
        )
        return asked or (view.int_type(expr) or (0, False))[0] == 64

    def _narrow(self, view: FunctionView, text: str) -> bool:
        from portgpu.lint.consts import int_type

        bits = int_type(text, view.scope)
        if _BY_WIDTH.search(text):
            return False  # a type that follows the width, whatever branch of it was seen
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
