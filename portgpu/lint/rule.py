"""What a rule is, and what it sees.

A rule is one class in one file of `portgpu/lint/rules/`. It carries its own documentation and its
own examples; tests and the rule pages derive from them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from portgpu.findings import Edit, Severity
from portgpu.lint import builtins
from portgpu.lint.binding import bind
from portgpu.lint.consts import Scope, evaluate, int_type, type_of
from portgpu.lint.flow import Calls, Divergence, Elsewhere, Flow
from portgpu.lint.nodes import Directive, Expr, Function, Macro, Stmt, Tok, all_exprs, walk
from portgpu.lint.options import Options
from portgpu.lint.preprocess import Preprocessor
from portgpu.lint.project import Names, Unit
from portgpu.lint.uniform import Levels

MARK = "// finding"
Fix = tuple[Edit, ...]


@dataclass(frozen=True)
class Example:
    """A small source. In an invalid one, lines that end in `// finding` are reported.

    `fixed` is the whole text after `--fix`; None when the rule has no fix for it.
    """

    code: str
    fixed: str | None = None
    mode: str = "cuda"
    warp: str = "logical"
    path: str = "example.cu"

    @property
    def text(self) -> str:
        return textwrap.dedent(self.code).lstrip("\n")

    @property
    def fixed_text(self) -> str | None:
        return None if self.fixed is None else textwrap.dedent(self.fixed).lstrip("\n")

    @property
    def lines(self) -> list[int]:
        """Lines, from 1, on which findings are expected."""
        return [n for n, line in enumerate(self.text.split("\n"), 1) if MARK in line]


@dataclass(frozen=True)
class Report:
    """One place that a rule objects to; `start`/`end` are byte offsets in the file."""

    start: int
    end: int
    message: str
    hint: str = ""
    fix: Fix = ()
    symbol: str = ""
    confidence: str = ""  # of the rule when empty
    severity: Severity | None = None  # of the rule when None


def excluded(directives: list[Directive], mode: str, nvidia: set[str]) -> list[tuple[int, int]]:
    """Byte ranges that the preprocessor drops for AMD, where the `nvidia` macros do not exist."""
    if mode == "hip":
        return []
    judge = Preprocessor("hip", {"PG_TARGET_CUDA": Macro("PG_TARGET_CUDA", None, [_ZERO])})
    judge.undefined = frozenset(nvidia)
    return dropped_ranges(directives, judge)


def dropped_ranges(directives: list[Directive], judge: Preprocessor) -> list[tuple[int, int]]:
    """Byte ranges that are left out for sure, by what `judge` says of each condition."""
    found: list[tuple[int, int]] = []
    # Each level: [a branch was surely taken, start of the dropped range or -1]
    levels: list[list[int]] = []
    for item in directives:
        if item.name in ("if", "ifdef", "ifndef"):
            value = judge.condition(item)
            levels.append([value is True, item.end if value is False else -1])
        elif item.name in ("elif", "else", "elifdef", "elifndef", "endif") and levels:
            level = levels[-1]
            if level[1] >= 0:
                found.append((level[1], item.start))
            level[1] = -1
            if item.name == "endif":
                levels.pop()
                continue
            value = None if item.name == "else" else judge.condition(item)
            if level[0] or value is False:
                level[1] = item.end
            level[0] = level[0] or value is True
    return found


_WAVE_32 = re.compile(r"__gfx1[0-2]|__GFX1[0-2]__|RDNA[34]?\b", re.IGNORECASE)
_WAVE_64 = re.compile(r"__gfx[89]|__GFX[89]__|CDNA|MI[123]\d\d", re.IGNORECASE)
_ZERO = Tok("num", "0", 0, 0)


class FunctionView:
    """A function definition with what is known about it, computed when asked for."""

    def __init__(self, function: Function, context: Context, bound: bool = False) -> None:
        self.function = function
        self.context = context
        if not bound:
            bind(function)

    @cached_property
    def scope(self) -> Scope:
        return Scope.of(self.context.names, self.function, self.context.returns)

    @cached_property
    def levels(self) -> Levels:
        return Levels(self.function, self.context.names, self.scope)

    @cached_property
    def divergences(self) -> list[Divergence]:
        """Barriers and warp operations under divergent control flow; device functions only."""
        if not self.function.device:
            return []
        names, calls = self.context.names, self.context.calls
        found = Flow(self.function, names, self.levels, calls).found
        for expr in self.exprs:
            if expr.kind == "lambda":
                inner = Function("lambda", expr.start, expr.end, body=expr.body)
                found += Flow(inner, names, self.levels, calls).found
        return found

    @cached_property
    def exprs(self) -> list[Expr]:
        """Every expression in the body, outermost first."""
        return list(all_exprs(self.function.body or []))

    @cached_property
    def stmts(self) -> list[Stmt]:
        """Every statement in the body; of lambdas too, but for what these return."""
        found = list(walk(self.function.body or []))
        for expr in self.exprs:
            if expr.kind == "lambda":
                found += [stmt for stmt in walk(expr.body) if stmt.kind != "return"]
        return found

    def value(self, expr: Expr | None) -> int | None:
        """Integer value of a constant expression."""
        known = evaluate(expr, self.scope)
        if known is None and expr is not None:
            known = self.context.facts_value(expr)
        return known

    def type(self, expr: Expr) -> str:
        """Type as text; empty when unknown."""
        return self.context.facts_type(expr) or type_of(expr, self.scope)

    def int_of(self, text: str) -> tuple[int, bool] | None:
        """(bits, signed) of an integer type that is given as text."""
        return int_type(text, self.scope)

    def int_type(self, expr: Expr) -> tuple[int, bool] | None:
        """(bits, signed) when the expression has a known integer type."""
        return int_type(self.type(expr), self.scope)


@dataclass
class Context:
    """One file under examination."""

    unit: Unit
    names: Names
    options: Options
    facts_type: Callable[[Expr], str] = field(default=lambda _: "")
    facts_value: Callable[[Expr], int | None] = field(default=lambda _: None)
    elsewhere: Elsewhere | None = None  # finds what other files define

    @property
    def mode(self) -> str:
        return self.unit.mode

    @cached_property
    def native(self) -> bool:
        """Whether the source must be right for a warp of 64 lanes as it stands."""
        return self.options.warp == "native" or self.mode != "cuda"

    @cached_property
    def rdna_alone(self) -> bool:
        """Whether the conditions of HIP code name GPUs with waves of 32 (gfx10 to gfx12) only."""
        if self.mode != "hip":
            return False
        tested = " ".join(t.text for d in self.unit.directives for t in d.tokens)
        return bool(_WAVE_32.search(tested)) and not _WAVE_64.search(tested)

    @cached_property
    def returns(self) -> dict[str, str]:
        return builtins.returns(self.mode)

    @cached_property
    def calls(self) -> Calls:
        def alias(name: str) -> str:
            return self.names.types.get(name.rsplit("::", 1)[-1], "")

        return Calls(self.names, alias, self.elsewhere)

    @cached_property
    def functions(self) -> list[FunctionView]:
        """Functions that are defined in this file."""
        out = self.unit.declarations.functions
        found = [FunctionView(f, self) for f in out if f.body is not None]
        return found + [inner for view in found for inner in self._device_lambdas(view)]

    def _device_lambdas(self, view: FunctionView) -> Iterator[FunctionView]:
        """`[=] __device__ (int i) { … }` in host code, as functions of their own."""
        if view.function.device:
            return
        for expr in view.exprs:
            if expr.kind == "lambda" and expr.text == "__device__":
                quals = frozenset(["__device__"])
                function = Function(
                    "lambda", expr.start, expr.start, quals, "auto", expr.params, body=expr.body,
                    span=(expr.start, expr.end),
                )  # fmt: skip
                yield FunctionView(function, self, bound=True)

    @cached_property
    def device(self) -> list[FunctionView]:
        return [view for view in self.functions if view.function.device]

    @cached_property
    def file_scope(self) -> Scope:
        return Scope(self.names, None, {}, self.returns)

    @cached_property
    def not_for_amd(self) -> list[tuple[int, int]]:
        """Byte ranges that an AMD build leaves out, by conditions such as `#ifndef USE_ROCM`.

        Macros that are defined only in such ranges, here or in a header, count as undefined.
        """
        if self.mode == "hip":
            return []
        nvidia: set[str] = set()
        for unit in [*reversed(self.unit.closure), self.unit]:
            ranges = excluded(unit.directives, self.mode, nvidia)
            for macro in unit.own_macros:
                if any(a <= macro.start < b for a, b in ranges):
                    nvidia.add(macro.name)
                else:
                    nvidia.discard(macro.name)
        return excluded(self.unit.directives, self.mode, nvidia)

    def provided(self, name: str) -> bool:
        """Whether the project itself defines a function or macro, or does so for AMD."""
        return (
            name in self.names.functions or name in self.unit.macros or name in self.unit.amd_names
        )

    def condition_names(self, item: Directive) -> list[str]:
        """The names in a condition, those of the macros that it uses included."""
        found = [t.text for t in item.tokens if t.kind == "id"]
        for name in found:  # grows while it is read
            macro = self.unit.macros.get(name)
            if macro is not None and macro.start < item.start and len(found) < 100:
                found += [t.text for t in macro.body if t.kind == "id" and t.text not in found]
        return found

    def for_amd(self, start: int) -> bool:
        """Whether the text at this offset is compiled for AMD at all."""
        return not any(a <= start < b for a, b in self.not_for_amd)

    def text(self, expr: Expr) -> str:
        """Source text of an expression, blanks squeezed."""
        text = self.unit.data[expr.start : expr.end].decode("utf-8", "replace")
        return " ".join(text.split())

    def edit(self, start: int, end: int, text: str) -> Fix:
        return (Edit(start, end, text.encode("latin-1")),)


class Rule:
    """Base of all rules. Subclasses set the class variables and yield reports from `check`."""

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity]
    confidence: ClassVar[str] = "certain"
    everywhere: ClassVar[bool] = False  # also where an AMD build does not look
    width: ClassVar[bool] = False  # about the number of lanes: a note in CUDA sources by default
    language: ClassVar[str] = "source"  # or "cmake"
    explain: ClassVar[str]  # Markdown: what goes wrong on which hardware, and the right way
    valid: ClassVar[tuple[Example, ...]] = ()
    invalid: ClassVar[tuple[Example, ...]] = ()

    def check(self, ctx: Context) -> Iterator[Report]:
        """The reports for one file."""
        raise NotImplementedError

    def check_text(self, text: str, options: Options) -> Iterator[Report]:
        """The reports for one file of another language."""
        raise NotImplementedError
        yield

    def level(self, report: Report, ctx_native: bool) -> Severity:
        """The severity of one report: width rules are notes while the logical warp stays 32."""
        if report.severity is not None:
            return report.severity
        if self.width:
            return Severity.ERROR if ctx_native else Severity.NOTE
        return self.severity
