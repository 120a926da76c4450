"""PG2080: vendor names in dialect sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Directive
from portgpu.lint.rule import Context, Example, Fix, Report, Rule

_NAME = re.compile(
    r"^(?:(?:cuda|hip)(?:[A-Z_]\w*)?|cu(?:blas|dnn|fft|rand|sparse|solver)\w*|__shfl\w*|__ballot\w*|"
    r"__any(?:_sync)?|__all(?:_sync)?|__activemask|__match_\w+|__reduce_\w+_sync|__syncwarp|warpSize|"
    r"__launch_bounds__|__nv_\w+|__half2?|nv_bfloat162?|half2|__ldg|atomic(?:Add|Sub|Min|Max|CAS|Exch|And|Or|Xor)"
    r"(?:_block|_system)?|__CUDA\w*|__CUDACC__|__NVCC__|__HIP\w*|__HIPCC__|__grid_constant__|"
    r"cooperative_groups|nvcuda|cub|hipcub|thrust|asm|__asm__)$"
)
_BETTER = {
    "warpSize": "pg::warp_size()",
    "__syncwarp": "pg::syncwarp",
    "__launch_bounds__": "PG_LAUNCH_BOUNDS",
    "__grid_constant__": "PG_GRID_CONSTANT",
    "__ldg": "pg::ldg",
    "atomicAdd": "pg::atomic_add",
    "atomicMin": "pg::atomic_min",
    "atomicMax": "pg::atomic_max",
    "atomicExch": "pg::atomic_exch",
    "atomicCAS": "pg::atomic_cas",
    "atomicAnd": "pg::atomic_and",
    "atomicOr": "pg::atomic_or",
}
_HINTS = (
    (re.compile("^__shfl"), "pg::shfl, pg::shfl_xor … without a mask"),
    (re.compile("^__ballot|^__activemask"), "pg::ballot"),
    (re.compile("^__any|^__all"), "pg::any, pg::all"),
    (re.compile("^__match"), "pg::match_any"),
    (re.compile("^__reduce"), "pg::warp_reduce"),
    (re.compile("^atomic"), "pg::atomic_…"),
    (re.compile("half"), "pg::half"),
    (re.compile("bfloat"), "pg::bfloat16"),
    (re.compile("^__CUDA_ARCH__|^__HIP_DEVICE"), "PG_DEVICE_PASS"),
    (re.compile("^__CUDA|^__NVCC|^__HIP"), "PG_TARGET_CUDA, PG_TARGET_ROCM"),
    (re.compile("^asm|^__asm"), "a pg:: function"),
    (re.compile("^cub$|^hipcub$|^thrust$|^cooperative"), "pg::block_… and pg::warp_…"),
)


class DialectNames(Rule):
    id = "PG2080"
    title = "Vendor name in a dialect source"
    severity = Severity.ERROR
    explain = """
Sources in the dialect use the names that CUDA and HIP share, and `PG_` and `pg::` for everything on
which the vendors differ. A vendor's name compiles for one target only, or means different things
(masks of 32 and 64 bits, launch bounds, warp size).

Code for one vendor stands under `#if PG_TARGET_CUDA` or `#if PG_TARGET_ROCM` and is not reported.
"""
    invalid = (
        Example(
            """
            #include "portgpu.h"
            __global__ void __launch_bounds__(256) k(float* x) {  // finding
              x[0] = __shfl_xor_sync(0xffffffff, x[0], 1) + warpSize;  // finding
              __syncwarp();  // finding
              atomicAdd(x, 1.f);  // finding
            }
            void f(float* x) { k<<<1, 32>>>(x); }  // finding
            """,
            mode="dialect",
        ),
        Example(
            """
            #include "portgpu.h"
            __global__ void k(int* x) { pg::atomic_add(x, warpSize); }  // finding
            """,
            fixed="""
            #include "portgpu.h"
            __global__ void k(int* x) { pg::atomic_add(x, pg::warp_size()); }  // finding
            """,
            mode="dialect",
        ),
    )
    valid = (
        Example(
            """
            #include "portgpu.h"
            // cudaMalloc in a comment, "hipFree" in a string
            __global__ void PG_LAUNCH_BOUNDS(256) k(float* x) {
              PG_DYN_SHARED(float, s);
              s[threadIdx.x] = pg::shfl_xor(x[0], 1);
              __syncthreads();
              pg::atomic_add(x, s[0]);
            }
            #if PG_TARGET_CUDA
            __device__ int lane() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
            #endif
            """,
            mode="dialect",
        ),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        if ctx.mode != "dialect":
            return
        regions = _vendor_regions(ctx.unit.directives)
        tokens = [t for t in ctx.unit.scanned.items if not isinstance(t, Directive)]
        directive_tokens = [t for d in ctx.unit.directives if d.name != "include" for t in d.tokens]
        for index, token in enumerate(tokens):
            launch = token.text == "<<<"
            shared = token.text == "__shared__" and index > 0 and tokens[index - 1].text == "extern"
            if not launch and not shared and not (token.kind == "id" and _NAME.match(token.text)):
                continue
            if any(a <= token.start < b for a, b in regions):
                continue
            before = tokens[index - 1].text if index else ""
            if before in (".", "->") or (
                before == "::" and index > 1 and tokens[index - 2].kind == "id"
            ):
                continue
            yield self._report(ctx, token.text, token.start, token.end)
        for token in directive_tokens:
            vendor = token.kind == "id" and _NAME.match(token.text)
            if vendor and not any(a <= token.start < b for a, b in regions):
                yield self._report(ctx, token.text, token.start, token.end)

    def _report(self, ctx: Context, name: str, start: int, end: int) -> Report:
        if name == "<<<":
            return Report(
                start, end, "<<<…>>> in a dialect source", "PG_LAUNCH(kernel, grid, block, …)"
            )
        if name == "__shared__":
            hint = "PG_DYN_SHARED(type, name)"
            return Report(start, end, "extern __shared__ in a dialect source", hint)
        better = _BETTER.get(name)
        hint = better or next(
            (h for p, h in _HINTS if p.search(name)), "a PG_ macro or pg:: function"
        )
        fix: Fix = ()
        if better and name not in ("__launch_bounds__", "atomicCAS"):
            fix = ctx.edit(start, end, better)
        return Report(start, end, f"{name} is a vendor's name", f"instead: {hint}", fix, name)


def _vendor_regions(directives: list[Directive]) -> list[tuple[int, int]]:
    """Ranges under a condition that names a target."""
    found: list[tuple[int, int]] = []
    levels: list[tuple[bool, int]] = []
    for item in directives:
        if item.name in ("if", "ifdef", "ifndef"):
            by_target = any(
                t.text.startswith(("PG_TARGET_", "__CUDACC__", "__HIP", "PG_HAS_"))
                for t in item.tokens
            )
            levels.append((by_target, item.start))
        elif item.name == "endif" and levels:
            by_target, start = levels.pop()
            if by_target:
                found.append((start, item.end))
    return found
