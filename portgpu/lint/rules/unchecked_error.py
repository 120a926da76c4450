"""PG2033: runtime calls whose error code is dropped."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, Example, Report, Rule

_CALL = re.compile(r"^(?:cuda|hip)[A-Z]\w+$")
_NO_ERROR = re.compile(
    r"^(?:cuda|hip)(?:GetErrorString|GetErrorName|CreateChannelDesc|LaunchKernelGGL)$|Create_?Desc$|^hipLaunch"
)


@functools.cache
def _is_api(name: str) -> bool:
    """Whether a name is a function of the vendors' runtimes, and not a project's own helper."""
    from portgpu import mapping

    tables = mapping.load()
    entry = tables.reverse(name) if name.startswith("hip") else tables.get(name)
    return entry is not None and entry.kind == "function"


class UncheckedError(Rule):
    id = "PG2033"
    title = "Error code of a runtime call is dropped"
    severity = Severity.WARNING
    explain = """
`cudaFree(p);` compiles quietly with nvcc. `hipError_t` is declared nodiscard: the same line warns
on AMD, and stops builds with `-Werror`. Errors that are dropped also surface later, at an
unrelated call.

Check it, or say that it is dropped on purpose: `(void)cudaFree(p);` (what `--fix` writes; the code
does the same as before).
"""
    invalid = (
        Example(
            """
            void f(float* p, bool b) {
              cudaFree(p);  // finding
              if (b) ::cudaDeviceSynchronize();  // finding
            }
            """,
            fixed="""
            void f(float* p, bool b) {
              (void)cudaFree(p);  // finding
              if (b) (void)::cudaDeviceSynchronize();  // finding
            }
            """,
        ),
    )
    valid = (
        Example("""
            #define CHECK(x) do { cudaError_t e = (x); if (e) fail(e); } while (0)
            cudaError_t f(float* p) {
              (void)cudaFree(p);
              CHECK(cudaFree(p));
              OTHER_CHECK(cudaFree(p));
              if (cudaFree(p) != cudaSuccess) return cudaGetLastError();
              puts(cudaGetErrorString(cudaSuccess));
              return cudaFree(p);
            }
        """),
        # A check of the project whose definition is not here.
        Example("void f(float* p) { cudaCheck(cudaFree(p)); }"),
        # A function of the project with such a name.
        Example("""
            static void cudaSetUp(int n) { n++; }
            void f() { cudaSetUp(1); }
        """),
    )

    def check(self, ctx: Context) -> Iterator[Report]:
        for view in ctx.functions:
            for stmt in view.stmts:
                if stmt.kind == "expr" and stmt.expr is not None:
                    yield from self._dropped(ctx, stmt.expr)

    def _dropped(self, ctx: Context, whole: Expr) -> Iterator[Report]:
        for expr in _results(whole):
            if expr.macro:
                continue
            name = expr.callee
            if expr.args[0].kind != "name" or not _CALL.match(name) or _NO_ERROR.search(name):
                continue
            if expr.args[0].text not in (name, "::" + name):
                continue
            if ctx.provided(name) or not _is_api(name):
                continue
            fix = ctx.edit(expr.start, expr.start, "(void)")
            message = f"the error code of {name} is dropped, and hipError_t is nodiscard"
            yield Report(expr.start, expr.end, message, "check it, or cast it to void", fix, name)


def _results(expr: Expr) -> Iterator[Expr]:
    """The calls whose results an expression statement drops."""
    if expr.kind == "binary" and expr.text == ",":
        for arg in expr.args:
            yield from _results(arg)
    elif expr.kind == "cond":
        for arg in expr.args[1:]:
            yield from _results(arg)
    elif expr.kind == "call":
        yield expr
