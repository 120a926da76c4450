"""PG2043: kernels launched from the device."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule


class DynamicParallelism(Rule):
    id = "PG2043"
    title = "Kernel launched from device code"
    severity = Severity.ERROR
    explain = """
AMD GPUs cannot launch kernels from kernels: HIP has no dynamic parallelism. CUDA 12 changed it too
(no `cudaDeviceSynchronize` on the device).

Launch from the host: write the sizes of the next step to memory and read them back, or launch the
largest case and let idle blocks return; recursion becomes a work queue in global memory.
"""
    invalid = (
        Example("""
            __global__ void child(float* x) { x[0] = 0; }
            __global__ void parent(float* x) {
              child<<<1, 32>>>(x);  // finding
              cudaDeviceSynchronize();  // finding
            }
        """),
    )
    valid = (
        Example("""
            __global__ void child(float* x) { x[0] = 0; }
            void parent(float* x) {
              child<<<1, 32>>>(x);
              check(cudaDeviceSynchronize());
            }
            // Library code for both sides: the host's half is what matters.
            __host__ __device__ void both(float* x) { child<<<1, 32>>>(x); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            if "__host__" in view.function.quals:
                continue
            for expr in view.exprs:
                if expr.kind == "launch":
                    message = (
                        f"{expr.callee or 'a kernel'} is launched from device code; AMD cannot"
                    )
                    yield Report(
                        expr.start, expr.end, message, "launch it from the host", symbol=expr.callee
                    )
                elif expr.callee in ("cudaDeviceSynchronize", "hipDeviceSynchronize"):
                    message = f"{expr.callee} in device code: gone from CUDA 12, never there in HIP"
                    yield Report(expr.start, expr.end, message, "synchronise on the host")
