"""PG2012: a block barrier that some threads do not reach."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Report, Rule


class BarrierDivergent(Rule):
    id = "PG2012"
    title = "Barrier under a condition that differs between threads"
    severity = Severity.ERROR
    everywhere = True
    explain = """
`__syncthreads()` waits for all threads of the block. Under a condition that depends on the thread
some never arrive. Recent NVIDIA GPUs count the threads that are left, so that such code often seems
to work; AMD GPUs count whole waves: the block hangs, or one barrier is matched with another and
shared memory is read too early.

Put the work under the condition and the barrier outside of it. Functions that hold a barrier
(block-wide reductions, `cub::Block…`) are barriers too, wherever they are defined.
"""
    invalid = (
        Example("""
            __global__ void k(float* x, int n) {
              __shared__ float s[256];
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) {
                s[threadIdx.x] = x[i];
                __syncthreads();  // finding
                x[i] = s[255 - threadIdx.x];
              }
            }
        """),
        Example("""
            __device__ float block_total(float v) {
              __shared__ float s[8];
              s[threadIdx.x / 32] = v;
              __syncthreads();
              return s[0];
            }
            __global__ void k(float* x) {
              const int warp = threadIdx.x / 32;
              if (warp == 0) x[0] = block_total(x[1]);  // finding
            }
        """),
        Example("""
            __global__ void k(float* x, int n) {
              for (int i = threadIdx.x; i < n; i += blockDim.x) {
                x[i] += 1;
                __syncthreads();  // finding
              }
            }
        """),
    )
    valid = (
        Example("""
            __global__ void k(float* x, int n) {
              __shared__ float s[256];
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              s[threadIdx.x] = i < n ? x[i] : 0;
              __syncthreads();
              if (i < n) x[i] = s[255 - threadIdx.x];
            }
        """),
        # The trip count is the same for all threads of a block.
        Example("""
            __global__ void k(float* x, int n) {
              for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
                int i = base + threadIdx.x;
                if (i < n) x[i] += 1;
                __syncthreads();
              }
              for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 0;
              for (int i = 0; i < 4; ++i) __syncthreads();
            }
        """),
        # One thread decides through shared memory, all threads read the same flag.
        Example("""
            __global__ void k(const int* work, int n) {
              __shared__ bool more;
              if (threadIdx.x == 0) more = work[blockIdx.x] < n;
              __syncthreads();
              if (more) {
                __syncthreads();
              }
            }
        """),
        # Warps wait at one barrier in each branch.
        Example("""
            __global__ void k(float* x) {
              if (threadIdx.y == 0) {
                x[threadIdx.x] = 0;
                __syncthreads();
              } else {
                __syncthreads();
                x[threadIdx.x] += 1;
              }
            }
        """),
        # The thread's share of start and end cancels.
        Example("""
            __global__ void k(const float* x, int n, int step) {
              const int tid = threadIdx.x;
              for (int t = blockIdx.x * n + tid; t < (blockIdx.x + 1) * n + tid; t += step)
                __syncthreads();
            }
        """),
        Example("""
            template <int BLOCK> __global__ void k(float* x) {
              if (BLOCK >= 512) {
                if (threadIdx.x < 256) x[threadIdx.x] += 1;
                __syncthreads();
              }
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for item in view.divergences:
                if item.op != "barrier" or item.why not in ("branch", "loop", "continue", "break"):
                    continue
                cond = ctx.text(item.cond)
                through = ", which holds a barrier," if item.through else ""
                name = item.expr.callee
                if item.why == "branch":
                    message = f"{name}{through} is reached only by threads where `{cond}`"
                    confidence = "certain" if not item.through else "likely"
                elif item.why == "loop":
                    message = (
                        f"{name}{through} is in a loop that threads leave one by one: `{cond}`"
                    )
                    confidence = "likely"
                else:
                    message = (
                        f"{name}{through} is skipped by threads that {item.why} where `{cond}`"
                    )
                    confidence = "likely"
                if item.optional:
                    confidence = "hint"
                hint = "keep the work under the condition, and the barrier outside of it"
                yield Report(
                    item.expr.start,
                    item.expr.end,
                    message,
                    hint,
                    symbol=name,
                    confidence=confidence,
                )
