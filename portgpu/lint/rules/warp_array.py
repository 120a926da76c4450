"""PG2007: shared arrays with one slot a warp, read back by lane."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.lanes import is_thread_index
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule
from portgpu.lint.warps import is_lane, is_warp_number


class WarpArray(Rule):
    id = "PG2007"
    title = "Shared array of 32 slots, one a warp, read back by lane"
    severity = Severity.ERROR
    width = True
    explain = """
The second step of a block reduction reads one partial result a lane from shared memory. Sized 32,
the array is read by all lanes of a warp in CUDA. A wave of 64 has lanes 32 to 63, which read past
the end, and at most 16 warps fit in a block, so that half of the slots were never written.

Size the array for the widest and narrowest warp (`1024 / 32` slots), initialise or guard what no
warp wrote (`lane < number of warps`), or use `pg::block_sum<256>(v)`.
"""
    invalid = (
        Example(
            """
            __global__ void k(const float* x, float* y) {
              __shared__ float part[32];  // finding
              int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
              float v = x[threadIdx.x];
              if (lane == 0) part[warp] = v;
              __syncthreads();
              if (warp == 0) y[lane] = part[lane];
            }
            """,
            warp="native",
        ),
    )
    valid = (
        Example(
            """
            __global__ void k(const float* x, float* y) {
              __shared__ float part[32];
              int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
              if (lane == 0) part[warp] = x[threadIdx.x];
              __syncthreads();
              if (threadIdx.x == 0) y[0] = part[0] + part[1];
            }
            """,
            warp="native",
        ),
        # Lanes are numbered in groups of 32: no slot past the end.
        Example(
            """
            __global__ void k(const float* x, float* y) {
              __shared__ float part[32];
              int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
              if (lane == 0) part[warp] = x[threadIdx.x];
              __syncthreads();
              y[threadIdx.x] = part[lane];
            }
            """,
            warp="native",
        ),
        # The read is guarded by the number of warps.
        Example(
            """
            __global__ void k(const float* x, float* y) {
              __shared__ float part[32];
              int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
              if (lane == 0) part[warp] = x[threadIdx.x];
              __syncthreads();
              float v = lane < blockDim.x / warpSize ? part[lane] : 0.f;
              y[threadIdx.x] = v;
            }
            """,
            warp="native",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for stmt in view.stmts:
                for var in stmt.vars:
                    if "__shared__" not in var.quals or len(var.dims) != 1:
                        continue
                    if view.value(var.dims[0]) != 32 or not self._used(view, var.name):
                        continue
                    message = f"lanes 32 to 63 of a wave read past the 32 slots of {var.name}"
                    if not ctx.native:
                        message = f"{var.name} has one slot a warp of 32; kept by the logical warp"
                    hint = "guard the read by the number of warps, or use a block-level reduction"
                    yield Report(var.start, var.end, message, hint, symbol=var.name)

    def _used(self, view: FunctionView, name: str) -> bool:
        """Written by warp number, and read by lane without a guard on the number of warps."""
        written = read = False
        guarded = _guarded(view)
        for expr in view.exprs:
            if expr.kind != "index" or expr.args[0].text != name:
                continue
            written = written or is_warp_number(expr.args[1], view)
            read = read or (self._whole_wave(view, expr.args[1]) and id(expr) not in guarded)
        return written and read

    def _whole_wave(self, view: FunctionView, expr: Expr) -> bool:
        """A lane number of the real wave; one cut to 32 lanes never passes slot 31."""
        if is_thread_index(expr):
            return True
        if expr.kind == "name" and expr.var is not None and expr.var.init is not None:
            expr = expr.var.init
        if expr.kind == "binary" and expr.text in ("%", "&"):
            return is_thread_index(expr.args[0]) and view.value(expr.args[1]) is None
        return expr.kind == "call" and is_lane(expr, view)


def _guarded(view: FunctionView) -> set[int]:
    """Expressions that stand behind a `lane < something` condition."""
    from portgpu.lint.nodes import all_exprs, subexprs

    def compares(cond: Expr | None) -> bool:
        if cond is None:
            return False
        parts = list(subexprs(cond))
        inits = [e.var.init for e in parts if e.var is not None and e.var.init is not None]
        return any(
            e.kind == "binary"
            and e.text in ("<", "<=")
            and (is_lane(e.args[0], view) or is_thread_index(e.args[0]))
            for e in [*parts, *inits]
        )

    found: set[int] = set()
    for expr in view.exprs:
        if expr.kind == "cond" and compares(expr.args[0]):
            found |= {id(e) for e in subexprs(expr.args[1])}
    for stmt in view.stmts:
        if stmt.kind == "if" and compares(stmt.cond):
            found |= {id(e) for e in all_exprs(stmt.body)}
    return found
