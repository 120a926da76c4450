"""PG2001: lane arithmetic with literal 32, 31 or 5."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Fix, Report, Rule
from portgpu.lint.warps import exchanges_in_groups, lane_arithmetic, lane_strides


class LaneArithmetic(Rule):
    id = "PG2001"
    title = "Lane or warp number computed with a literal 32"
    severity = Severity.ERROR
    width = True
    explain = """
`threadIdx.x & 31`, `% 32`, `/ 32` and `>> 5` fix the warp at 32 lanes. NVIDIA GPUs have 32, AMD's
CDNA and GCN GPUs (gfx9: MI100 to MI350) have 64. There two "warps" share one wave: code that lets
one lane per warp write, or that sizes work by warps, does so twice a wave, and a shuffle reaches
only half of the lanes that run together.

A CUDA source that is translated with the default logical warp of 32 keeps its meaning; the note
says that half of each wave idles in warp-level steps. Code for `--warp native` needs the real
width: `warpSize` on the device, or `pg::lane_id()` and `pg::warp_id()` in the dialect.

A 32 that is a tile edge or the width of a data word is not reported: the rule asks for a thread
index on the left and for warp operations or a name such as `lane` around it.
"""
    invalid = (
        Example(
            """
            __global__ void k(float* y, float v) {
              int lane = threadIdx.x & 31;  // finding
              int warp = threadIdx.x >> 5;  // finding
              if (lane == 0) y[warp] = v;
            }
            """,
            fixed="""
            __global__ void k(float* y, float v) {
              int lane = threadIdx.x & (warpSize - 1);  // finding
              int warp = threadIdx.x / warpSize;  // finding
              if (lane == 0) y[warp] = v;
            }
            """,
            warp="native",
        ),
        Example(
            """
            #include "portgpu.h"
            __global__ void k(float* y, float v) {
              const int t = threadIdx.x;
              if (t % 32 == 0) y[t / 32] = pg::warp_sum(v);  // finding
            }
            """,
            fixed="""
            #include "portgpu.h"
            __global__ void k(float* y, float v) {
              const int t = threadIdx.x;
              if (pg::lane_id() == 0) y[pg::warp_id()] = pg::warp_sum(v);  // finding
            }
            """,
            mode="dialect",
        ),
        Example(
            """
            #include <hip/hip_runtime.h>
            __global__ void k(const float* x, float* y, int n) {
              int lane = threadIdx.x % 32;  // finding
              float v = 0;
              for (int i = lane; i < n; i += 32) v += x[i];  // finding
              y[threadIdx.x] = v;
            }
            """,
            fixed="""
            #include <hip/hip_runtime.h>
            __global__ void k(const float* x, float* y, int n) {
              int lane = threadIdx.x % warpSize;  // finding
              float v = 0;
              for (int i = lane; i < n; i += warpSize) v += x[i];  // finding
              y[threadIdx.x] = v;
            }
            """,
            mode="hip",
        ),
        Example(
            """
            __device__ float sum(float v) {
              int tid = threadIdx.x + blockDim.x * threadIdx.y;
              for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
              return tid % 32 == 0 ? v : 0;  // finding
            }
            """
        ),
    )
    valid = (
        # A 32 x 32 tile: no lanes meant.
        Example("""
            __global__ void transpose(const float* x, float* y, int n) {
              __shared__ float tile[32][33];
              int col = threadIdx.x % 32, row = threadIdx.x / 32;
              tile[row][col] = x[row * n + col];
              __syncthreads();
              y[row * n + col] = tile[col][row];
            }
        """),
        # A bit in a 32-bit data word.
        Example("""
            __global__ void bit(const unsigned* words, bool* out, int n) {
              int first = blockIdx.x * blockDim.x + threadIdx.x;
              for (int i = first; i < n; i += gridDim.x * blockDim.x) {
                int word = i / 32, at = i & 31;
                out[i] = words[word] >> at & 1u;
              }
            }
        """),
        Example(
            """
            __global__ void k(float* y, float v) {
              int lane = threadIdx.x % warpSize;
              if (lane == 0) y[threadIdx.x / warpSize] = v;
            }
            """,
            warp="native",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            # With shuffles around, the lane number is one part of a whole that a person decides.
            fixable = ctx.native and not exchanges_in_groups(view)
            for expr, role, target in lane_arithmetic(view):
                what = "lane number" if role == "lane" else "warp number"
                left = expr.args[0]
                if ctx.mode == "dialect":
                    better = "pg::lane_id()" if role == "lane" else "pg::warp_id()"
                elif expr.text == "&":
                    better = f"{ctx.text(left)} & (warpSize - 1)"
                else:
                    better = f"{ctx.text(left)} {'%' if role == 'lane' else '/'} warpSize"
                fix: Fix = ()
                if fixable and not expr.macro:
                    if ctx.mode == "dialect":
                        fix = ctx.edit(expr.start, expr.end, better)
                    else:
                        fix = ctx.edit(left.end, expr.end, better[len(ctx.text(left)) :])
                message = (
                    f"{what} computed with a literal {expr.args[1].text}: a wave has 64 on CDNA"
                )
                if not ctx.native:
                    message = (
                        f"{what} computed for warps of 32; kept by the logical warp, "
                        "at half a wave on CDNA"
                    )
                yield Report(expr.start, expr.end, message, f"write {better}", fix, target)
            for by, name in lane_strides(view):
                better = "pg::warp_size()" if ctx.mode == "dialect" else "warpSize"
                fix = ctx.edit(by.start, by.end, better) if fixable else ()
                message = "lanes advance by a literal 32: lanes 32 to 63 repeat the work of others"
                if not ctx.native:
                    message = (
                        "lanes advance by 32; kept by the logical warp, at half a wave on CDNA"
                    )
                yield Report(by.start, by.end, message, f"write {better}", fix, name)
