"""PG2023: static shared memory beyond a vendor's limit."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.consts import size_of
from portgpu.lint.nodes import Var
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule


class SharedStatic(Rule):
    id = "PG2023"
    title = "Static shared memory beyond a vendor's limit"
    severity = Severity.ERROR
    everywhere = True
    explain = """
A CUDA kernel may declare 48 KiB of static shared memory; more needs dynamic shared memory and an
opt-in. AMD's local memory (LDS) has 64 KiB a block on all GPUs up to MI300 (160 KiB on MI350), and
there is no opt-in for more. Over 48 KiB does not compile for NVIDIA, over 64 KiB not for AMD.

Make the tile smaller for all, or choose its size by target (`PG_TARGET_ROCM`).
"""
    invalid = (
        Example("""
            __global__ void k(float* x) {
              __shared__ float a[64][128];
              __shared__ float b[64][128];  // finding
              x[0] = a[0][0] + b[0][0];
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* x) {
              __shared__ float a[64][128];
              __shared__ float b[32][128];
              x[0] = a[0][0] + b[0][0];
            }
            template <int N> __global__ void t(float* x) {
              __shared__ float a[N][4096];
              x[0] = a[0][0];
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            total = 0
            for stmt in view.stmts:
                for var in stmt.vars:
                    if "__shared__" not in var.quals or "extern" in var.quals:
                        continue
                    total += self._bytes(view, var)
                    if total > 48 * 1024:
                        who = (
                            "NVIDIA (48 KiB)"
                            if total <= 65536
                            else "NVIDIA (48 KiB) and AMD (64 KiB)"
                        )
                        name = view.function.name
                        message = f"{name} has {total} bytes of static shared memory: over {who}"
                        yield Report(
                            var.start, var.end, message, "use a smaller tile", symbol=var.name
                        )
                        total = -(1 << 60)  # once a function

    def _bytes(self, view: FunctionView, var: Var) -> int:
        size = size_of(var.type, view.scope)
        for dim in var.dims:
            count = view.value(dim)
            size = None if size is None or count is None else size * count
        return size or 0
