"""PG2020: the second number of __launch_bounds__."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_WAVES = re.compile(r"(?:WARPS|WAVES)_?PER_?(?:EU|SIMD)", re.IGNORECASE)


class LaunchBounds(Rule):
    id = "PG2020"
    title = "Second launch bound means something else on AMD"
    severity = Severity.WARNING
    explain = """
CUDA reads `__launch_bounds__(threads, n)` as "at least n blocks a multiprocessor"; HIP reads n as
"at least n waves an execution unit (SIMD)". The same number asks for something else: for blocks of
256 threads, 4 blocks are 16 waves of 64 a compute unit, so 4 an execution unit; for 1024 threads
they are 16. Passed on unchanged it costs registers (spills) or occupancy.

`PG_LAUNCH_BOUNDS(threads, blocks)` converts. By hand for HIP with four execution units:
`n * threads / 64 / 4`, or leave the number out. Translation converts it and says so.
"""
    invalid = (
        Example("__global__ void __launch_bounds__(256, 4) k(float* x) { x[0] = 0; }  // finding"),
        Example("""
            template <int T, int B>
            __launch_bounds__(T, B) __global__ void k(float* x) { x[0] = T + B; }  // finding
        """),
    )
    valid = (
        Example("__global__ void __launch_bounds__(256) k(float* x) { x[0] = 0; }"),
        # Written for AMD's meaning.
        Example("""
            constexpr int kMinWarpsPerEU = 2;
            __global__ void __launch_bounds__(256, kMinWarpsPerEU) k(float* x) { x[0] = 0; }
        """),
        Example("__global__ void __launch_bounds__(1024, 1) k(float* x) { x[0] = 0; }"),
        Example(
            """
            #include "portgpu.h"
            __global__ void PG_LAUNCH_BOUNDS(256, 4) k(float* x) { x[0] = 0; }
            """,
            mode="dialect",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for function in ctx.unit.declarations.functions:
            if len(function.bounds) < 2:
                continue
            start, end = function.bounds_span
            if ctx.unit.data[start:end].startswith(b"PG_LAUNCH_BOUNDS"):
                continue
            from portgpu.lint.consts import evaluate

            threads, blocks = (evaluate(b, ctx.file_scope) for b in function.bounds[:2])
            if _WAVES.search(ctx.text(function.bounds[1])):
                continue
            # One block, or one wave an execution unit, is the least in both meanings.
            if blocks is not None and blocks <= 1:
                continue
            what = f"{blocks}" if blocks is not None else f"`{ctx.text(function.bounds[1])}`"
            message = (
                f"{function.name}: {what} is blocks a multiprocessor in CUDA, waves a SIMD in HIP"
            )
            hint = "write PG_LAUNCH_BOUNDS, which converts, or convert by hand for HIP"
            if threads and blocks:
                waves = max(1, -(-blocks * threads // 256))
                hint = f"PG_LAUNCH_BOUNDS converts; by hand for HIP (CDNA): {min(waves, 8)}"
            severity = Severity.NOTE if ctx.mode == "hip" else None
            yield Report(start, end, message, hint, symbol=function.name, severity=severity)
