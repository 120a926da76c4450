"""PG2016: own definitions of vendor builtins."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint import builtins
from portgpu.lint.consts import int_type, resolve_type
from portgpu.lint.nodes import Function
from portgpu.lint.rule import Context, Example, Report, Rule

_NAMES = builtins.WARP_OPS | builtins.BARRIERS | {"__syncwarp", "__ldg", "__dp4a", "__nanosleep"}


class BuiltinRedefined(Rule):
    id = "PG2016"
    title = "Own definition of a vendor's builtin"
    severity = Severity.WARNING
    explain = """
A project that defines `__syncwarp` or `__shfl_sync` itself, because its HIP version lacked them,
clashes with the version that has them: `__syncwarp` and the `_sync` shuffles came with ROCm 6.2 to
7.0. An empty `__syncwarp` also drops its meaning as a memory fence, so that exchanges through
shared memory go wrong without a compiler error.

Use a name of your own (or `pg::syncwarp`), and decide by version inside of it.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            #define __syncwarp()  // finding
            __device__ inline int __shfl_xor_sync(unsigned, int v, int d) {  // finding
              return __shfl_xor(v, d);
            }
            """,
            mode="hip",
        ),
    )
    valid = (
        Example("__device__ inline void my_syncwarp() { __syncwarp(); }"),
        Example("__device__ int __shfl_sync(unsigned, int, int);", mode="hip"),
        Example(
            """
            #define HIP_DISABLE_WARP_SYNC_BUILTINS 1
            #include <hip/hip_runtime.h>
            #define __all_sync(mask, p) __all(p)
            """,
            mode="hip",
        ),
        # An overload for a type of the project clashes with nothing.
        Example("""
            __device__ inline at::Half __shfl_up(const at::Half v, const unsigned d) {
              return at::Half(__shfl_up(v.operator __half(), d));
            }
        """),
    )

    def _builtin(self, ctx: Context, function: Function, text: str) -> bool:
        """Whether a parameter's type is one that the vendor's function takes too."""
        resolved = resolve_type(text, ctx.file_scope).rstrip("*")
        templates = {t.name for t in function.templates}
        return (
            resolved in templates
            or resolved in ("float", "double", "half", "__half")
            or (int_type(resolved, ctx.file_scope) is not None)
        )

    def check(self, ctx: Context) -> Iterator[Report]:
        if "HIP_DISABLE_WARP_SYNC_BUILTINS" in ctx.unit.macros:
            return  # the vendor's own are switched off
        for macro in ctx.unit.own_macros:
            if macro.name in _NAMES:
                empty = not macro.body
                what = "is defined away: its memory fence is lost" if empty else "is redefined"
                message = f"{macro.name} {what}; HIP's own definition clashes from ROCm 7"
                yield Report(
                    macro.start, macro.end, message, "use a name of your own", symbol=macro.name
                )
        for function in ctx.unit.declarations.functions:
            if function.name not in _NAMES or function.body is None or function.owner:
                continue
            if all(self._builtin(ctx, function, p.type) for p in function.params):
                message = f"{function.name} is defined here and in HIP from ROCm 6.2 or 7.0 on"
                yield Report(
                    function.start,
                    function.end,
                    message,
                    "use a name of your own",
                    symbol=function.name,
                )
