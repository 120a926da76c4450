"""PG2011: shared memory exchanged within a warp without __syncwarp."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, Stmt, all_exprs
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule

_SYNC = ("__syncwarp", "__syncthreads", "syncwarp", "sync", "__threadfence_block")


class WarpSynchronous(Rule):
    id = "PG2011"
    title = "Warp-synchronous code without __syncwarp"
    severity = Severity.ERROR
    everywhere = True
    explain = """
`s[t] += s[t + 16]; s[t] += s[t + 8]; …` trusts that the lanes of a warp run in lock step. Since
Volta they need not, and compilers for both vendors may keep or reorder the loads: without a
synchronisation between the steps a lane reads an old value. `volatile` stops the compiler, not the
hardware. The first step (`s[t + 32]`) also assumes 32 lanes: on a wave of 64 it reads what another
part of the same wave is writing.

Put `__syncwarp()` between the steps (read into a register first), or use shuffles, or
`pg::warp_sum(v)`.
"""
    invalid = (
        Example("""
            __device__ void last_warp(volatile float* s, int t) {
              s[t] += s[t + 32];
              s[t] += s[t + 16];  // finding
              s[t] += s[t + 8];
              s[t] += s[t + 4];
            }
        """),
        Example("""
            __global__ void k(const float* x, float* y) {
              __shared__ float s[64];
              int t = threadIdx.x;
              s[t] = x[t];
              __syncthreads();
              if (t < 32) {
                s[t] += s[t + 32];
                s[t] += s[t + 16];  // finding
              }
              y[t] = s[0];
            }
        """),
    )
    valid = (
        Example("""
            __device__ void last_warp(volatile float* s, int t) {
              float v = s[t];
              v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
              v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
            }
        """),
        # One thread's own memory.
        Example("""
            __global__ void k(float* x) {
              float a[8];
              for (int t = 0; t < 4; ++t) { a[t] = x[t]; }
              int i = 0;
              a[i] += a[i + 4];
              a[i] += a[i + 2];
              x[0] = a[0];
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for block in self._blocks(view):
                yield from self._sequence(view, block)

    def _blocks(self, view: FunctionView) -> Iterator[list[Stmt]]:
        yield view.function.body or []
        for stmt in view.stmts:
            for part in (stmt.body, stmt.orelse):
                if part:
                    yield part

    def _sequence(self, view: FunctionView, block: list[Stmt]) -> Iterator[Report]:
        """Two steps of a tree over one array, at falling distances, with nothing between."""
        before: tuple[str, int] | None = None
        for stmt in block:
            step = self._step(view, stmt)
            if step is None:
                if any(e.kind == "call" and e.callee in _SYNC for e in all_exprs([stmt])):
                    before = None
                continue
            if before is not None and before[0] == step[0] and 0 < step[1] < before[1] <= 32:
                assert stmt.expr is not None
                yield Report(
                    stmt.expr.start,
                    stmt.expr.end,
                    f"{step[0]} is read by other lanes right after they wrote it, without a sync",
                    "put __syncwarp() between the steps, or use shuffles",
                    symbol=step[0],
                )
                return
            before = step

    def _step(self, view: FunctionView, stmt: Stmt) -> tuple[str, int] | None:
        """(array, distance) of `s[t] += s[t + distance]` or `s[t] = op(s[t], s[t + distance])`."""
        expr = stmt.expr
        single = stmt.kind == "if" and len(stmt.body) == 1 and not stmt.orelse
        if single and (stmt.cond is None or view.levels.level(stmt.cond) == 0):
            expr = stmt.body[0].expr  # `if (BLOCK >= 64) s[t] += s[t + 32];`
        if expr is None or expr.kind != "assign" or expr.args[0].kind != "index":
            return None
        target, index = expr.args[0].args
        if target.kind != "name" or target.var is None or not self._shared(view, target):
            return None
        for node in all_exprs([Stmt("expr", 0, 0, expr=expr.args[1])]):
            if node.kind == "index" and node.args[0].text == target.text:
                inside = node.args[1]
                ahead = inside.kind == "binary" and inside.text == "+"
                if ahead and repr(inside.args[0]) == repr(index):
                    distance = view.value(inside.args[1])
                    if distance is not None:
                        return target.text, distance
        return None

    def _shared(self, view: FunctionView, name: Expr) -> bool:
        var = name.var
        assert var is not None
        return bool(var.quals & {"__shared__", "volatile"})
