"""PG2047: managed memory."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule

_CALLS = {
    "cudaMallocManaged": "pages migrate only with XNACK on; without it each access crosses the bus",
    "hipMallocManaged": "pages migrate only with XNACK on; without it each access crosses the bus",
    "cudaMemPrefetchAsync": "takes a location struct from CUDA 13 on; HIP keeps the device number",
    "cudaMemAdvise": "takes a location struct from CUDA 13 on; HIP keeps the device number",
    "cudaStreamAttachMemAsync": "has no effect on AMD",
    "hipMemPrefetchAsync": "needs XNACK to move pages",
}


class ManagedMemory(Rule):
    id = "PG2047"
    title = "Managed memory behaves differently on AMD"
    severity = Severity.WARNING
    explain = """
On NVIDIA Linux systems managed pages move to who touches them. On AMD they do so only with XNACK
(off by default, and not on every GPU): otherwise managed memory lies in host memory, and each
access crosses the bus. Atomics on it may be 100 times slower, and hardware float atomics
(`unsafeAtomicAdd`) give wrong results there.

Use device memory and explicit copies for anything that kernels work on; ask
`concurrentManagedAccess` before sharing pointers between host and device at the same time.
"""
    invalid = (
        Example("""
            __managed__ int counter;  // finding
            void f(float** p, int n) { check(cudaMallocManaged(p, n)); }  // finding
        """),
    )
    valid = (Example("void f(float** p, int n) { check(cudaMalloc(p, n)); }"),)

    def check(self, ctx: Context) -> Iterator[Report]:
        for var in ctx.unit.declarations.globals:
            if "__managed__" in var.quals:
                message = f"{var.name} is managed: " + _CALLS["cudaMallocManaged"]
                yield Report(
                    var.start,
                    var.end,
                    message,
                    "use __device__ and explicit copies",
                    symbol=var.name,
                )
        for view in ctx.functions:
            for expr in view.exprs:
                reason = _CALLS.get(expr.callee)
                if reason is not None and expr.args[0].kind == "name":
                    message = f"{expr.callee}: {reason}"
                    hint = "prefer device memory and explicit copies"
                    yield Report(expr.start, expr.end, message, hint, symbol=expr.callee)
