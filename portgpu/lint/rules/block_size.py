"""PG2021: more threads in a block than the hardware or the kernel allows."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.consts import evaluate
from portgpu.lint.launches import Launch, launches
from portgpu.lint.rule import Context, Example, Report, Rule


class BlockSize(Rule):
    id = "PG2021"
    title = "Block larger than the kernel or the hardware allows"
    severity = Severity.ERROR
    everywhere = True
    explain = """
Both vendors allow 1024 threads a block. A kernel with `__launch_bounds__(n)` allows n: CUDA returns
an error that is easy to miss, HIP compiled the kernel for n threads and a larger launch fails or
corrupts registers. Without launch bounds HIP assumes 1024 (older versions 256). A block size
written as a number of warps times the warp size doubles on waves of 64.
"""
    invalid = (
        Example("""
            __global__ void k(float* x) { x[threadIdx.x] = 0; }
            void f(float* x) { k<<<1, 2048>>>(x); }  // finding
        """),
        Example("""
            __global__ void __launch_bounds__(128) k(float* x) { x[threadIdx.x] = 0; }
            void f(float* x) {
              dim3 block(32, 8);
              k<<<1, block>>>(x);  // finding
            }
        """),
    )
    valid = (
        Example("""
            __global__ void __launch_bounds__(256) k(float* x) { x[threadIdx.x] = 0; }
            void f(float* x, int n) {
              k<<<1, 256>>>(x);
              k<<<n, dim3(32, 8)>>>(x);
              k<<<n, n>>>(x);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for launch in launches(ctx):
            threads = launch.block_total
            if threads is None:
                continue
            where = launch.block.start, launch.block.end
            if threads > 1024:
                message = f"{threads} threads a block; NVIDIA and AMD allow 1024"
                yield Report(
                    *where, message, "use smaller blocks and more of them", symbol=launch.kernel
                )
                continue
            limit = self._limit(ctx, launch)
            if limit is not None and threads > limit:
                message = f"{threads} threads a block, but {launch.kernel} is compiled for {limit}"
                yield Report(
                    *where, message, "raise the launch bounds or launch less", symbol=launch.kernel
                )

    def _limit(self, ctx: Context, launch: Launch) -> int | None:
        limits = {
            evaluate(f.bounds[0], launch.instantiated(f, ctx.names))
            for _, f in ctx.names.functions.get(launch.kernel, [])
            if f.bounds
        }
        return limits.pop() if len(limits) == 1 else None
