"""Values of `#if` expressions, as far as they can be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portgpu.lint.nodes import Tok

if TYPE_CHECKING:
    from portgpu.lint.preprocess import Preprocessor

_BINARY = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip


class Condition:
    """Evaluates a `#if` expression with unknown values as None."""

    def __init__(self, owner: Preprocessor, tokens: list[Tok], depth: int = 0) -> None:
        self.owner = owner
        self.depth = depth
        self.tokens: list[str] = []
        for token in tokens:
            # The lexer never joins ">", so ">=" and ">>" arrive in pieces.
            if token.glued and self.tokens:
                self.tokens[-1] += token.text
            else:
                self.tokens.append(token.text)
        self.at = 0

    def run(self) -> int | None:
        value = self.ternary()
        return value if self.at >= len(self.tokens) else None

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def ternary(self) -> int | None:
        value = self.binary(1)
        if self.peek() != "?":
            return value
        self.at += 1
        yes = self.ternary()
        self.at += 1
        no = self.ternary()
        return None if value is None else (yes if value else no)

    def binary(self, least: int) -> int | None:
        left = self.unary()
        while _BINARY.get(self.peek(), 0) >= least:
            operator = self.peek()
            self.at += 1
            right = self.binary(_BINARY[operator] + 1)
            left = _apply(operator, left, right)
        return left

    def unary(self) -> int | None:
        text = self.tokens[self.at]
        self.at += 1
        if text == "(":
            value = self.ternary()
            self.at += 1
            return value
        if text in ("!", "-", "+", "~"):
            value = self.unary()
            if value is None:
                return None
            return {"!": int(not value), "-": -value, "+": value, "~": ~value}[text]
        if text == "defined":
            parenthesised = self.peek() == "("
            self.at += 1 if parenthesised else 0
            known = self.owner.defined(self.tokens[self.at])
            self.at += 2 if parenthesised else 1
            return None if known is None else int(known)
        if text[0].isdigit():
            return int(text.rstrip("uUlL").replace("'", ""), 0)
        return self.name(text)

    def name(self, text: str) -> int | None:
        if self.peek() == "(":  # __has_include and function-like macros
            depth = 0
            while self.at < len(self.tokens):
                depth += {"(": 1, ")": -1}.get(self.tokens[self.at], 0)
                self.at += 1
                if not depth:
                    break
            return None
        if text in ("true", "false"):
            return int(text == "true")
        macro = self.owner.macros.get(text)
        if macro and macro.params is None and self.depth < 8:
            if not macro.body:
                return None
            return Condition(self.owner, macro.body, self.depth + 1).run()
        value = self.owner.value(text)
        if value is not None:
            return value
        return 0 if self.owner.defined(text) is False else None


def _apply(operator: str, left: int | None, right: int | None) -> int | None:
    if operator == "&&":
        if left == 0 or right == 0:
            return 0
        return None if left is None or right is None else 1
    if operator == "||":
        if left or right:
            return 1
        return None if left is None or right is None else 0
    if left is None or right is None:
        return None
    if operator in ("/", "%"):
        return left // right if operator == "/" else left % right
    table = {
        "|": left | right, "^": left ^ right, "&": left & right, "==": int(left == right),
        "!=": int(left != right), "<": int(left < right), ">": int(left > right),
        "<=": int(left <= right), ">=": int(left >= right), "+": left + right,
        "-": left - right, "*": left * right,
    }  # fmt: skip
    if operator in table:
        return table[operator]
    return left << min(right, 64) if operator == "<<" else left >> min(right, 64)
