"""Expressions from tokens, by precedence climbing."""

from __future__ import annotations

from portgpu.lint.nodes import Expr, Stmt, Var, words
from portgpu.lint.parse_type import BUILTIN_TYPES, FUNDAMENTAL, OPENING, TypeParser

_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<=>": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, ".*": 11, "->*": 11,
    "and": 2, "or": 1,
}  # fmt: skip
_ASSIGN = words("= += -= *= /= %= &= |= ^= <<= >>=")
_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"])


class ExprParser(TypeParser):
    """Reads expressions from `tokens` at `at`, never beyond `limit`."""

    def within(self, first: int, limit: int) -> list[Expr]:
        """Comma-separated expressions in tokens `[first, limit)`."""
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        found = []
        while self.at < self.limit:
            before = self.at
            found.append(self.assignment())
            if self.peek() == ",":
                self.at += 1
            elif self.at < self.limit:
                found[-1] = self.skip_raw(found[-1], before)
            if self.at == before:
                self.at += 1
        self.at, self.limit = saved
        return found

    def skip_raw(self, known: Expr, first: int) -> Expr:
        """Step over what is not understood up to the next comma; keeps what was."""
        while self.at < self.limit and self.peek() != ",":
            self.at = self.pairs.get(self.at, self.at) + 1
        node = self.make("raw", "", [known], first)
        if self.peek() == ",":
            self.at += 1
        return node

    # -- expressions -----------------------------------------------------------------------------
    def expression(self) -> Expr:
        first = self.at
        left = self.assignment()
        while self.peek() == ",":
            self.at += 1
            right = self.assignment()
            left = self.make("binary", ",", [left, right], first)
        return left

    def assignment(self) -> Expr:
        first = self.at
        left = self.conditional()
        operator = self.peek()
        if operator == ">" and self.adjacent_greater() == ">>=":
            operator = ">>="
            self.at += 2
        if operator in _ASSIGN:
            self.at += 1
            right = self.init_list() if self.peek() == "{" else self.assignment()
            return self.make("assign", operator, [left, right], first)
        return left

    def conditional(self) -> Expr:
        first = self.at
        test = self.binary(1)
        if self.peek() != "?":
            return test
        self.at += 1
        yes = self.expression()
        if self.peek() == ":":
            self.at += 1
        no = self.assignment()
        return self.make("cond", "?", [test, yes, no], first)

    def binary(self, least: int) -> Expr:
        first = self.at
        left = self.unary()
        while True:
            operator = self.peek()
            width = 1
            if operator == ">":
                operator = self.adjacent_greater()
                width = len(operator)
                if operator == ">>>":
                    return left
            if operator == "<" and self.peek(1) == "=":  # only from macro pastes
                return left
            level = _PRECEDENCE.get(operator, 0)
            if level < least or not level:
                return left
            self.at += width
            right = self.binary(level + 1)
            left = self.make("binary", operator, [left, right], first)

    def unary(self) -> Expr:
        first = self.at
        text = self.peek()
        if text in ("-", "+", "!", "~", "*", "&", "++", "--", "&&", "not"):
            self.at += 1
            return self.make("unary", text, [self.unary()], first)
        if text == "sizeof" or text == "alignof":
            return self.sizeof()
        if text == "new" or (text == "::" and self.peek(1) == "new"):
            return self.new()
        if text in ("delete", "throw", "co_await"):
            self.at += 1
            if self.peek() == "[":
                self.at = self.pairs.get(self.at, self.at) + 1
            operand = [self.assignment()] if self.at < self.limit and self.peek() != ";" else []
            return self.make("unary", text, operand, first)
        if text == "(":
            cast = self.cast_end()
            if cast is not None:
                type_text = self.type_text(first + 1, cast)
                self.at = cast + 1
                operand_node = self.unary()
                return self.make("cast", type_text, [operand_node], first)
        return self.postfix(self.primary(), first)

    def cast_end(self) -> int | None:
        """Index of the `)` when `(` here opens a cast."""
        close = self.pairs.get(self.at)
        if close is None or close + 1 >= self.limit or close == self.at + 1:
            return None
        end = self.type_end(self.at + 1)
        if end != close:
            return None
        following = self.tokens[close + 1]
        inside = self.tokens[self.at + 1 : close]
        sure = inside[-1].text in ("*", "&", "const") or any(
            t.text in BUILTIN_TYPES or t.text in ("unsigned", "signed") for t in inside
        )
        if following.kind in ("num", "str", "char"):
            return close
        if following.kind == "id" and following.text not in ("and", "or"):
            return close
        if sure and following.text in ("(", "-", "+", "!", "~", "*", "&", "::", "{", "++", "--"):
            return close
        if following.text in ("~", "!"):
            return close
        # `(T)(x)`: a lone name in parentheses before parentheses is a cast, not a call.
        if following.text == "(" and all(t.kind == "id" or t.text == "::" for t in inside):
            name = inside[-1].text
            return close if name.endswith("_t") or name[:1].isupper() else None
        return None

    def sizeof(self) -> Expr:
        first = self.at
        name = self.peek()
        self.at += 1
        if self.peek() == "...":
            self.at += 1
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.at)
            inner = self.at + 1
            if self.type_end(inner) == close:
                text = self.type_text(inner, close)
                self.at = close + 1
                node = self.make("sizeof", text, [], first)
                node.arrow = name == "alignof"
                return node
            args = self.within(inner, close)
            self.at = close + 1
            return self.make("sizeof", "", args, first)
        return self.make("sizeof", "", [self.unary()], first)

    def new(self) -> Expr:
        first = self.at
        while self.peek() in ("::", "new"):
            self.at += 1
        args: list[Expr] = []
        if self.peek() == "(":
            self.at = self.pairs.get(self.at, self.at) + 1
        start = self.at
        self.at = self.type_end(self.at) or self.at + 1
        text = self.type_text(start, self.at)
        while self.peek() in ("[", "(", "{"):
            close = self.pairs.get(self.at, self.at)
            args += self.within(self.at + 1, close)
            self.at = close + 1
        return self.make("new", text, args, first)

    def init_list(self) -> Expr:
        first = self.at
        close = self.pairs.get(self.at, self.limit - 1)
        args = self.within(self.at + 1, close)
        self.at = close + 1
        return self.make("init", "", args, first)

    def primary(self) -> Expr:
        first = self.at
        if self.at >= self.limit:
            anchor = max(0, min(self.at, len(self.tokens)) - 1)
            end = self.tokens[anchor].end if self.tokens else 0
            return Expr("raw", "", [], end, end)
        token = self.tokens[self.at]
        text = token.text
        if token.kind in ("num", "str", "char"):
            self.at += 1
            while token.kind == "str" and self.kind() == "str":
                text += self.peek()
                self.at += 1
            if self.kind() == "id" and self.peek().startswith("_") and token.kind != "num":
                self.at += 1
            return self.make(token.kind, text, [], first)
        if text == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            inner = self.within_comma(self.at + 1, close)
            self.at = close + 1
            inner.start, inner.end = (
                min(inner.start, token.start),
                max(inner.end, self.tokens[close].end),
            )
            return inner
        if text == "{":
            return self.init_list()
        if text == "[":
            return self.lambda_()
        if text in _CASTS and self.peek(1) == "<":
            angle = self.angle_end(self.at + 1, strict=False)
            if angle is not None and angle < self.limit and self.tokens[angle].text == "(":
                type_text = self.type_text(self.at + 2, angle - 1)
                behind = self.pairs.get(angle, angle)
                inner = self.within_comma(angle + 1, behind)
                self.at = behind + 1
                return self.make("cast", type_text, [inner], first)
        if token.kind == "id" or text == "::":
            return self.name()
        self.at += 1
        return self.make("raw", text, [], first)

    def within_comma(self, first: int, limit: int) -> Expr:
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        node = self.expression() if first < limit else self.make("raw", "", [], max(first - 1, 0))
        if self.at < limit:
            self.at = limit
            node = self.make("raw", "", [node], first)
        self.at, self.limit = saved
        return node

    def name(self) -> Expr:
        first = self.at
        text = ""
        targs: list[Expr] = []
        # Functional casts of fundamental types: `unsigned(x)`, `long long(x)`.
        if self.peek() in FUNDAMENTAL:
            while self.peek() in FUNDAMENTAL:
                text += (" " if text else "") + self.peek()
                self.at += 1
            if self.peek() in ("(", "{"):
                close = self.pairs.get(self.at, self.limit - 1)
                args = self.within(self.at + 1, close)
                self.at = close + 1
                return self.make("cast", text, args[:1], first)
            while self.peek() in ("*", "const", "&"):  # a type as template argument
                text += self.peek()
                self.at += 1
            return self.make("name", text, [], first)
        while self.at < self.limit:
            if self.peek() == "::":
                text += "::"
                self.at += 1
                while self.peek() in ("template", "~"):
                    self.at += 1
            if self.kind() != "id":
                break
            if self.peek() == "operator":
                text += "operator"
                self.at += 1
                while self.at < self.limit and self.peek() != "(":
                    self.at += 1
                break
            if self.peek() in ("const", "typename", "struct") and not text:
                self.at += 1
                continue
            text += self.peek()
            self.at += 1
            if self.peek() == "<" and text not in ("true", "false"):
                end = self.angle_end(self.at)
                if end is not None:
                    targs = self.within(self.at + 1, end - 1)
                    self.at = end
            if self.peek() != "::":
                break
        if self.at == first:
            self.at += 1
        node = self.make("name", text, [], first)
        node.targs = targs
        return node

    def postfix(self, node: Expr, first: int) -> Expr:
        while self.at < self.limit:
            text = self.peek()
            if text == "(":
                close = self.pairs.get(self.at, self.limit - 1)
                args = self.within(self.at + 1, close)
                self.at = close + 1
                node = self.make("call", "", [node, *args], first)
            elif text == "<<<" and node.kind in ("name", "member", "unary"):
                node = self.launch(node, first)
            elif text == "[":
                close = self.pairs.get(self.at, self.limit - 1)
                index = self.within_comma(self.at + 1, close)
                self.at = close + 1
                node = self.make("index", "", [node, index], first)
            elif text in (".", "->"):
                self.at += 1
                while self.peek() in ("template", "~"):
                    self.at += 1
                member = self.peek()
                self.at += 1
                targs: list[Expr] = []
                if self.peek() == "<":
                    end = self.angle_end(self.at)
                    if end is not None and end < self.limit and self.tokens[end].text == "(":
                        targs = self.within(self.at + 1, end - 1)
                        self.at = end
                node = self.make("member", member, [node], first)
                node.arrow = text == "->"
                node.targs = targs
            elif text in ("++", "--"):
                self.at += 1
                node = self.make("post", text, [node], first)
            elif text == "{" and node.kind == "name" and self.braces_construct():
                init = self.init_list()
                node = self.make("call", "", [node, *init.args], first)
            elif text == "..." and self.peek(1) in (",", ")", ">", "}", ""):
                self.at += 1
            else:
                break
        return node

    def braces_construct(self) -> bool:
        """Whether `name {` constructs a value; a block follows only at statement level."""
        close = self.pairs.get(self.at)
        if close is None or close >= self.limit:
            return False
        return not any(t.text == ";" for t in self.tokens[self.at : close])

    def launch(self, callee: Expr, first: int) -> Expr:
        opener = self.at
        index = opener + 1
        while index < self.limit:
            text = self.tokens[index].text
            if text in OPENING:
                index = self.pairs.get(index, index)
            elif text == ">" and [t.text for t in self.tokens[index : index + 3]] == [">"] * 3:
                # `f<g<1>>>>` closes two template lists first.
                while index + 3 < self.limit and self.tokens[index + 3].text == ">":
                    index += 1
                break
            index += 1
        config = self.within(opener + 1, min(index, self.limit))
        self.at = min(index + 3, self.limit)
        node = self.make("init", "", config, opener)
        args: list[Expr] = []
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            args = self.within(self.at + 1, close)
            self.at = close + 1
        return self.make("launch", "", [callee, node, *args], first)

    def lambda_(self) -> Expr:
        first = self.at
        self.at = self.pairs.get(self.at, self.at) + 1
        params: list[Var] = []
        while self.at < self.limit and self.peek() not in ("(", "{"):
            if self.peek() in ("mutable", "constexpr", "__device__", "__host__", "noexcept"):
                self.at += 1
            else:
                break
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            params = self.parameters(self.at + 1, close)
            self.at = close + 1
        quals = set()
        while self.at < self.limit and self.peek() not in ("{", ";", ",", ")"):
            quals.add(self.peek())
            self.at += 1
        quals |= {t.text for t in self.tokens[first : self.at]}
        body: list[Stmt] = []
        if self.peek() == "{":
            body = self.block()
        node = self.make("lambda", "__device__" if "__device__" in quals else "", [], first)
        node.body = body
        node.params = params
        return node

    # -- given by the statement parser -------------------------------------------------------------
    def block(self) -> list[Stmt]:
        raise NotImplementedError

    def parameters(self, first: int, limit: int) -> list[Var]:
        raise NotImplementedError
