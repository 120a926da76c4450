"""PG2061: shared tiles whose columns lie in one bank."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.consts import size_of
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule


class BankConflict(Rule):
    id = "PG2061"
    title = "Column access to a shared tile falls into one bank"
    severity = Severity.NOTE
    confidence = "hint"
    everywhere = True
    explain = """
Shared memory has 32 banks of 4 bytes on NVIDIA and on most AMD GPUs (64 on MI350). A row length
that is a multiple of the bank count puts a column into one bank, and a warp that reads it takes 32
turns. Waves of 64 are served in parts, so that the cost differs between vendors.

Pad the row by one element: `tile[32][33]`.
"""
    invalid = (
        Example("""
            __global__ void transpose(const float* x, float* y) {
              __shared__ float tile[32][32];  // finding
              tile[threadIdx.y][threadIdx.x] = x[threadIdx.x];
              __syncthreads();
              y[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
            }
        """),
    )
    valid = (
        Example("""
            __global__ void transpose(const float* x, float* y) {
              __shared__ float tile[32][33];
              tile[threadIdx.y][threadIdx.x] = x[threadIdx.x];
              __syncthreads();
              y[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for stmt in view.stmts:
                for var in stmt.vars:
                    if "__shared__" not in var.quals or len(var.dims) != 2:
                        continue
                    row, size = view.value(var.dims[1]), size_of(var.type, view.scope)
                    if (
                        not row
                        or not size
                        or row * size % 128
                        or not self._by_column(view, var.name)
                    ):
                        continue
                    message = (
                        f"rows of {var.name} have {row * size} bytes: a column lies in one bank"
                    )
                    yield Report(
                        var.start, var.end, message, "pad the row by one element", symbol=var.name
                    )

    def _by_column(self, view: FunctionView, name: str) -> bool:
        for expr in view.exprs:
            if expr.kind == "index" and expr.args[0].kind == "index":
                inner = expr.args[0]
                if inner.args[0].text == name and _is_thread_x(inner.args[1]):
                    return True
        return False


def _is_thread_x(expr: Expr) -> bool:
    if expr.kind == "name" and expr.var is not None and expr.var.init is not None:
        expr = expr.var.init
    return expr.kind == "member" and expr.text == "x" and expr.args[0].text == "threadIdx"
