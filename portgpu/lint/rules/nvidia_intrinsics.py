"""PG2041: device functions that only NVIDIA has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.rule import Context, Example, Fix, Report, Rule

_NAMES = {
    "__nanosleep": "leave it out on AMD, or __builtin_amdgcn_s_sleep",
    "__dp4a": "pg::dp4a",
    "__dp2a_lo": "shifts and multiplications",
    "__dp2a_hi": "shifts and multiplications",
    "__fns": "a loop over pg::first_lane",
    "__stcs": "pg::store_streaming",
    "__stcg": "a plain store",
    "__stwb": "a plain store",
    "__stwt": "a plain store",
    "__ldcs": "pg::load_streaming",
    "__ldcg": "a plain load",
    "__ldca": "a plain load",
    "__ldcv": "a volatile load",
    "__ldlu": "a plain load",
    "__isShared": "knowing it by construction",
    "__isGlobal": "knowing it by construction",
    "__cvta_generic_to_shared": "a pointer to shared memory as it is",
    "__cvta_generic_to_global": "a pointer as it is",
    "__pipeline_memcpy_async": "pg::async_copy",
    "__pipeline_commit": "pg::async_wait",
    "__pipeline_wait_prior": "pg::async_wait",
    "__prof_trigger": "leaving it out",
    "__reduce_add_sync": "pg::warp_sum (HIP has it from 7.0)",
    "__reduce_min_sync": "pg::warp_min (HIP has it from 7.0)",
    "__reduce_max_sync": "pg::warp_max (HIP has it from 7.0)",
    "__match_any_sync": "pg::match_any (HIP has it from 6.2)",
    "__match_all_sync": "pg::match_any (HIP has it from 6.2)",
    "__uni_sync": "nothing; it was removed",
    "__saturatef_rd": "clamping by hand",
}
_SIMD = re.compile(r"^__v(?:abs|abss|add|addss|addus|avgs|avgu|cmp\w\w|hadd\w|max[su]|min[su]|"
                   r"neg|negss|sad[su]|set\w+|sub|subss|subus)[24]$")  # fmt: skip
_ROUNDED = re.compile(r"^__[fd](?:add|sub|mul|div|ma|maf|rcp|sqrt)_r[duz]$|^__fmaf_r[duz]$")


class NvidiaIntrinsics(Rule):
    id = "PG2041"
    title = "Device function that only NVIDIA has"
    severity = Severity.ERROR
    explain = """
These functions have no counterpart in HIP, or only in its newest versions: cache-hint loads and
stores, `__nanosleep`, byte dot products, SIMD-in-a-word functions, directed rounding, pipelines,
address-space tests. The code does not compile for AMD, and after a rename it may mean something
else (a `__vsub4` that saturates was seen in the wild).

The hint names what to use. Byte-wise SIMD is written out in a few lines of shifts and masks.
"""
    invalid = (
        Example(
            """
            __device__ int f(int a, int b, const int* p) {
              __nanosleep(100);  // finding
              return __dp4a(a, b, __ldcs(p)) + __vsub4(a, b);  // finding
            }
            """
        ),
        Example(
            """
            #include "portgpu.h"
            __device__ int f(int a, int b) { return __dp4a(a, b, 0); }  // finding
            """,
            fixed="""
            #include "portgpu.h"
            __device__ int f(int a, int b) { return pg::dp4a(a, b, 0); }  // finding
            """,
            mode="dialect",
        ),
    )
    valid = (
        Example("""
            __device__ int g(int a) { return __popc(a) + __byte_perm(a, a, 0x1234) + __ldg(&a); }
            struct V { int __dp4a(int); };
            __device__ int h(V v) { return v.__dp4a(1); }
            #ifdef __HIP_PLATFORM_AMD__
            __device__ int __vsub4(int a, int b) { return a - b; }
            #else
            __device__ int sub(int a, int b) { return __vsub4(a, b); }
            #endif
        """),
        # The project brings its own version for AMD.
        Example("""
            __device__ int __dp4a(int a, int b, int c) { return a * b + c; }
            __device__ int f(int a) { return __dp4a(a, a, a); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        if ctx.mode == "hip":
            return
        for view in ctx.functions:
            for expr in view.exprs:
                name = expr.callee
                if not name.startswith("__") or expr.args[0].kind != "name":
                    continue
                better = self._better(name)
                if better is None or ctx.provided(name):
                    continue
                head = expr.args[0]
                fix: Fix = ()
                if ctx.mode == "dialect" and better == "pg::dp4a" and not expr.macro:
                    fix = ctx.edit(head.start, head.end, better)
                message = f"{name} does not exist in HIP"
                severity = None
                if "HIP has it from" in better:
                    message = f"{name} does not exist in older HIP"
                    severity = Severity.WARNING
                yield Report(
                    expr.start, expr.end, message, f"instead: {better}", fix, name, "", severity
                )

    def _better(self, name: str) -> str | None:
        if name in _NAMES:
            return _NAMES[name]
        if _SIMD.match(name):
            return "shifts and masks on the bytes"
        if _ROUNDED.match(name):
            return "round to nearest; HIP has the other roundings only behind a macro"
        return None
