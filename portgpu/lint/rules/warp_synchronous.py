"""PG2011: shared memory exchanged within a warp without __syncwarp."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, Stmt, all_exprs, subexprs
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule
from portgpu.lint.uniform import UNIFORM

_SYNC = ("__syncwarp", "__syncthreads", "syncwarp", "sync", "__threadfence_block",
         "__threadfence")  # fmt: skip


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
            template <int B> __device__ void last_warp(volatile float* s, int t) {
              if (B >= 64) s[t] += s[t + 32];
              if (B >= 32) s[t] += s[t + 16];  // finding
            }
            __device__ void scan(volatile float* s, int t) {
              if (t >= 1) s[t] += s[t - 1];
              if (t >= 2) s[t] += s[t - 2];  // finding
              if (t >= 4) s[t] += s[t - 4];
            }
            __device__ void tree(volatile float* s, int t) {
              for (int d = 32; d > 0; d >>= 1) s[t] += s[t + d];  // finding
            }
        """),
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
            __global__ void k(float* y) {
              __shared__ float s[256];
              int t = threadIdx.x;
              s[t] = y[t];
              __syncthreads();
              if (t < 16) s[t] += s[t + 16];
              __syncthreads();
              if (t < 8) s[t] += s[t + 8];
              __syncthreads();
              y[t] = s[0];
            }
        """),
        # A barrier in each round.
        Example("""
            __global__ void k(float* y) {
              __shared__ float s[256];
              int t = threadIdx.x;
              for (int d = 128; d > 0; d /= 2) {
                __syncthreads();
                if (t < d) s[t] += s[t + d];
              }
              y[t] = s[0];
            }
        """),
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
        """Two steps over one array with nothing between: a tree falls, a scan rises."""
        before: tuple[str, int] | None = None
        for stmt in block:
            expr, step = self._step(view, stmt)
            if expr is None or step is None:
                if any(e.kind == "call" and e.callee in _SYNC for e in all_exprs([stmt])):
                    before = None
                elif stmt.kind in ("for", "while", "do"):
                    yield from self._loop(view, stmt)
                continue
            if before is not None and before[0] == step[0]:
                falls, rises = 0 < step[1] < before[1] <= 32, -32 <= step[1] < before[1] < 0
                if falls or rises:
                    yield self._report(expr, step[0])
                    return
            before = step

    def _report(self, expr: Expr, name: str) -> Report:
        message = f"{name} is read by other lanes right after they wrote it, without a sync"
        hint = "put __syncwarp() between the steps, or use shuffles"
        return Report(expr.start, expr.end, message, hint, symbol=name)

    def _loop(self, view: FunctionView, loop: Stmt) -> Iterator[Report]:
        """A tree in a loop: `for (d = 16; d > 0; d /= 2) s[t] += s[t + d];`."""
        body = loop.body[0].body if [s.kind for s in loop.body] == ["block"] else loop.body
        if any(e.kind == "call" and e.callee in _SYNC for e in all_exprs(loop.body)):
            return
        name = next((e.args[0].text for e in _steps(loop.step) if e.args[0].kind == "name"), "")
        for stmt in body:
            expr, target, by = self._tree(view, stmt)
            if expr is not None and by is not None and by.args[1].text == name != "":
                yield self._report(expr, target)

    def _step(self, view: FunctionView, stmt: Stmt) -> tuple[Expr | None, tuple[str, int] | None]:
        """The step that a statement is, with its array and a distance that is known."""
        expr, name, by = self._tree(view, stmt)
        known = view.value(by.args[1]) if by is not None else None
        if by is None or known is None:
            return expr, None
        return expr, (name, known if by.text == "+" else -known)

    def _tree(self, view: FunctionView, stmt: Stmt) -> tuple[Expr | None, str, Expr | None]:
        """(step, array, `t + d`) of `s[t] += s[t + d]` or `s[t] = op(s[t], s[t + d])`."""
        expr = stmt.expr
        single = stmt.kind == "if" and not stmt.orelse and not stmt.init
        if single:
            inner = stmt.body
            while len(inner) == 1 and inner[0].kind == "block":
                inner = inner[0].body
            expr = inner[0].expr if len(inner) == 1 else None  # `if (B >= 64) s[t] += s[t + 32];`
        if expr is None or expr.kind != "assign" or expr.args[0].kind != "index":
            return None, "", None
        target, index = expr.args[0].args
        if target.kind != "name" or target.var is None or not self._shared(view, target):
            return None, "", None
        if view.levels.level(index) == UNIFORM:  # one thread, or all of them at one place
            return None, "", None
        for node in subexprs(expr.args[1]):
            if node.kind == "index" and node.args[0].text == target.text:
                inside = node.args[1]
                away = inside.kind == "binary" and inside.text in ("+", "-")
                if away and repr(inside.args[0]) == repr(index):
                    return expr, target.text, inside
        return None, "", None

    def _shared(self, view: FunctionView, name: Expr) -> bool:
        var = name.var
        assert var is not None
        return bool(var.quals & {"__shared__", "volatile"})


def _steps(step: Expr | None) -> list[Expr]:
    """The parts of a loop's step that halve a variable."""
    return (
        []
        if step is None
        else [e for e in subexprs(step) if e.kind == "assign" and e.text in (">>=", "/=")]
    )
