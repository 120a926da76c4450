"""Kernel launches with their configuration worked out as far as it is constant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from portgpu.lint.nodes import Expr
from portgpu.lint.rule import Context, FunctionView


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
            if len(config) < 2:
                continue
            yield Launch(
                expr,
                kernel,
                config[0],
                config[1],
                config[2] if len(config) > 2 else None,
                config[3] if len(config) > 3 else None,
                dimensions(config[0], view),
                dimensions(config[1], view),
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


def dimensions(expr: Expr, view: FunctionView) -> tuple[int | None, int | None, int | None]:
    """(x, y, z) of a launch dimension; missing ones are 1, unknown ones None."""
    known = parts(expr)
    if known is None or not known:
        return None, None, None
    name = expr.text if expr.kind == "name" else ""
    if name and any(
        e.kind == "assign" and e.args[0].kind == "member" and e.args[0].args[0].text == name
        for e in view.exprs
    ):
        return None, None, None  # `grid.y = …` after the declaration
    values = [view.value(p) for p in known[:3]]
    if len(known) == 1 and values[0] is None:
        # A plain number is x alone, but a value of unknown type may be a whole dim3.
        integer = view.int_type(known[0]) is not None
        return (None, 1, 1) if integer else (None, None, None)
    values += [1] * (3 - len(values))
    return values[0], values[1], values[2]
