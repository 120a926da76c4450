"""PG2023: static shared memory beyond a vendor's limit."""

from __future__ import annotations

from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.binding import bind
from portgpu.lint.consts import Scope, evaluate, resolve_type, size_of
from portgpu.lint.launches import launches
from portgpu.lint.nodes import Function, Stmt, Var, all_exprs
from portgpu.lint.project import Names
from portgpu.lint.rule import Context, Example, Report, Rule

_NVIDIA, _AMD = 48 * 1024, 64 * 1024


class SharedStatic(Rule):
    id = "PG2023"
    title = "Static shared memory beyond a vendor's limit"
    severity = Severity.ERROR
    everywhere = True
    explain = """
A CUDA kernel may declare 48 KiB of static shared memory; more needs dynamic shared memory and an
opt-in. AMD's local memory (LDS) has 64 KiB a block on all GPUs up to MI300 (160 KiB on MI350), and
there is no opt-in for more. Over 48 KiB does not compile for NVIDIA, over 64 KiB not for AMD.

Make the tile smaller for all, or choose its size by target (`PG_TARGET_ROCM`).
"""
    invalid = (
        Example("""
            template <int N> __global__ void k(float* x) {
              __shared__ float s[N][N];
              x[0] = s[0][0];
            }
            void f(float* x) { k<128><<<1, 64>>>(x); }  // finding
        """),
        Example("""
            __global__ void k(float* x) {
              __shared__ float a[64][128];
              __shared__ float b[64][128];  // finding
              x[0] = a[0][0] + b[0][0];
            }
        """),
    )
    valid = (
        # One of the two at most is there.
        Example("""
            template <bool Big> __global__ void k(float* x) {
              if constexpr (Big) { __shared__ float s[10000]; x[0] = s[0]; }
              else { __shared__ float s[8000]; x[0] = s[0]; }
            }
        """),
        Example("""
            __global__ void k(float* x) {
              __shared__ float a[64][128];
              __shared__ float b[32][128];
              x[0] = a[0][0] + b[0][0];
            }
            template <int N> __global__ void t(float* x) {
              __shared__ float a[N][4096];
              x[0] = a[0][0];
            }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.device:
            size, last = _Sizes(ctx.names).of(view.function, view.scope)
            if last is not None and size > _NVIDIA:
                name = view.function.name
                yield self._report(last.start, last.end, name, size, last.name)
        for launch in launches(ctx):
            for _, function in ctx.names.functions.get(launch.kernel, []):
                if function.body is None or not launch.arguments:
                    continue
                scope = launch.instantiated(function, ctx.names)
                plain = _Sizes(ctx.names).of(function, Scope.of(ctx.names, function, ctx.returns))
                size, _ = _Sizes(ctx.names).of(function, scope)
                if plain[0] <= _NVIDIA < size:
                    head = launch.expr.args[0]
                    yield self._report(head.start, head.end, ctx.text(head), size, launch.kernel)

    def _report(self, start: int, end: int, name: str, size: int, symbol: str) -> Report:
        who = "NVIDIA (48 KiB)" if size <= _AMD else "NVIDIA (48 KiB) and AMD (64 KiB)"
        message = f"{name} has {size} bytes of static shared memory: over {who}"
        return Report(start, end, message, "use a smaller tile", symbol=symbol)


class _Sizes:
    """Bytes of static shared memory that are surely there: of a function and all that it calls."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.seen: set[int] = set()

    def of(self, function: Function, scope: Scope) -> tuple[int, Var | None]:
        """(bytes, the variable of the function itself that goes beyond 48 KiB, else its last)."""
        self.seen.add(id(function))
        own = list(self._variables(function.body or [], scope))
        total = sum(self._called(function))
        crossing: Var | None = None
        for var in own:
            total += self._bytes(var, scope)
            if crossing is None and total > _NVIDIA:
                crossing = var
        return total, crossing

    def _called(self, function: Function) -> Iterator[int]:
        for expr in all_exprs(function.body or []):
            known = self.names.functions.get(expr.callee, []) if expr.kind == "call" else []
            # Of overloads and templates nobody knows which is meant.
            if len(known) != 1 or not known[0][1].device or id(known[0][1]) in self.seen:
                continue
            inner = known[0][1]
            if inner.body and not inner.templates and len(self.seen) < 50:
                bind(inner)
                yield self.of(inner, Scope.of(self.names, inner, {}))[0]

    def _variables(self, stmts: list[Stmt], scope: Scope) -> Iterator[Var]:
        """Shared variables that every instantiation has."""
        for stmt in stmts:
            yield from (v for v in stmt.vars if "__shared__" in v.quals and "extern" not in v.quals)
            inner = [stmt.body, stmt.orelse]
            if stmt.static:
                known = evaluate(stmt.cond, scope)
                inner = [] if known is None else [inner[not known]]
            for part in inner:
                yield from self._variables(part, scope)

    def _bytes(self, var: Var, scope: Scope) -> int:
        size = self._size(var.type, scope)
        for dim in var.dims:
            count = evaluate(dim, scope)
            size = 0 if count is None else size * count
        return size

    def _size(self, text: str, scope: Scope) -> int:
        """At least so many bytes a type has."""
        known = size_of(text, scope)
        fields = self.names.layouts.get(resolve_type(text, scope), [])
        if known is not None or not fields:
            return known or 0
        return sum(self._bytes(field, scope) for field in fields)
