"""PG2025: products computed in 32 bits and used as 64."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, Fix, FunctionView, Report, Rule

_SHARED = re.compile(r"sh(?:ared)?_?mem|smem|shm|shared|lds", re.IGNORECASE)


class IndexOverflow(Rule):
    id = "PG2025"
    title = "Product computed in 32 bits before it is widened"
    severity = Severity.WARNING
    confidence = "likely"
    everywhere = True
    explain = """
`size_t(rows * cols)` and `rows * cols * sizeof(float)` multiply two `int`s first: beyond 2^31
elements the product has overflowed before it becomes 64 bits wide. GPUs of both vendors now hold
arrays of that size (80 to 256 GB), so that sizes are cut and indices point elsewhere, without an
error.

Widen a factor, not the product: `size_t(rows) * cols`. Thread indices that are computed in 32 bits
and stored in 64 are a hint (`--confidence hint`).
"""
    invalid = (
        Example(
            """
            void f(int rows, int cols, float** p) {
              size_t n = (size_t)(rows * cols);  // finding
              cudaMalloc(p, rows * cols * sizeof(float));  // finding
            }
        """,
            fixed="""
            void f(int rows, int cols, float** p) {
              size_t n = (size_t)rows * cols;  // finding
              cudaMalloc(p, (size_t)rows * cols * sizeof(float));  // finding
            }
        """,
        ),
        Example("""
            __global__ void k(float* x, int stride) {
              long long at = static_cast<long long>(blockIdx.x * stride);  // finding
              x[at] = 0;
            }
        """),
    )
    valid = (
        Example("""
            void f(int rows, size_t cols, float** p) {
              size_t n = (size_t)rows * cols;
              cudaMalloc(p, rows * cols * sizeof(float));
              cudaMalloc(p, 16 * rows * sizeof(float));
              size_t m = size_t(4 * rows);
              size_t shared_bytes = rows * rows * sizeof(float);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for expr in view.exprs:
                if expr.macro:
                    continue
                if expr.kind == "cast":
                    yield from self._cast(ctx, view, expr)
                elif expr.kind == "binary" and expr.text == "*":
                    yield from self._sizeof(ctx, view, expr)
            yield from self._declared(ctx, view)

    def _cast(self, ctx: Context, view: FunctionView, expr: Expr) -> Iterator[Report]:
        from portgpu.lint.consts import int_type

        bits = int_type(expr.text, view.scope)
        inner = expr.args[0] if expr.args else None
        if bits is None or bits[0] != 64 or inner is None or not self._product(view, inner):
            return
        fix: Fix = ()
        source = ctx.unit.data[expr.start : inner.start]
        if source.startswith(b"(") and ctx.unit.data[inner.start : inner.start + 1] == b"(":
            bare = ctx.unit.data[inner.start + 1 : inner.end - 1].decode("latin-1").strip()
            # `(T)(a * b)` becomes `(T)a * b`, unless something binds tighter behind it.
            after = ctx.unit.data[inner.end : inner.end + 2].strip()[:1]
            if after in (b";", b",", b")", b"+", b"]"):
                fix = ctx.edit(inner.start, inner.end, bare)
        message = f"`{ctx.text(inner)}` is computed in 32 bits and widened afterwards"
        yield Report(expr.start, expr.end, message, "widen a factor, not the product", fix)

    def _sizeof(self, ctx: Context, view: FunctionView, expr: Expr) -> Iterator[Report]:
        left, right = expr.args
        if any(a <= expr.start < b for a, b in self._shared_sizes(view)):
            return  # shared memory is small
        if right.kind != "sizeof" or not self._product(view, left):
            return
        fix = () if _parenthesised(ctx, left) else ctx.edit(left.start, left.start, "(size_t)")
        message = f"`{ctx.text(left)}` is computed in 32 bits before sizeof widens it"
        yield Report(
            expr.start, expr.end, message, "widen the first factor: size_t(a) * b * sizeof…", fix
        )

    def _shared_sizes(self, view: FunctionView) -> list[tuple[int, int]]:
        """Spans of expressions that count bytes of shared memory, by the name they are given."""
        spans = []
        for stmt in view.stmts:
            for var in stmt.vars:
                if var.init is not None and _SHARED.search(var.name):
                    spans.append((var.init.start, var.init.end))
            done = stmt.expr
            if done is not None and done.kind == "assign" and _SHARED.search(done.args[0].text):
                spans.append((done.start, done.end))
        for expr in view.exprs:
            if expr.kind == "launch":
                spans.append((expr.args[1].start, expr.args[1].end))
        return spans

    def _declared(self, ctx: Context, view: FunctionView) -> Iterator[Report]:
        for stmt in view.stmts:
            for var in stmt.vars:
                init = var.init
                if init is None or init.kind != "binary" or init.text != "+" or init.macro:
                    continue
                from portgpu.lint.consts import int_type

                bits = int_type(var.type, view.scope)
                if (
                    bits is not None
                    and bits[0] == 64
                    and any(self._thread(view, a) for a in init.args)
                ):
                    message = f"{var.name} has 64 bits, but its index is computed in 32"
                    yield Report(
                        init.start, init.end, message, f"start with ({var.type})blockIdx.x",
                        symbol=var.name, confidence="hint", severity=Severity.NOTE,
                    )  # fmt: skip

    def _thread(self, view: FunctionView, expr: Expr) -> bool:
        return (
            expr.kind == "binary"
            and expr.text == "*"
            and any("blockIdx" in repr(a) for a in expr.args)
            and (view.int_type(expr) or (64, False))[0] == 32
        )

    def _product(self, view: FunctionView, expr: Expr) -> bool:
        """A product of two 32-bit values, neither of them a constant."""
        if expr.kind != "binary" or expr.text != "*" or view.value(expr) is not None:
            return False
        whole = view.int_type(expr)
        if whole is None or whole[0] != 32:
            return False
        return all(view.value(arg) is None and view.int_type(arg) is not None for arg in expr.args)


def _parenthesised(ctx: Context, expr: Expr) -> bool:
    return ctx.unit.data[expr.start : expr.start + 1] == b"("
