"""Kernel launches with their configuration worked out as far as it is constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from portgpu.lint.binding import bind
from portgpu.lint.consts import Scope
from portgpu.lint.nodes import Expr, Function, Var
from portgpu.lint.project import Names
from portgpu.lint.rule import Context, FunctionView

_BY_POINTER = re.compile(r"^(?:cuda|hip)(?:LaunchKernel|LaunchCooperativeKernel)$")


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch; dimensions are constants or None."""

    expr: Expr
    kernel: str
    grid: Expr
    block: Expr
    shared: Expr | None
    stream: Expr | None
    grid_dims: tuple[int | None, int | None, int | None]
    block_dims: tuple[int | None, int | None, int | None]
    view: FunctionView

    @property
    def arguments(self) -> list[Expr]:
        """Template arguments of the kernel."""
        return self.expr.args[0].targs if self.expr.kind == "launch" else []

    def instantiated(self, function: Function, names: Names) -> Scope:
        """The scope of the launched function, with the template arguments that are constant."""
        bind(function)
        scope = Scope.of(names, function, self.view.context.returns)
        for parameter, argument in zip(function.templates, self.arguments, strict=False):
            value = self.view.value(argument)
            if value is not None:
                scope.given[parameter] = value
        return scope

    @property
    def block_total(self) -> int | None:
        """Threads in a block, when all dimensions are constant."""
        total = 1
        for size in self.block_dims:
            if size is None:
                return None
            total *= size
        return total


def launches(ctx: Context) -> Iterator[Launch]:
    """`k<<<…>>>(…)`, `PG_LAUNCH(k, …)` and `hipLaunchKernelGGL(k, …)` in this file."""
    for view in ctx.functions:
        for expr in view.exprs:
            config: list[Expr] = []
            if expr.kind == "launch":
                config = expr.args[1].args
                kernel = expr.callee
            elif expr.callee in ("PG_LAUNCH", "hipLaunchKernelGGL") and len(expr.arguments) >= 3:
                config = expr.arguments[1:5]
                kernel = expr.arguments[0].text.rsplit("::", 1)[-1]
            elif _BY_POINTER.match(expr.callee) and len(expr.arguments) >= 4:
                head = expr.arguments[0]
                while head.kind in ("cast", "unary") and head.args:
                    head = head.args[0]
                kernel = head.text.rsplit("::", 1)[-1]
                config = [*expr.arguments[1:3], *expr.arguments[4:6]]
            if len(config) < 2:
                continue
            yield Launch(
                expr,
                kernel,
                config[0],
                config[1],
                config[2] if len(config) > 2 else None,
                config[3] if len(config) > 3 else None,
                dimensions(config[0], view, expr),
                dimensions(config[1], view, expr),
                view,
            )


def parts(expr: Expr) -> list[Expr] | None:
    """The arguments of the `dim3` behind a launch dimension; None when it cannot be told."""
    if expr.kind == "name" and expr.var is not None:
        var = expr.var
        if var.type.replace("const", "").strip() != "dim3":
            return [expr]
        if var.init is None:
            return None
        init = var.init
        return (
            init.args if init.kind == "init" else (parts(init) if init.kind == "call" else [init])
        )
    if expr.kind in ("call", "cast") and (expr.callee == "dim3" or expr.text == "dim3"):
        return expr.arguments if expr.kind == "call" else expr.args
    if expr.kind == "init":
        return expr.args
    return [expr]


def dimensions(
    expr: Expr, view: FunctionView, launch: Expr
) -> tuple[int | None, int | None, int | None]:
    """(x, y, z) of a launch dimension; missing ones are 1, unknown ones None."""
    known = parts(expr)
    if known is None or not known:
        return None, None, None
    values = [view.value(p) for p in known[:3]]
    if len(known) == 1 and values[0] is None:
        # A plain number is x alone, but a value of unknown type may be a whole dim3.
        integer = view.int_type(known[0]) is not None
        return (None, 1, 1) if integer else (None, None, None)
    values += [1] * (3 - len(values))
    if expr.kind == "name" and expr.var is not None:
        later = _set_later(expr.var, view, launch)
        if later is None:
            return None, None, None
        for member, value in later:
            values["xyz".index(member)] = value
    return values[0], values[1], values[2]


def _set_later(var: Var, view: FunctionView, launch: Expr) -> list[tuple[str, int | None]] | None:
    """`block.y = 4;` between declaration and launch; None where control flow decides."""
    found = []
    straight = {id(s.expr) for s in view.function.body or [] if s.kind == "expr"}
    for expr in view.exprs:
        if expr.kind == "assign" and expr.args[0].kind == "name" and expr.args[0].var is var:
            return None
        target = expr.args[0] if expr.kind == "assign" else None
        if target is None or target.kind != "member" or target.args[0].var is not var:
            continue
        if id(expr) not in straight or expr.text != "=" or target.text not in ("x", "y", "z"):
            return None
        if expr.start < launch.start:
            found.append((target.text, view.value(expr.args[1])))
    return found
