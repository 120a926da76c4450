"""PG2014: a warp operation that names lanes which do not take part."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import builtins
from portgpu.lint.flow import Divergence
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule
from portgpu.lint.warps import FULL_MASK, mask_argument, produces_mask


class WarpOpDivergent(Rule):
    id = "PG2014"
    title = "Warp operation that some lanes do not reach"
    severity = Severity.ERROR
    everywhere = True
    explain = """
A shuffle, vote or match with a full mask needs every lane of the warp at the same call. Under a
condition that differs between lanes, or after some of them returned, the result is undefined: AMD
GPUs read registers of lanes that are switched off (old values or zero), NVIDIA GPUs since Volta may
wait for ever.

HIP's forms without a mask are right under a condition as long as every lane that is read from is
there; such findings are only likely.

Let all lanes call it, with a neutral value where a lane has nothing to add:
`float v = i < n ? x[i] : 0; v = warp_sum(v);`.
"""
    invalid = (
        Example("""
            __global__ void k(float* x, int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= n) return;
              float v = x[i];
              for (int d = warpSize / 2; d > 0; d /= 2)
                v += __shfl_xor_sync(0xffffffff, v, d);  // finding
              x[i] = v;
            }
        """),
        Example(
            """
            #include "portgpu.h"
            __global__ void k(float* x, int n) {
              if (threadIdx.x < n) x[threadIdx.x] = pg::warp_sum(x[threadIdx.x]);  // finding
            }
            """,
            mode="dialect",
        ),
    )
    valid = (
        Example("""
            __global__ void k(float* x, int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              float v = i < n ? x[i] : 0;
              for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
              if (i < n) x[i] = v;
            }
        """),
        # Whole warps take part or not.
        Example("""
            __global__ void k(float* x) {
              int warp = threadIdx.x / 32;
              if (warp == 0) x[threadIdx.x] = __shfl_sync(0xffffffff, x[0], 0);
              if (threadIdx.x < 64) x[threadIdx.x] += __any_sync(0xffffffff, warp);
            }
        """),
        Example("""
            __global__ void k(float* x, unsigned mask) {
              const unsigned warp = threadIdx.x / warpSize;
              if (warp == 0) x[threadIdx.x] = __shfl_sync(0xffffffff, x[0], 0);
            }
        """),
        # All lanes of a group come or none.
        Example(
            """
            #include "portgpu.h"
            template <int G> __global__ void k(float* x, int rows) {
              const int row = (blockIdx.x * blockDim.x + threadIdx.x) / G;
              if (row >= rows) return;
              x[row] = pg::warp_sum<G>(x[row]);
            }
            """,
            mode="dialect",
        ),
        # The condition is the same in the whole warp after a broadcast.
        Example("""
            __global__ void k(int* queue, int n) {
              int at = threadIdx.x == 0 ? atomicAdd(queue, 1) : 0;
              at = __shfl_sync(0xffffffff, at, 0);
              while (at < n) {
                if (threadIdx.x == 0) at = atomicAdd(queue, 1);
                at = __shfl_sync(0xffffffff, at, 0);
              }
            }
        """),
        # The mask names those that are here.
        Example("""
            __global__ void k(float* x, int n) {
              unsigned m = __ballot_sync(0xffffffff, threadIdx.x < n);
              if (threadIdx.x < n) x[threadIdx.x] = __shfl_sync(m, x[0], 0);
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            for item in view.divergences:
                if item.op != "warp":
                    continue
                confidence = self._confidence(view, item)
                if not confidence:
                    continue
                cond = ctx.text(item.cond)
                through = ", which holds a warp operation," if item.through else ""
                how = {
                    "branch": f"is reached only by lanes where `{cond}`",
                    "loop": f"is in a loop that lanes leave at different times: `{cond}`",
                    "return": f"comes after lanes with `{cond}` have returned",
                    "break": f"is left out by lanes that break where `{cond}`",
                    "continue": f"is left out by lanes that continue where `{cond}`",
                }[item.why]
                yield Report(
                    item.expr.start,
                    item.expr.end,
                    f"{item.expr.callee}{through} {how}",
                    "let all lanes call it, with a neutral value where there is nothing to add",
                    symbol=item.expr.callee,
                    confidence=confidence,
                )

    def _confidence(self, view: FunctionView, item: Divergence) -> str:
        """Certain for a full mask, or for functions that take none; empty for computed masks."""
        if item.through and any(produces_mask(a) for a in item.expr.arguments):
            return ""  # the function is given the mask of those who come
        if item.optional:
            return "hint"
        if item.through:
            return "hint" if item.why == "loop" else "likely"
        if item.expr.callee in ("__ballot_sync", "__activemask", "__ballot", "ballot"):
            return ""  # asking who is here is a way to find out
        mask = mask_argument(item.expr)
        if mask is not None:
            if view.value(mask) not in (FULL_MASK, -1, (1 << 64) - 1):
                return ""
        elif item.expr.callee in builtins.WARP_OPS:
            return "likely"  # without a mask: right if all lanes that are read from are there
        return "certain" if item.why in ("branch", "return") else "likely"
