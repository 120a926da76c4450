"""PG2050: parts of cooperative groups that HIP lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import groups
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, Report, Rule

_FUNCTIONS = {
    "reduce": "HIP has it from 7.13 (wrong for multi-dimensional blocks in 7.14); pg::warp_reduce",
    "inclusive_scan": "HIP has it from 10.0; pg::warp_inclusive_scan",
    "exclusive_scan": "HIP has it from 10.0; pg::warp_exclusive_scan",
    "memcpy_async": "plain loads and a barrier; pg::async_copy",
    "wait": "a barrier; pg::async_wait",
    "wait_prior": "a barrier; pg::async_wait",
    "labeled_partition": "pg::match_any and masks",
    "binary_partition": "newer HIP only; pg::ballot and masks",
    "invoke_one": "thread_rank() == 0",
    "this_multi_grid": "one launch a device and host synchronisation",
    "this_cluster": "nothing; AMD has no clusters",
    "reduce_update_async": "an atomic",
    "reduce_store_async": "a store by one lane",
}
_MEMBERS = {
    "dim_blocks": "gridDim", "block_index": "blockIdx", "dim_threads": "blockDim",
    "num_blocks": "gridDim.x * gridDim.y * gridDim.z", "block_rank": "blockIdx by hand",
    "barrier_arrive": "sync()", "barrier_wait": "sync()",
}  # fmt: skip
_HEADERS = ("cooperative_groups/reduce.h", "cooperative_groups/scan.h",
            "cooperative_groups/memcpy_async.h")  # fmt: skip
_GROUP = re.compile(r"\b(?:this_grid|this_thread_block|grid_group|thread_block|this_cluster)\b")


class CooperativeGroups(Rule):
    id = "PG2050"
    title = "Part of cooperative groups that HIP lacks"
    severity = Severity.WARNING
    explain = """
HIP has `this_thread_block`, `tiled_partition`, `coalesced_threads`, grid groups and their
synchronisation. It lacked reductions and scans until 2026, and has no asynchronous copies, labelled
partitions, clusters and multi-grid groups; several index queries are missing.

For reductions and scans use the dialect's functions (`pg::warp_reduce`, `pg::warp_inclusive_scan`,
`pg::block_reduce`), which take a logical width; for indices use `threadIdx`, `blockIdx` and so on.
"""
    invalid = (
        Example("""
            #include <cooperative_groups.h>
            #include <cooperative_groups/reduce.h>  // finding
            namespace cg = cooperative_groups;
            __global__ void k(float* x) {
              auto tile = cg::tiled_partition<32>(cg::this_thread_block());
              x[0] = cg::reduce(tile, x[1], cg::plus<float>());  // finding
              x[1] = cg::this_grid().block_index().x;  // finding
            }
        """),
    )
    valid = (
        Example("""
            #include <cooperative_groups.h>
            namespace cg = cooperative_groups;
            __global__ void k(float* x) {
              auto block = cg::this_thread_block();
              auto tile = cg::tiled_partition<16>(block);
              x[block.thread_rank()] = tile.shfl_down(x[0], 1);
              block.sync();
            }
            void host(float* x) { thrust::reduce(x, x + 1); ns::reduce(x); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        if ctx.mode == "hip":
            return
        for name, directive in ctx.unit.scanned.includes:
            if name in _HEADERS and directive.active:
                message = f"{name} is missing in most HIP versions"
                hint = "use the dialect's warp and block functions"
                yield Report(directive.start, directive.end, message, hint, symbol=name)
        spaces, opened = {"cooperative_groups"}, False
        for unit in [ctx.unit, *ctx.unit.closure]:
            spaces |= unit.group_spaces
            opened = opened or "" in unit.group_spaces
        for view in ctx.device:
            for expr in view.exprs:
                head = expr.args[0] if expr.kind == "call" else None
                if head is None:
                    continue
                if head.kind == "name" and "::" in head.text:
                    space, _, name = head.text.removeprefix("::").rpartition("::")
                    better = _FUNCTIONS.get(name)
                    if better and (space in spaces or space.endswith("cooperative_groups")):
                        yield Report(
                            expr.start,
                            expr.end,
                            f"{head.text} is not in HIP",
                            f"instead: {better}",
                            symbol=name,
                        )  # fmt: skip
                elif head.kind == "name" and opened and self._of_group(ctx, expr):
                    yield Report(
                        expr.start, expr.end, f"{head.text} is not in HIP",
                        f"instead: {_FUNCTIONS[head.text]}", symbol=head.text,
                    )  # fmt: skip
                elif head.kind == "member" and head.text in _MEMBERS and not expr.arguments:
                    base = view.type(head.args[0]) + " " + repr(head.args[0])
                    init = head.args[0].var.init if head.args[0].var else None
                    if _GROUP.search(base) or (init is not None and _GROUP.search(repr(init))):
                        better = _MEMBERS[head.text]
                        yield Report(
                            expr.start, expr.end, f"{head.text}() is not in HIP's groups",
                            f"instead: {better}", symbol=head.text,
                        )  # fmt: skip

    def _of_group(self, ctx: Context, call: Expr) -> bool:
        """Whether a function without a namespace is one of groups: by its name or argument."""
        name = call.callee
        if name not in _FUNCTIONS or ctx.provided(name):
            return False
        if "_" in name and name not in ("inclusive_scan", "exclusive_scan"):
            return True
        return bool(call.arguments) and groups.is_group(call.arguments[0], ctx.calls.alias)
