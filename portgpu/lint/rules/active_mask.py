"""PG2015: __activemask as a participation mask."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import builtins
from portgpu.lint.nodes import Expr
from portgpu.lint.project import Names
from portgpu.lint.rule import Context, Example, Report, Rule
from portgpu.lint.warps import mask_argument


class ActiveMask(Rule):
    id = "PG2015"
    title = "Participation mask taken from __activemask"
    severity = Severity.WARNING
    confidence = "certain"
    everywhere = True
    explain = """
`__activemask()` says which lanes happen to run together at that moment, not which ones will come to
the next call. On NVIDIA GPUs the compiler may split lanes that took the same branch; on AMD the
answer is the wave's execution mask with 64 bits. A shuffle or vote with such a mask can combine any
subset of lanes, and results differ between GPUs and compilers.

Ask before the branch: `mask = __ballot_sync(full, condition)` and then `if (condition) …`, or let
all lanes take part with a neutral value.
"""
    invalid = (
        Example("""
            struct Group {
              unsigned lanes;
              __device__ Group() { lanes = __activemask(); }
              __device__ int sum(int v) { return __reduce_add_sync(lanes, v); }  // finding
            };
        """),
        Example("""
            __device__ int f(int v) {
              unsigned mask = __activemask();
              v += __shfl_xor_sync(mask, v, 1);  // finding
              return __reduce_add_sync(__activemask(), v);  // finding
            }
        """),
    )
    valid = (
        Example("""
            __device__ int f(int v, bool p) {
              unsigned mask = __ballot_sync(0xffffffff, p);
              if (p) v = __shfl_sync(mask, v, __ffs(mask) - 1);
              return v + __popc(__activemask());
            }
        """),
        # Agreeing on a leader among whoever is here, for one atomic operation, is sound.
        Example("""
            __device__ void count(int* n) {
              unsigned here = __activemask();
              int leader = __ffs(here) - 1;
              unsigned peers = __match_any_sync(here, n[1]);
              if ((threadIdx.x & 31) == leader) atomicAdd(n, __popc(here & peers));
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        fields = {
            expr.args[0].text
            for view in ctx.device
            for expr in view.exprs
            if expr.kind == "assign" and expr.args[0].text in ctx.names.fields
            and expr.args[0].var is None and _is_active(expr.args[1], ctx.names)
        }  # fmt: skip
        for view in ctx.device:
            for expr in view.exprs:
                mask = mask_argument(expr)
                # Finding one's peers among whoever is here is what match is for.
                if expr.callee in builtins.MATCHES:
                    continue
                if mask is None:
                    continue
                held = mask.var is None and mask.kind in ("name", "member") and mask.text in fields
                if held or _is_active(mask, ctx.names):
                    message = f"the mask of {expr.callee} is whoever happens to run together"
                    hint = "find the lanes with __ballot_sync before the branch"
                    yield Report(mask.start, mask.end, message, hint, symbol=expr.callee)


def _is_active(mask: Expr, names: Names, depth: int = 0) -> bool:
    if depth > 4:
        return False
    if mask.kind == "name" and mask.var is not None and mask.var.init is not None:
        return _is_active(mask.var.init, names, depth + 1)
    if mask.kind != "call":
        return False
    if mask.callee == "__activemask":
        return True
    # A function of one line that only asks.
    bodies = [f.body for _, f in names.functions.get(mask.callee, []) if f.body]
    return len(bodies) == 1 and any(
        s.kind == "return" and s.expr is not None and _is_active(s.expr, names, depth + 1)
        for s in bodies[0]
    )
