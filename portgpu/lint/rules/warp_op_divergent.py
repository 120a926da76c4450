"""PG2014: a warp operation that names lanes which do not take part."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import builtins
from portgpu.lint.flow import Divergence
from portgpu.lint.lanes import produces_mask
from portgpu.lint.nodes import Expr, all_exprs
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule
from portgpu.lint.uniform import GROUP, LANE
from portgpu.lint.warps import FULL_MASK, mask_argument, shuffle_parts


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
there; such findings are only likely. Groups of lanes that return together and exchange values
within the group only, `__shfl_xor_sync(0xffffffff, v, 4, 8)`, are right on both. Where such a group
stands under a condition or in a loop of its own, CUDA asks for a mask of the group's lanes.

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
        # Halves of the groups of 16 go different ways.
        Example(
            """
            #include "portgpu.h"
            __global__ void k(float* x, int rows) {
              int row = (blockIdx.x * 256 + threadIdx.x) / 8;
              if (row >= rows) return;
              x[threadIdx.x] = pg::warp_sum<16>(x[threadIdx.x]);  // finding
            }
            __global__ void m(float* x, int64_t rows) {
              int64_t row = (int64_t(blockIdx.x) * 24 + threadIdx.x) / 16;
              if (row < rows) x[threadIdx.x] = pg::warp_sum<16>(x[threadIdx.x]);  // finding
            }
            """,
            mode="dialect",
        ),
        # A group returns, and others read from it.
        Example("""
            __global__ void k(float* x, int rows) {
              int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
              if (row >= rows) return;
              float v = x[threadIdx.x];
              v += __shfl_xor_sync(0xffffffff, v, 8);  // finding
              x[row] = __any_sync(0xffffffff, v > 0);  // finding
            }
        """),
        # Lanes that have not returned must come, whatever the width says.
        Example("""
            __global__ void k(float* x) {
              if (threadIdx.x < 16) x[0] += __shfl_down_sync(0xffffffff, x[0], 8, 16);  // finding
            }
        """),
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
        Example(
            """
            #include "portgpu.h"
            #include <cstdint>
            constexpr int kBlock = 256, kGroup = 16;
            __global__ void a(float* x, int64_t rows) {
              const int64_t row = (int64_t(blockIdx.x) * kBlock + threadIdx.x) / kGroup;
              if (row < rows) x[row] = pg::warp_sum<kGroup>(x[row]);
            }
            __global__ void b(float* x, uint64_t rows) {
              const uint64_t base = static_cast<uint64_t>(kBlock) * blockIdx.x;
              const unsigned thread = threadIdx.x;
              const auto row = (base + thread) >> 4;
              if (rows <= row) return;
              x[row] = pg::warp_sum<kGroup>(x[row]);
            }
            __global__ void c(float* x, int rows) {
              const int lane = int(threadIdx.x) % pg::warp_size();
              const int row = blockIdx.x * 2 + lane / kGroup;
              if (row < rows) x[row] = pg::warp_sum<kGroup>(x[row]);
              const int first = threadIdx.x & ~(kGroup - 1);
              if (first < rows) x[first] = pg::warp_sum<kGroup>(x[first]);
              const int other = threadIdx.x - threadIdx.x % kGroup;
              if (other < rows) x[other] = pg::warp_sum<kGroup>(x[other]);
              if (threadIdx.x < 48) x[other] = pg::warp_sum<kGroup>(x[other]);
            }
            """,
            mode="dialect",
        ),
        # Groups return together and exchange values within themselves.
        Example("""
            template <int G> __global__ void k(float* x, int rows) {
              int row = (blockIdx.x * blockDim.x + threadIdx.x) / G;
              if (row >= rows) return;
              float v = x[threadIdx.x];
              for (int d = G / 2; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
              x[row] = __shfl_sync(0xffffffff, v, 0, G);
            }
            __global__ void m(float* x) {
              if (threadIdx.x >= 16) return;
              float v = x[threadIdx.x];
              for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
              x[threadIdx.x] = v + __shfl_down_sync(0xffffffff, v, 4, 8);
            }
        """),
        Example(
            """
            #include <hip/hip_runtime.h>
            __global__ void k(float* x, int rows) {
              int row = threadIdx.x / 8;
              if (row < rows) x[row] += __shfl_xor(x[row], 4, 8);
            }
            """,
            mode="hip",
        ),
        # The function asks itself who is here.
        Example("""
            __device__ int claim(int* counter) {
              unsigned here = __activemask();
              int leader = __ffs(here) - 1, lane = threadIdx.x & 31, base = 0;
              if (lane == leader) base = atomicAdd(counter, __popc(here));
              return __shfl_sync(here, base, leader) + __popc(here & ((1u << lane) - 1));
            }
            __global__ void k(const int* in, int* out, int* counter) {
              if (in[threadIdx.x] > 0) out[claim(counter)] = in[threadIdx.x];
            }
        """),
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
                    self._advice(view, item),
                    symbol=item.expr.callee,
                    confidence=confidence,
                )

    def _advice(self, view: FunctionView, item: Divergence) -> str:
        if GROUP <= item.level < LANE and not item.through and self._within(view, item):
            return "give the mask of the group's lanes; pg:: functions take the group's width"
        return "let all lanes call it, with a neutral value where there is nothing to add"

    def _confidence(self, view: FunctionView, item: Divergence) -> str:
        """Certain for a full mask, or for functions that take none; empty for computed masks."""
        if item.through and self._given_mask(view, item.expr):
            return ""  # the function is given the mask of those who come
        if item.optional:
            return "hint"
        in_groups = GROUP <= item.level < LANE
        if item.through:
            return "hint" if item.why == "loop" or in_groups else "likely"
        if item.expr.callee in ("__ballot_sync", "__activemask", "__ballot", "ballot"):
            return ""  # asking who is here is a way to find out
        mask = mask_argument(item.expr)
        if mask is not None:
            if view.value(mask) not in (FULL_MASK, -1, (1 << 64) - 1):
                return ""
            if in_groups and self._within(view, item):
                # Lanes that have returned need not come; others must, but hardware forgives it.
                return {"return": "", "branch": "likely"}.get(item.why, "hint")
        elif in_groups and self._within(view, item):
            return ""
        elif item.expr.callee in builtins.WARP_OPS:
            return "likely"  # without a mask: right if all lanes that are read from are there
        return "certain" if item.why in ("branch", "return") else "likely"

    def _given_mask(self, view: FunctionView, call: Expr) -> bool:
        """Whether a called function gets the mask for its operations, and not the full one."""
        names = view.context.names
        if any(produces_mask(a, names) for a in call.arguments):
            return True
        for _, function in names.functions.get(call.callee, [])[:3]:
            params = [v.name for v in function.params]
            for expr in all_exprs(function.body or []):
                mask = mask_argument(expr)
                at = params.index(mask.text) if mask is not None and mask.text in params else -1
                if 0 <= at < len(call.arguments):
                    return view.value(call.arguments[at]) not in (FULL_MASK, -1, (1 << 64) - 1)
        return False

    def _within(self, view: FunctionView, item: Divergence) -> bool:
        """Whether a shuffle stays in the groups of lanes that take the same way."""
        parts = shuffle_parts(item.expr)
        if parts is None:
            return False
        _, offset, width = parts
        lanes = 1 << (LANE - item.level)
        if width is not None:
            size = view.value(width)
            return (size is None and item.level == GROUP) or (size or 64) <= lanes
        if "xor" not in item.expr.callee:
            return False
        farthest = view.value(offset)
        if farthest is None and offset.kind == "name" and offset.var is not None:
            farthest = view.value(offset.var.init)  # of a loop that halves it
        return item.level == GROUP if farthest is None else farthest < lanes
