"""Types and constants that libclang knows, looked up by span."""

from __future__ import annotations

from portgpu.lint.nodes import Expr
from portgpu.lint.project import Project, Unit


class Facts:
    """Answers for one file; unknown is an empty string or None."""

    def __init__(
        self, types: dict[tuple[int, int], str], values: dict[tuple[int, int], int]
    ) -> None:
        self._types = types
        self._values = values

    def type(self, expr: Expr) -> str:
        return "" if expr.macro else self._types.get((expr.start, expr.end), "")

    def value(self, expr: Expr) -> int | None:
        return self._values.get((expr.start, expr.end))


def facts(project: Project, unit: Unit) -> Facts:
    return Facts({}, {})
