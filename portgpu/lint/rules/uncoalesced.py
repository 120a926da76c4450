"""PG2060: neighbouring threads that read far apart."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, all_exprs, subexprs
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule


class Uncoalesced(Rule):
    id = "PG2060"
    title = "Neighbouring threads access memory far apart"
    severity = Severity.NOTE
    confidence = "hint"
    everywhere = True
    explain = """
Where `threadIdx.x` is multiplied by a stride, each lane of a warp touches another cache line. L1
lines have 128 bytes on NVIDIA and CDNA3, 64 on older CDNA, and caches per compute unit are smaller
on AMD (16 to 32 KiB against 128 to 256): access patterns that NVIDIA's L1 forgives cost much more
there. A wave of 64 also touches twice as many lines at once.

Let the thread index run along the fastest dimension, or pass the tile through shared memory.
"""
    invalid = (
        Example("""
            __global__ void k(const float* x, float* y, int stride) {
              float s = 0;
              for (int j = 0; j < 16; ++j) s += x[threadIdx.x * stride + j];  // finding
              y[threadIdx.x] = s;
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* y, int n) { if (threadIdx.x == 1) y[threadIdx.x * n] = 0; }
        """),
        Example("""
            __global__ void k(const float* x, float* y, int n) {
              __shared__ float s[1024];
              float* tile = s + 4;
              float v = s[threadIdx.x * 4] + tile[threadIdx.x * 8];
              y[threadIdx.x] = x[blockIdx.x * n + threadIdx.x] + v;
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            single = self._of_one_thread(view)
            for expr in view.exprs:
                if id(expr) in single:
                    continue
                if expr.kind != "index" or not self._global(view, expr.args[0]) or expr.macro:
                    continue
                if any(self._strided(view, term) for term in _terms(expr.args[1])):
                    message = f"`{ctx.text(expr)}`: neighbouring threads are a stride apart"
                    hint = "let threadIdx.x run along the fastest dimension"
                    yield Report(expr.start, expr.end, message, hint)

    def _of_one_thread(self, view: FunctionView) -> set[int]:
        """Expressions below `if (threadIdx.x == 1)`."""
        return {
            id(expr)
            for stmt in view.stmts
            if stmt.kind == "if" and stmt.cond is not None and any(
                e.kind == "binary" and e.text == "==" and "threadIdx" in repr(e)
                for e in subexprs(stmt.cond)
            )
            for expr in all_exprs(stmt.body)
        }  # fmt: skip

    def _global(self, view: FunctionView, base: Expr) -> bool:
        """A kernel's pointer parameter; any other pointer may lead to shared memory."""
        var = base.var if base.kind == "name" and view.function.kernel else None
        return var is not None and var in view.function.params and var.type.endswith("*")

    def _strided(self, view: FunctionView, term: Expr) -> bool:
        if term.kind != "binary" or term.text != "*":
            return False
        for one, other in (term.args, term.args[::-1]):
            if one.kind == "member" and one.text == "x" and one.args[0].text == "threadIdx":
                value = view.value(other)
                return value is None or value >= 8
        return False


def _terms(expr: Expr) -> list[Expr]:
    if expr.kind == "binary" and expr.text == "+":
        return _terms(expr.args[0]) + _terms(expr.args[1])
    return [expr]
