"""Functions, globals, classes and type names of a whole file."""

from __future__ import annotations

from dataclasses import dataclass, field

from portgpu.lint.nodes import Expr, Function, Stmt, Tok, Var, words
from portgpu.lint.parse_stmt import StmtParser
from portgpu.lint.parse_type import ATTRIBUTES, NOT_NAMES, QUALIFIERS

_FUNCTION_QUALS = words(
    "__global__ __device__ __host__ static inline constexpr extern virtual __forceinline__ "
    "__noinline__"
)
_BOUNDS = ("__launch_bounds__", "PG_LAUNCH_BOUNDS")


@dataclass(slots=True)
class Declarations:
    """What a file declares, in source order. `types` maps aliases to the type they stand for."""

    functions: list[Function] = field(default_factory=list)
    globals: list[Var] = field(default_factory=list)
    fields: dict[str, list[Var]] = field(default_factory=dict)
    unions: set[str] = field(default_factory=set)
    class_parameters: set[str] = field(default_factory=set)  # of class templates
    types: dict[str, str] = field(default_factory=dict)
    enumerators: dict[str, Expr | int] = field(default_factory=dict)
    enums: list[Var] = field(default_factory=list)  # enumerators that are given a value
    asserts: list[Stmt] = field(default_factory=list)  # outside of functions
    statements: list[Stmt] = field(default_factory=list)  # at file scope: asm, launches in macros


