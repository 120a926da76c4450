"""Statements and declarations inside functions."""

from __future__ import annotations

from portgpu.lint.nodes import Expr, Stmt, Var, words
from portgpu.lint.parse_expr import ExprParser
from portgpu.lint.parse_type import (
    ATTRIBUTES,
    BUILTIN_TYPES,
    FUNDAMENTAL,
    NOT_NAMES,
    QUALIFIERS,
)

_DECL_START = QUALIFIERS | FUNDAMENTAL | {"auto", "unsigned", "signed"}
_AFTER_NAME = words("= ; , ( { [ : )") | {""}


class StmtParser(ExprParser):
    """Adds statements to expressions. Always makes progress, whatever the tokens are."""

    def block(self) -> list[Stmt]:
        """The statements of the `{...}` that starts here."""
        close = self.pairs.get(self.at, self.limit - 1)
        saved = self.limit
        self.at += 1
        self.limit = min(close, saved)
        found = []
        while self.at < self.limit:
            before = self.at
            found.append(self.statement())
            if self.at == before:
                self.at += 1
        self.limit = saved
        self.at = close + 1
        return found

    def stmt(self, kind: str, first: int) -> Stmt:
        last = max(first, min(self.at, len(self.tokens)) - 1)
        left, right = self.tokens[first], self.tokens[last]
        return Stmt(kind, min(left.start, right.start), max(left.end, right.end), macro=left.macro)

    def finish(self, node: Stmt) -> Stmt:
        last = self.tokens[max(0, min(self.at, len(self.tokens)) - 1)]
        node.end = max(node.end, last.end)
        return node

    def semicolon(self) -> None:
        """Step over the rest of a statement up to its `;`."""
        while self.at < self.limit and self.peek() != ";":
            if self.peek() == "{":  # something block-like that was not understood
                return
            self.at = self.pairs.get(self.at, self.at) + 1
        self.at += 1 if self.peek() == ";" else 0

    def statement(self) -> Stmt:
        first = self.at
        text = self.peek()
        handler = _HANDLERS.get(text)
        if handler is not None:
            node: Stmt = handler(self, first)
            return self.finish(node)
        if text == "#" or self.tokens[first].text == "#":
            self.at += 1
            return self.stmt("empty", first)
        if self.kind() == "id" and self.peek(1) == ":" and self.peek(2) != ":":
            self.at += 2
            node = self.stmt("label", first)
            node.text = text
            return node
        if text == "[" and self.peek(1) == "[":
            self.at = self.pairs.get(self.at, self.at) + 1
            return self.statement() if self.at < self.limit else self.stmt("empty", first)
        if self.is_declaration():
            return self.finish(self.declaration())
        node = self.stmt("expr", first)
        node.expr = self.expression()
        if self.peek() == "{" and node.expr.kind == "call":
            # A statement macro such as CUDA_KERNEL_LOOP(i, n) { … } whose definition is not here.
            node.kind = "for"
            node.text = "macro"
            node.cond, node.expr = node.expr, None
            node.body = self.block()
            return self.finish(node)
        self.semicolon()
        if self.peek() == "{" and self.tokens[self.at - 1].text != ";":
            node.body = self.block()
            node.kind = "block"
        return self.finish(node)

    # -- declarations ------------------------------------------------------------------------------
    def is_declaration(self) -> bool:
        token = self.tokens[self.at]
        if token.kind != "id" and token.text != "::":
            return False
        if token.text in NOT_NAMES:
            return False
        end = self.type_end(self.at)
        if token.text in ATTRIBUTES and token.text != "decltype":
            return end is not None and end < self.limit
        if end is None or end >= self.limit:
            return False
        following = self.tokens[end]
        after = self.tokens[end + 1].text if end + 1 < self.limit else ""
        sure = token.text in _DECL_START or token.text in BUILTIN_TYPES
        if following.kind == "id" and following.text not in ("and", "or"):
            if following.text in NOT_NAMES and following.text != "operator":
                return False
            if after not in _AFTER_NAME and not (sure and after in ("<", "::")):
                return False
            last = self.tokens[end - 1].text
            return sure or last not in ("*", "&", "&&") or after in ("=", ";", ",", "[", ")")
        if following.text == "[" and token.text in ("auto", "const", "static"):
            return True  # structured binding
        # `float (*p)[3]`, `int (&row)[N]`
        return bool(sure and following.text == "(" and after in ("*", "&"))

    def declaration(self, stop: str = ";") -> Stmt:
        """A declaration up to `;` (or up to `:` in a range-for)."""
        first = self.at
        node = self.stmt("decl", first)
        base_end = self.type_end(self.at) or self.at + 1
        quals = frozenset(t.text for t in self.tokens[first:base_end] if t.text in QUALIFIERS)
        type_end = base_end
        star_start = base_end
        while star_start > first and self.tokens[star_start - 1].text in (
            "*", "&", "&&", "const", "__restrict__", "__restrict", "volatile"
        ):  # fmt: skip
            star_start -= 1
        self.at = base_end
        base_first = first
        while True:
            var = self.declarator(base_first, star_start, type_end, quals)
            if var is None:
                break
            node.vars.append(var)
            if self.peek() != ",":
                break
            self.at += 1
            type_start = self.at
            while self.peek() in ("*", "&", "const", "__restrict__", "&&"):
                self.at += 1
            extra = self.at
            # Stars belong to one declarator only.
            type_end = star_start
            if extra > type_start:
                pass
        if stop == ";":
            self.semicolon()
        return self.finish(node)

    def declarator(
        self, base_first: int, star_start: int, type_end: int, quals: frozenset[str]
    ) -> Var | None:
        text = self.type_text_without_quals(base_first, type_end)
        if self.peek() == "[":  # structured binding
            close = self.pairs.get(self.at, self.at)
            names = [t for t in self.tokens[self.at + 1 : close] if t.kind == "id"]
            self.at = close + 1
            init = self.initializer()
            if not names:
                return None
            head = names[0]
            return Var(head.text, text, head.start, head.end, init=init, quals=quals)
        if self.peek() == "(":  # pointer or reference to array, function pointer
            close = self.pairs.get(self.at, self.at)
            names = [t for t in self.tokens[self.at + 1 : close] if t.kind == "id"]
            self.at = close + 1
            while self.peek() in ("[", "("):
                self.at = self.pairs.get(self.at, self.at) + 1
            init = self.initializer()
            if not names:
                return None
            head = names[-1]
            return Var(head.text, text + "(*)", head.start, head.end, init=init, quals=quals)
        if self.kind() != "id":
            return None
        token = self.tokens[self.at]
        self.at += 1
        var = Var(token.text, text, token.start, token.end, quals=quals, macro=token.macro)
        var.type_start = self.tokens[base_first].start
        var.type_end = self.tokens[max(base_first, star_start - 1)].end
        while self.peek() == "[":
            close = self.pairs.get(self.at, self.at)
            inner = self.within(self.at + 1, close)
            var.dims.append(inner[0] if inner else None)
            self.at = close + 1
        if self.peek() == ":" and self.kind(1) == "num":  # bit field
            self.at += 2
        var.init = self.initializer()
        return var

    def type_text_without_quals(self, first: int, end: int) -> str:
        keep = []
        index = first
        while index < end:
            text = self.tokens[index].text
            if text in ATTRIBUTES and text != "decltype":
                index = self.pairs.get(index + 1, index) + 1
                continue
            if text == "[":
                index = self.pairs.get(index, index) + 1
                continue
            if text not in QUALIFIERS:
                keep.append(text)
            index += 1
        out = ""
        for text in keep:
            wordy = out and (out[-1].isalnum() or out[-1] == "_")
            out += (" " if wordy and (text[0].isalnum() or text[0] == "_") else "") + text
        return out

    def initializer(self) -> Expr | None:
        text = self.peek()
        if text == "=":
            self.at += 1
            return self.init_list() if self.peek() == "{" else self.assignment()
        if text == "{":
            node = self.init_list()
            return node.args[0] if len(node.args) == 1 else node
        if text == "(":
            first = self.at
            close = self.pairs.get(self.at, self.at)
            args = self.within(self.at + 1, close)
            self.at = close + 1
            return args[0] if len(args) == 1 else self.make("init", "(", args, first)
        return None

    def parameters(self, first: int, limit: int) -> list[Var]:
        """Parameters in tokens `[first, limit)`; unnamed ones have an empty name."""
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        found = []
        while self.at < self.limit:
            start = self.at
            end = self.type_end(self.at)
            if end is None:
                while self.at < self.limit and self.peek() != ",":
                    self.at = self.pairs.get(self.at, self.at) + 1
                self.at += 1
                continue
            quals = frozenset(t.text for t in self.tokens[start:end] if t.text in QUALIFIERS)
            self.at = end
            var = None
            if self.kind() == "id" or self.peek() == "(":
                var = self.declarator(start, end, end, quals)
            if var is None:
                text = self.type_text_without_quals(start, end)
                place = self.tokens[start]
                var = Var("", text, place.start, place.end, quals=quals)
                var.init = self.initializer()
            found.append(var)
            while self.at < self.limit and self.peek() != ",":
                self.at = self.pairs.get(self.at, self.at) + 1
            self.at += 1
        self.at, self.limit = saved
        return found

    # -- statements that start with a keyword ----------------------------------------------------
    def _compound(self, first: int) -> Stmt:
        node = self.stmt("block", first)
        node.body = self.block()
        return node

    def _empty(self, first: int) -> Stmt:
        self.at += 1
        return self.stmt("empty", first)

    def _nested(self) -> list[Stmt]:
        return [self.statement()] if self.at < self.limit else []

    def _if(self, first: int) -> Stmt:
        node = self.stmt("if", first)
        self.at += 1
        if self.peek() == "constexpr":
            node.static = True
            self.at += 1
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            self._condition(node, self.at + 1, close)
            self.at = close + 1
        node.body = self._nested()
        if self.peek() == "else":
            self.at += 1
            node.orelse = self._nested()
        return node

    def _condition(self, node: Stmt, first: int, limit: int) -> None:
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        if self.at < limit and self.is_declaration():
            declared = self.declaration()
            node.init = [declared]
            if self.at < limit:
                node.cond = self.expression()
            elif declared.vars and declared.vars[0].init is not None:
                node.cond = declared.vars[0].init
        elif self.at < limit:
            node.cond = self.expression()
            if self.peek() == ";":
                self.at += 1
                node.cond = self.expression()
        self.at, self.limit = saved

    def _for(self, first: int) -> Stmt:
        node = self.stmt("for", first)
        self.at += 1
        if self.peek() != "(":
            return node
        close = self.pairs.get(self.at, self.limit - 1)
        saved = self.limit
        self.at += 1
        self.limit = min(close, saved)
        if self.peek() == ";":
            self.at += 1
        elif self.at < self.limit and self.is_declaration():
            node.init = [self.declaration(stop="")]
            if self.peek() == ":":
                self.at += 1
                node.text = "range"
                node.expr = self.expression()
                self.at = self.limit
            self.at += 1
        elif self.at < self.limit:
            start = self.at
            init = self.stmt("expr", start)
            init.expr = self.expression()
            node.init = [init]
            self.at += 1
        if node.text != "range":
            if self.at < self.limit and self.peek() != ";":
                node.cond = self.expression()
            while self.at < self.limit and self.peek() != ";":
                self.at += 1
            self.at += 1
            if self.at < self.limit:
                node.step = self.expression()
        self.limit = saved
        self.at = close + 1
        node.body = self._nested()
        return node

    def _while(self, first: int) -> Stmt:
        node = self.stmt("while", first)
        self.at += 1
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            self._condition(node, self.at + 1, close)
            self.at = close + 1
        node.body = self._nested()
        return node

    def _switch(self, first: int) -> Stmt:
        node = self._while(first)
        node.kind = "switch"
        return node

    def _do(self, first: int) -> Stmt:
        node = self.stmt("do", first)
        self.at += 1
        node.body = self._nested()
        if self.peek() == "while":
            self.at += 1
            if self.peek() == "(":
                close = self.pairs.get(self.at, self.limit - 1)
                self._condition(node, self.at + 1, close)
                self.at = close + 1
            self.semicolon()
        return node

    def _case(self, first: int) -> Stmt:
        node = self.stmt("case", first)
        self.at += 1
        colon = self.at
        while colon < self.limit and self.tokens[colon].text != ":":
            colon = self.pairs.get(colon, colon) + 1
        if colon > self.at:
            node.expr = self.within_comma(self.at, min(colon, self.limit))
        self.at = colon + 1
        return node

    def _jump(self, first: int) -> Stmt:
        node = self.stmt(self.peek(), first)
        self.at += 1
        if self.at < self.limit and self.peek() != ";":
            if node.kind == "goto":
                node.text = self.peek()
            else:
                node.expr = self.init_list() if self.peek() == "{" else self.expression()
        self.semicolon()
        return node

    def _asm(self, first: int) -> Stmt:
        node = self.stmt("asm", first)
        self.at += 1
        while self.peek() in ("volatile", "__volatile__", "goto"):
            self.at += 1
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            inside = self.tokens[self.at + 1 : close]
            texts = []
            for token in inside:
                if token.kind != "str":
                    break
                texts.append(token.text.strip('"'))
            node.text = "".join(texts)
            node.expr = self._asm_operands(self.at + 1, close)
            self.at = close + 1
        self.semicolon()
        return node

    def _asm_operands(self, first: int, close: int) -> Expr:
        """The expressions in `"constraint"(expr)` pairs; outputs (`=`, `+`) are assignments."""
        saved = self.at
        self.at = close
        node = self.make("init", "asm", [], first)
        index = first
        while index < close:
            token = self.tokens[index]
            if token.kind == "str" and index + 1 < close and self.tokens[index + 1].text == "(":
                end = self.pairs.get(index + 1, close)
                operand = self.within_comma(index + 2, end)
                if token.text.strip('"')[:1] in ("=", "+"):
                    operand = Expr("assign", "asm", [operand, operand], operand.start, operand.end)
                node.args.append(operand)
                index = end
            index += 1
        self.at = saved
        return node

    def _skip(self, first: int) -> Stmt:
        self.at += 1
        self.semicolon()
        return self.stmt("empty", first)

    def _static_assert(self, first: int) -> Stmt:
        self.at += 1
        node = self.stmt("assert", first)
        if self.peek() == "(":
            inside = self.within(self.at + 1, self.pairs.get(self.at, self.at + 1))
            node.expr = inside[0] if inside else None
        self.semicolon()
        return node

    def _try(self, first: int) -> Stmt:
        node = self.stmt("block", first)
        self.at += 1
        if self.peek() == "(":  # catch
            self.at = self.pairs.get(self.at, self.at) + 1
        if self.peek() == "{":
            node.body = self.block()
        return node


_HANDLERS = {
    "{": StmtParser._compound,
    ";": StmtParser._empty,
    "if": StmtParser._if,
    "for": StmtParser._for,
    "while": StmtParser._while,
    "switch": StmtParser._switch,
    "do": StmtParser._do,
    "case": StmtParser._case,
    "default": StmtParser._case,
    "return": StmtParser._jump,
    "break": StmtParser._jump,
    "continue": StmtParser._jump,
    "goto": StmtParser._jump,
    "asm": StmtParser._asm,
    "__asm__": StmtParser._asm,
    "__asm": StmtParser._asm,
    "using": StmtParser._skip,
    "typedef": StmtParser._skip,
    "static_assert": StmtParser._static_assert,
    "try": StmtParser._try,
    "catch": StmtParser._try,
}
