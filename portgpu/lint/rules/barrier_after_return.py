"""PG2013: a block barrier after some threads have returned."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule


class BarrierAfterReturn(Rule):
    id = "PG2013"
    title = "Barrier after an early return of some threads"
    severity = Severity.WARNING
    everywhere = True
    explain = """
`if (i >= n) return;` followed by `__syncthreads()`: the threads that left never arrive. Devices of
both vendors go on with those that are left (CUDA since compute capability 7.0, AMD by wave). HIP's
rules do not allow it all the same, older NVIDIA GPUs hang, and what the missing threads should have
written is not there: a tile in shared memory is read with holes. A block-wide function after such a
return (`cub::Block…`, a reduction of your own) counts on all threads.

Mask the work and keep the barrier: compute a flag `bool live = i < n;`, do loads and stores only
where it holds, and let every thread run to the end.
"""
    invalid = (
        Example("""
            __global__ void k(float* x, int n) {
              __shared__ float s[256];
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= n) return;
              s[threadIdx.x] = x[i];
              __syncthreads();  // finding
              x[i] = s[0];
            }
        """),
        Example(
            """
            #include "portgpu.h"
            __global__ void k(float* x, int n) {
              if (threadIdx.x >= n) {
                x[0] = 0;
                return;
              }
              x[1] = pg::block_sum<256>(x[2]);  // finding
            }
        """,
            mode="dialect",
        ),
    )
    valid = (
        Example("""
            __global__ void k(float* x, int n) {
              __shared__ float s[256];
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              const bool live = i < n;
              if (live) s[threadIdx.x] = x[i];
              __syncthreads();
              if (!live) return;
              x[i] = s[0];
            }
        """),
        # Nobody who is in the first branch gets to the barrier.
        Example("""
            __global__ void k(float* x, int n, bool simple) {
              if (simple) {
                if (threadIdx.x >= n) return;
                x[threadIdx.x] = 0;
                return;
              }
              __syncthreads();
            }
        """),
        # Whole blocks leave.
        Example("""
            __global__ void k(float* x, int n) {
              int row = blockIdx.x;
              if (row >= n) return;
              __syncthreads();
              x[row] = 0;
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for item in view.divergences:
                if item.op != "barrier" or item.why != "return":
                    continue
                through = ", which holds a barrier," if item.through else ""
                gone = f"threads with `{ctx.text(item.cond)}` have returned"
                message = f"{item.expr.callee}{through} comes after {gone}"
                hint = "let all threads reach the barrier: mask the work instead of returning"
                yield Report(
                    item.expr.start,
                    item.expr.end,
                    message,
                    hint,
                    symbol=item.expr.callee,
                    confidence="hint" if item.optional else "",
                )
