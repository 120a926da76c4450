"""Which code the preprocessor excludes, as far as conditions on known macros tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from portgpu.source.syntax import Directive, Source

_ALWAYS = {
    b"__CUDACC__": b"1",
    b"__NVCC__": b"1",
    b"__CUDA__": b"1",
    b"__linux__": b"1",
    b"__x86_64__": b"1",
    b"__cplusplus": b"201703",
}
# Macros of CUDA's headers and compilers: what they are worth is not known here.
_UNCLEAR = re.compile(
    rb"CUD\w*VERSION\w*|__CUDACC_VER\w*|__GNUC\w*|__clang\w*|\w+_VERSION\w*|__has_\w+"
)
_NUMBER = re.compile(rb"(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)(?:[uUlLzZ]*)\Z")
_DEEPEST = 32  # brackets in each other that are evaluated
_LEVELS: tuple[dict[bytes, Callable[[int, int], int]], ...] = (
    {b"||": lambda a, b: int(bool(a) or bool(b))},
    {b"&&": lambda a, b: int(bool(a) and bool(b))},
    {b"|": lambda a, b: a | b},
    {b"^": lambda a, b: a ^ b},
    {b"&": lambda a, b: a & b},
    {b"==": lambda a, b: int(a == b), b"!=": lambda a, b: int(a != b)},
    {
        b"<": lambda a, b: int(a < b),
        b">": lambda a, b: int(a > b),
        b"<=": lambda a, b: int(a <= b),
        b">=": lambda a, b: int(a >= b),
    },
    {b"<<": lambda a, b: a << min(max(b, 0), 64), b">>": lambda a, b: a >> min(max(b, 0), 64)},
    {b"+": lambda a, b: a + b, b"-": lambda a, b: a - b},
    {
        b"*": lambda a, b: a * b,
        b"/": lambda a, b: a // b if b else 0,
        b"%": lambda a, b: a % b if b else 0,
    },
)


def excluded(source: Source, defined: Mapping[bytes, bytes]) -> Iterator[int]:
    """Indices of code tokens in blocks that are surely skipped (unclear ones are not).

    `defined` holds macros and their values; a macro that neither it nor the file defines is
    undefined, but for those that CUDA's headers and the compiler bring.
    """
    known = {**_ALWAYS, **defined}
    # Each level: (is this branch taken or unclear?, has a branch been taken for sure?)
    stack: list[tuple[bool, bool]] = []
    position = 0
    for d in source.directives:
        if any(not live for live, _ in stack):
            yield from range(position, d.first)
        position = d.last + 1
        live = all(level for level, _ in stack)
        if d.name in (b"if", b"ifdef", b"ifndef"):
            value = _value(source, d, known)
            stack.append((value is not False, value is True))
        elif d.name in (b"elif", b"elifdef", b"elifndef", b"else") and stack:
            _, done = stack[-1]
            value = True if d.name == b"else" else _value(source, d, known)
            stack[-1] = (not done and value is not False, done or value is True)
        elif d.name == b"endif" and stack:
            stack.pop()
        elif d.name == b"define" and live:
            known[source.word(d.first + 2)] = b"".join(source.text[d.first + 3 : d.last + 1])
        elif d.name == b"undef" and live:
            known.pop(source.word(d.first + 2), None)
        elif not live:
            yield from range(d.first, d.last + 1)


def _value(source: Source, d: Directive, known: Mapping[bytes, bytes]) -> bool | None:
    """The condition's value; None when it cannot be known."""
    words = source.text[d.first + 2 : d.last + 1]
    if d.name.endswith(b"def"):
        if not words or (words[0] not in known and _UNCLEAR.fullmatch(words[0])):
            return None
        return (words[0] in known) != d.name.endswith(b"ndef")
    value = _Expression(words, known).value()
    return None if value is None else bool(value)


class _Expression:
    """A `#if` expression over integers; anything else makes it unclear."""

    def __init__(self, words: list[bytes], known: Mapping[bytes, bytes], depth: int = 0) -> None:
        self._words = words
        self._known = known
        self._at = 0
        self._nested = 0
        self._depth = depth

    def value(self) -> int | None:
        found = self._level(0)
        return found if self._at == len(self._words) else None

    def _next(self) -> bytes:
        self._at += 1
        return self._words[self._at - 1] if self._at <= len(self._words) else b""

    def _peek(self) -> bytes:
        word = self._words[self._at] if self._at < len(self._words) else b""
        # The lexer gives ">" alone.
        following = self._words[self._at + 1] if self._at + 1 < len(self._words) else b""
        if word == b">" and following in (b"=", b">"):
            self._words[self._at : self._at + 2] = [word + following]
            return word + following
        return word

    def _level(self, level: int) -> int | None:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while (operator := self._peek()) in _LEVELS[level]:
            self._next()
            right = self._level(level + 1)
            if left is None or right is None:
                # "0 && x" and "1 || x" are clear whatever x is.
                sure = left if left is not None else right
                decides = sure is not None and (
                    (operator == b"&&" and not sure) or (operator == b"||" and bool(sure))
                )
                left = int(operator == b"||") if decides else None
            else:
                left = _LEVELS[level][operator](left, right)
        return left

    def _unary(self) -> int | None:
        if self._nested == _DEEPEST:
            return None
        self._nested += 1
        found = self._operand()
        self._nested -= 1
        return found

    def _operand(self) -> int | None:
        word = self._next()
        if word == b"!":
            inner = self._unary()
            return None if inner is None else int(not inner)
        if word == b"-":
            inner = self._unary()
            return None if inner is None else -inner
        if word == b"(":
            inner = self._level(0)
            return inner if self._next() == b")" else None
        if word == b"defined":
            wrapped = self._peek() == b"("
            name = (self._next(), self._next())[1] if wrapped else self._next()
            if wrapped and self._next() != b")":
                return None
            unclear = name not in self._known and _UNCLEAR.fullmatch(name)
            return None if unclear else int(name in self._known)
        if _NUMBER.match(word):
            digits = word.rstrip(b"uUlLzZ").replace(b"'", b"")
            octal = len(digits) > 1 and digits.startswith(b"0") and digits.isdigit()
            try:
                return int(digits, 8 if octal else 0)
            except ValueError:
                return None
        if word in (b"true", b"false"):
            return int(word == b"true")
        if word in self._known:
            text = self._known[word]
            if self._depth > 20 or not _NUMBER.match(text):
                inner_words = [text] if re.fullmatch(rb"[A-Za-z_]\w*", text) else []
                if self._depth > 20 or not inner_words:
                    return None
                return _Expression(inner_words, self._known, self._depth + 1).value()
            return _Expression([text], self._known, self._depth + 1).value()
        if re.fullmatch(rb"[A-Za-z_]\w*", word) and self._peek() != b"(":
            return None if _UNCLEAR.fullmatch(word) else 0
        return None
