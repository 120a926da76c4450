"""PG2008: warpSize where the language wants a constant."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr, subexprs
from portgpu.lint.rule import Context, Example, FunctionView, Report, Rule

_NAMES = ("warpSize", "__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__")


class WarpSizeConstant(Rule):
    id = "PG2008"
    title = "warpSize used as a constant expression"
    severity = Severity.ERROR
    explain = """
`warpSize` is not a constant: never in CUDA, and in HIP no more since ROCm 7.0, when one binary may
run on waves of 32 and 64. Array sizes, template arguments, `constexpr` values, `case` labels,
`static_assert` and `#if` need one. `__AMDGCN_WAVEFRONT_SIZE`, often used instead, is going too, and
in the host pass it is always 32.

Size arrays for the worst case (`1024 / 32` warps), pass the logical width as a template parameter,
or use `PG_WARP_SIZE_MIN` and `PG_WARP_SIZE_MAX` for the bounds.
"""
    invalid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            template <int W> __device__ float sum(float v);
            __global__ void k(float* y) {
              __shared__ float part[1024 / warpSize];  // finding
              constexpr int half = warpSize / 2;  // finding
              y[0] = sum<warpSize>(part[0]) + half;  // finding
            }
            """,
            mode="hip",
        ),
        Example(
            """
            #include <hip/hip_runtime.h>
            constexpr int kWarp = warpSize;  // finding
            #if __AMDGCN_WAVEFRONT_SIZE == 64  // finding
            #endif
            """,
            mode="hip",
        ),
    )
    valid = (
        Example(
            """
            #include <hip/hip_runtime.h>
            __global__ void k(float* y) {
              __shared__ float part[1024 / 32];
              const int half = warpSize / 2;
              for (int d = half; d > 0; d /= 2) y[d] = part[0];
            }
            """,
            mode="hip",
        ),
        # Asking whether it is there.
        Example(
            """
            #include <hip/hip_runtime.h>
            #if defined(__AMDGCN_WAVEFRONT_SIZE)
            #endif
            """,
            mode="hip",
        ),
        # A parameter of a class template.
        Example("""
            template <int warpSize, int B> struct Policy { static_assert(B % warpSize == 0); };
            __global__ void k(float* y) { y[0] = 0; }
        """),
        # A constant of the project with the same name.
        Example("""
            constexpr int warpSize = 32;
            __global__ void k(float* y) { __shared__ float part[1024 / warpSize]; y[0] = part[0]; }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        own = {n for n in _NAMES if n in ctx.names.values or n in ctx.unit.macros}
        own |= set(_NAMES) & ctx.unit.declarations.class_parameters
        for var in ctx.unit.declarations.globals:
            if "constexpr" in var.quals and var.init is not None:
                yield from self._inside(var.init, "a constexpr value", own)
            for dim in var.dims:
                yield from self._inside(dim, "an array size", own)
        for stmt in ctx.unit.declarations.asserts:
            yield from self._inside(stmt.expr, "static_assert", own)
        for view in ctx.functions:
            yield from self._function(view, own)
        for directive in ctx.unit.directives:
            if directive.name in ("if", "elif"):
                for before, token in zip([None, *directive.tokens], directive.tokens, strict=False):
                    asked = before is not None and before.text in ("defined", "(")
                    if token.text in _NAMES and token.text not in own and not asked:
                        yield self._report(
                            token.text, "a preprocessor condition", token.start, token.end
                        )

    def _function(self, view: FunctionView, own: set[str]) -> Iterator[Report]:
        for stmt in view.stmts:
            for var in stmt.vars:
                for dim in var.dims:
                    yield from self._inside(dim, "an array size", own)
                if "constexpr" in var.quals and var.init is not None:
                    yield from self._inside(var.init, "a constexpr value", own)
            if stmt.kind == "case":
                yield from self._inside(stmt.expr, "a case label", own)
            elif stmt.kind == "assert":
                yield from self._inside(stmt.expr, "static_assert", own)
            elif stmt.static:
                yield from self._inside(stmt.cond, "if constexpr", own)
        for expr in view.exprs:
            for argument in expr.targs:
                yield from self._inside(argument, "a template argument", own)
        for parameter in view.function.templates:
            yield from self._inside(parameter.init, "a template argument", own)
        for bound in view.function.bounds:
            yield from self._inside(bound, "launch bounds", own)

    def _inside(self, expr: Expr | None, place: str, own: set[str]) -> Iterator[Report]:
        if expr is None:
            return
        for node in subexprs(expr):
            builtin = node.kind == "name" and node.text in _NAMES and node.text not in own
            if builtin and node.var is None:
                yield self._report(node.text, place, node.start, node.end)

    def _report(self, name: str, place: str, start: int, end: int) -> Report:
        hint = "size for 32 (most warps) or 64 (widest), or make the width a template parameter"
        return Report(
            start, end, f"{name} is not a constant, and {place} needs one", hint, symbol=name
        )
