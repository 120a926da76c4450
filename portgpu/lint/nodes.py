"""The syntax tree that rules read: small, tolerant of unknown names, with byte spans.

Expressions and statements are single classes with a `kind`; `walk` visits them. Spans of nodes that
come from a macro cover the macro's use in the file, and `macro` names the macro.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


def words(text: str) -> frozenset[str]:
    """The set of words in a text; tables of names read better so."""
    return frozenset(text.split())


class Tok:
    """One token after preprocessing: kind is `id`, `op`, `num`, `str` or `char`."""

    __slots__ = ("end", "glued", "kind", "macro", "start", "text")

    def __init__(
        self, kind: str, text: str, start: int, end: int, macro: str = "", glued: bool = False
    ) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.macro = macro
        self.glued = glued  # follows a ">" without a gap, so that both may be one operator

    def __repr__(self) -> str:
        return self.text


class Expr:
    """An expression.

    kind: num str char name call launch index member unary post binary assign cond cast init lambda
    sizeof new raw. `args` are the operands (for a call: callee first; for a launch: callee,
    configuration as an `init`, then arguments). `text` is the operator, the name without template
    arguments, the literal, the member, or the type of a cast. `targs` are template arguments.
    """

    __slots__ = (
        "args", "arrow", "body", "end", "kind", "macro", "params", "start", "targs", "text", "var"
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        text: str,
        args: list[Expr],
        start: int,
        end: int,
        macro: str = "",
    ) -> None:
        self.kind = kind
        self.text = text
        self.args = args
        self.start = start
        self.end = end
        self.macro = macro
        self.targs: list[Expr] = []
        self.body: list[Stmt] = []  # of a lambda
        self.params: list[Var] = []  # of a lambda
        self.arrow = False
        self.var: Var | None = None  # the local variable or parameter that a name means

    @property
    def callee(self) -> str:
        """Unqualified name of what a call or launch calls; empty when it is not a plain name."""
        if self.kind in ("call", "launch"):
            head = self.args[0]
            if head.kind in ("name", "member"):
                return head.text.rsplit("::", 1)[-1]
        return ""

    @property
    def qualified(self) -> str:
        """The called name as written, `a::b`; empty when it is not a plain name."""
        if self.kind in ("call", "launch") and self.args[0].kind == "name":
            return self.args[0].text.removeprefix("::")
        return ""

    @property
    def arguments(self) -> list[Expr]:
        """Arguments of a call (without the callee) or of a launch (without the configuration)."""
        return self.args[1:] if self.kind == "call" else self.args[2:]

    def __repr__(self) -> str:
        inside = " ".join([self.text, *map(repr, self.args)])
        return f"({self.kind} {inside})"


@dataclass(slots=True, eq=False)
class Var:
    """A variable, parameter or field. `dims` are array sizes (None for `[]`)."""

    name: str
    type: str
    start: int  # of the name
    end: int
    dims: list[Expr | None] = field(default_factory=list)
    init: Expr | None = None
    quals: frozenset[str] = frozenset()
    type_start: int = 0
    type_end: int = 0
    macro: str = ""
    template: bool = False  # a template's parameter
    values: list[Expr] = field(default_factory=list)  # of later `=` assignments; bind fills it

    @property
    def out(self) -> bool:
        """Whether it refers to something that it may change: `T&`, not `const T&` nor `T&&`."""
        constant = "const" in self.quals or "const" in self.type.split()
        return (
            self.type.rstrip().endswith("&")
            and not self.type.rstrip().endswith("&&")
            and (not constant)
        )


@dataclass(slots=True, eq=False)
class Stmt:
    """A statement.

    kind: block expr decl if for range while do switch case label return break continue goto asm
    assert empty. `body` and `orelse` are nested statements, `init`/`cond`/`step` the parts of a
    loop or condition, `expr` an expression, a returned value or a case's value.
    """

    kind: str
    start: int
    end: int
    body: list[Stmt] = field(default_factory=list)
    orelse: list[Stmt] = field(default_factory=list)
    init: list[Stmt] = field(default_factory=list)
    cond: Expr | None = None
    step: Expr | None = None
    expr: Expr | None = None
    vars: list[Var] = field(default_factory=list)
    text: str = ""
    static: bool = False  # `if constexpr`
    macro: str = ""


@dataclass(slots=True, eq=False)
class Function:
    """A function definition, or a declaration when `body` is None."""

    name: str
    start: int  # of the name
    end: int
    quals: frozenset[str] = frozenset()
    returns: str = ""
    params: list[Var] = field(default_factory=list)
    templates: list[Var] = field(default_factory=list)
    bounds: list[Expr] = field(default_factory=list)  # arguments of __launch_bounds__
    bounds_span: tuple[int, int] = (0, 0)
    bounds_macro: str = ""
    body: list[Stmt] | None = None
    span: tuple[int, int] = (0, 0)
    owner: str = ""  # class
    parsed: bool = True
    macro: str = ""

    @property
    def kernel(self) -> bool:
        return "__global__" in self.quals

    @property
    def device(self) -> bool:
        return self.kernel or "__device__" in self.quals

    @property
    def host(self) -> bool:
        return not self.device or "__host__" in self.quals


@dataclass(slots=True)
class Directive:
    """A preprocessor line; `tokens` come after its name, comments left out."""

    name: str
    tokens: list[Tok]
    start: int
    end: int
    active: bool = True
    path: str = ""  # what an include names


@dataclass(slots=True)
class Macro:
    """A macro definition; `params` is None for an object-like one."""

    name: str
    params: list[str] | None
    body: list[Tok]
    start: int = 0
    end: int = 0
    path: str = ""


def subexprs(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it, outermost first; lambda bodies included."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack += node.targs
        stack += reversed(node.args)
        for stmt in node.body:
            yield from stmt_exprs(stmt)


def direct_exprs(stmt: Stmt) -> list[Expr]:
    """The expressions that belong to the statement itself, not to nested statements."""
    found = [e for e in (stmt.expr, stmt.cond, stmt.step) if e is not None]
    for var in stmt.vars:
        found += [d for d in var.dims if d is not None]
        if var.init is not None:
            found.append(var.init)
    return found


def walk(stmts: list[Stmt]) -> Iterator[Stmt]:
    """All statements in source order, nested ones after their parent; lambdas not entered."""
    for stmt in stmts:
        yield stmt
        yield from walk(stmt.init)
        yield from walk(stmt.body)
        yield from walk(stmt.orelse)


def stmt_exprs(stmt: Stmt) -> Iterator[Expr]:
    """Every expression below a statement."""
    for inner in walk([stmt]):
        for expr in direct_exprs(inner):
            yield from subexprs(expr)


def all_exprs(stmts: list[Stmt]) -> Iterator[Expr]:
    """Every expression below the statements."""
    for stmt in stmts:
        yield from stmt_exprs(stmt)