class FileParser(StmtParser):
    """Reads declarations; a function body that cannot be read is marked, never fatal."""

    def __init__(self, tokens: list[Tok]) -> None:
        super().__init__(tokens)
        self.out = Declarations()

    def run(self) -> Declarations:
        self._aliases()
        self._scope("")
        return self.out

    def _aliases(self) -> None:
        """`using A = B;` and `typedef B A;` at any depth."""
        tokens = self.tokens
        for index, token in enumerate(tokens):
            if token.text == "using" and index + 3 < len(tokens) and tokens[index + 2].text == "=":
                end = self._find_semicolon(index + 3)
                self.out.types[tokens[index + 1].text] = self.type_text_without_quals(
                    index + 3, end
                )
            elif token.text == "typedef":
                end = self._find_semicolon(index + 1)
                if end - index > 2 and tokens[end - 1].kind == "id":
                    text = self.type_text_without_quals(index + 1, end - 1)
                    self.out.types[tokens[end - 1].text] = text

    def _find_semicolon(self, index: int) -> int:
        while index < len(self.tokens) and self.tokens[index].text != ";":
            index = self.pairs.get(index, index) + 1
        return min(index, len(self.tokens))

    def _scope(self, owner: str) -> None:
        """Declarations up to the limit, in a namespace or class."""
        limit = self.limit
        while self.at < limit:
            before = self.at
            try:
                self._declaration(owner)
            except (IndexError, AssertionError, RecursionError):
                # One declaration that defeats the parser costs itself, not the file.
                self.limit = limit
                self.at = max(before, min(self.at, limit - 1))
            if self.at <= before:
                self.at = before + 1

    def _declaration(self, owner: str) -> None:
        text = self.peek()
        if text in (";", "}") or self.kind() in ("num", "str", "char"):
            self.at += 1
            return
        if text in ("public", "private", "protected") and self.peek(1) == ":":
            self.at += 2
            return
        if text == "static_assert":
            self.out.asserts.append(self.statement())
            return
        if text in ("using", "friend") and owner != "?":
            self.at = self._find_semicolon(self.at) + 1
            return
        if text == "namespace" or (text == "inline" and self.peek(1) == "namespace"):
            self._braced_scope(owner)
            return
        if text == "extern" and self.kind(1) == "str":
            if self.peek(2) == "{":
                self._braced_scope(owner)
            else:
                self.at += 2
            return
        first = self.at
        templates: list[Var] = []
        while self.peek() == "template":
            self.at += 1
            if self.peek() != "<":
                break  # explicit instantiation
            end = self.angle_end(self.at, strict=False)
            if end is None:
                break
            templates += self._template_params(self.at + 1, end - 1)
            self.at = end
            if self.peek() == "requires":
                self.at += 1
        start = self.at
        if self.peek() == "typedef":
            start = self.at = self.at + 1
        head = start
        while head < self.limit and self.tokens[head].text in QUALIFIERS - {
            "struct",
            "class",
            "enum",
            "union",
        }:
            head += 1
        if (
            head < self.limit
            and self.tokens[head].text in ("struct", "class", "union", "enum")
            and (self._record(head, templates))
        ):
            return
        self._function_or_variable(first, start, owner, templates)

    def _braced_scope(self, owner: str) -> None:
        while self.at < self.limit and self.peek() not in ("{", ";"):
            self.at += 1
        if self.peek() == "{":
            close = self.pairs.get(self.at, self.limit)
            saved = self.limit
            self.at += 1
            self.limit = min(close, saved)
            self._scope(owner)
            self.limit = saved
            self.at = close
        self.at += 1

    def _template_params(self, first: int, limit: int) -> list[Var]:
        found = []
        index = first
        while index < limit:
            end = index
            depth = 0
            while end < limit and not (self.tokens[end].text == "," and depth == 0):
                text = self.tokens[end].text
                depth += {"<": 1, ">": -1}.get(text, 0)
                end = self.pairs.get(end, end) + 1
            equals = next((i for i in range(index, end) if self.tokens[i].text == "="), end)
            if equals > index and self.tokens[equals - 1].kind == "id":
                name = self.tokens[equals - 1]
                type_text = self.type_text(index, equals - 1)
                init = None
                if equals < end and type_text not in ("typename", "class"):
                    init = self.within(equals + 1, end)[0]
                found.append(
                    Var(name.text, type_text, name.start, name.end, init=init, template=True)
                )
            index = end + 1
        return found

    def _record(self, head: int, templates: list[Var]) -> bool:
        """A struct, class, union or enum definition at `head`; False if it is something else."""
        index = head + 1
        name = ""
        while index < self.limit and self.tokens[index].text not in ("{", ";", "(", "=", ")"):
            token = self.tokens[index]
            if token.text in ATTRIBUTES:
                index = self.pairs.get(index + 1, index)
            elif token.text == ":" or (token.text == "final"):
                pass
            elif token.kind == "id" and not name:
                name = token.text
            elif token.text == "<":
                end = self.angle_end(index, strict=False)
                index = (end or index + 1) - 1
            elif (
                token.kind == "id"
                and name
                and self.tokens[index - 1].kind == "id"
                and not any(t.text == ":" for t in self.tokens[head:index])
            ):
                return False  # `struct A b;` or `struct A f(`: a variable or a function
            index += 1
        if index >= self.limit or self.tokens[index].text != "{":
            if index < self.limit and self.tokens[index].text == ";":
                self.at = index + 1
                return True
            return False
        close = self.pairs.get(index, self.limit)
        if self.tokens[head].text == "enum":
            self._enumerators(index + 1, min(close, self.limit))
        else:
            saved = self.limit
            self.at, self.limit = index + 1, min(close, saved)
            self.out.fields.setdefault(name, [])
            self.out.class_parameters.update(v.name for v in templates)
            if self.tokens[head].text == "union":
                self.out.unions.add(name)
            self._scope(name or "?")
            self.limit = saved
        self.at = self._find_semicolon(min(close + 1, len(self.tokens))) + 1
        return True

    def _enumerators(self, first: int, limit: int) -> None:
        value: Expr | int = -1
        for item in self.within(first, limit):
            if item.kind == "assign" and item.args[0].kind == "name":
                value = item.args[1]
                name = item.args[0]
                self.out.enumerators[name.text] = value
                quals = frozenset(["constexpr"])
                self.out.enums.append(
                    Var(name.text, "int", name.start, name.end, init=value, quals=quals)
                )
            elif item.kind == "name":
                value = value + 1 if isinstance(value, int) else -1
                if isinstance(value, int) and value >= 0:
                    self.out.enumerators[item.text] = value

    def _function_or_variable(
        self, first: int, start: int, owner: str, templates: list[Var]
    ) -> None:
        index = start
        params_at = -1
        bounds: list[Expr] = []
        bounds_span = (0, 0)
        bounds_macro = ""
        in_initializers = False
        while index < self.limit:
            text = self.tokens[index].text
            if text in _BOUNDS and index + 1 < self.limit and self.tokens[index + 1].text == "(":
                close = self.pairs.get(index + 1, index + 1)
                bounds = self.within(index + 2, close)
                bounds_span = (self.tokens[index].start, self.tokens[close].end)
                bounds_macro = self.tokens[index].macro
                index = close + 1
            elif (
                text in ATTRIBUTES and index + 1 < self.limit and self.tokens[index + 1].text == "("
            ):
                index = self.pairs.get(index + 1, index + 1) + 1
            elif text == "<" and self.tokens[index - 1].text != "operator" and params_at < 0:
                # `enable_if<N == width(), int>::type f()`: calls in template arguments.
                index = self.angle_end(index, strict=False) or index + 1
            elif text == "(":
                close = self.pairs.get(index, self.limit)
                previous = self.tokens[index - 1]
                follows = self.tokens[close + 1].text if close + 1 < self.limit else ";"
                plain = (
                    previous.kind == "id"
                    or previous.text in (">", ")", "]")
                    or (self.tokens[max(index - 2, 0)].text == "operator")
                )
                # An attribute macro, `C10_LAUNCH_BOUNDS_1(256) name(…)`, has a name behind it.
                next_is_id = close + 1 < self.limit and self.tokens[close + 1].kind == "id"
                is_suffix = follows in (
                    "const",
                    "noexcept",
                    "override",
                    "final",
                    "requires",
                    "volatile",
                )
                if plain and params_at < 0 and (not next_is_id or is_suffix):
                    params_at = index
                index = close + 1
            elif text == ":" and params_at >= 0:
                in_initializers = True
                index += 1
            elif text == "{":
                close = self.pairs.get(index, self.limit)
                if (
                    in_initializers
                    and self.tokens[index - 1].kind == "id"
                    and (close + 1 < self.limit and self.tokens[close + 1].text in (",", "{"))
                ):
                    index = close + 1
                    continue
                if params_at >= 0:
                    self._function(
                        first, start, params_at, index, owner, templates, bounds, bounds_span,
                        bounds_macro,
                    )  # fmt: skip
                    return
                index = close + 1
                if index < self.limit and self.tokens[index].text not in (";", ","):
                    break
            elif text in (";", "="):
                break
            else:
                index += 1
        if params_at >= 0 and index < self.limit and self.tokens[index].text in (";", "="):
            # A declaration, unless it is a variable with constructor arguments.
            self._function(
                first, start, params_at, -1, owner, templates, bounds, bounds_span, bounds_macro
            )
            self.at = self._find_semicolon(index) + 1
            return
        self.at = start
        if self.at < self.limit and self.is_declaration():
            node = self.declaration()
            target = self.out.fields.setdefault(owner, []) if owner else self.out.globals
            target += node.vars
        elif self.at < self.limit:
            node = self.statement()
            self.out.statements.append(node)

    def _function(
        self,
        first: int,
        start: int,
        params_at: int,
        body_at: int,
        owner: str,
        templates: list[Var],
        bounds: list[Expr],
        bounds_span: tuple[int, int],
        bounds_macro: str,
    ) -> None:
        name_at = params_at - 1
        if self.tokens[name_at].text == ">":  # explicit specialisation
            depth = 0
            while name_at > start:
                depth += {">": 1, "<": -1}.get(self.tokens[name_at].text, 0)
                name_at -= 1
                if depth == 0:
                    break
        token = self.tokens[name_at]
        name = token.text
        before = self.tokens[max(start, name_at - 1)].text if name_at > start else ""
        if before == "operator" or token.kind != "id":
            name = "operator" + name
        class_name = owner
        if before == "::" and name_at - 2 >= start:
            class_name = self.tokens[name_at - 2].text
        if name in NOT_NAMES:
            self.at = params_at + 1
            return
        quals = {t.text for t in self.tokens[start:name_at] if t.text in _FUNCTION_QUALS}
        close = self.pairs.get(params_at, self.limit)
        function = Function(
            name=name,
            start=token.start,
            end=token.end,
            quals=frozenset(quals),
            returns=self._returns(start, name_at),
            params=self.parameters(params_at + 1, close),
            templates=templates,
            bounds=bounds,
            bounds_span=bounds_span,
            bounds_macro=bounds_macro,
            owner=class_name,
            macro=token.macro,
        )
        last = close
        if body_at >= 0:
            self.at = body_at
            saved = self.limit
            try:
                function.body = self.block()
            except (IndexError, AssertionError, RecursionError):
                function.parsed = False
                function.body = []
            self.limit = saved
            last = self.pairs.get(body_at, len(self.tokens) - 1)
            self.at = last + 1
        function.span = (
            self.tokens[first].start,
            self.tokens[min(last, len(self.tokens) - 1)].end,
        )
        self.out.functions.append(function)

    def _returns(self, start: int, name_at: int) -> str:
        index = start
        keep: list[str] = []
        while index < name_at:
            token = self.tokens[index]
            if token.text in ATTRIBUTES or (
                index + 1 < name_at and token.kind == "id" and self.tokens[index + 1].text == "("
            ):
                index = self.pairs.get(index + 1, index) + 1
                continue
            if token.text not in QUALIFIERS:
                keep.append(token.text)
            index += 1
        return " ".join(keep)


def parse(tokens: list[Tok]) -> Declarations:
    """The declarations in preprocessed tokens. Never raises for bad input."""
    return FileParser(tokens).run()
