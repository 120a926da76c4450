"""A file's tokens with what rules need around them: code tokens, names, brackets, directives."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from portgpu.source.lexer import GAP, Kind, Token, has_newline, spell, tokenize
from portgpu.source.lines import LineIndex

_OPEN = {b"(": b")", b"[": b"]", b"{": b"}", b"<%": b"%>", b"<:": b":>"}
_CLOSE = {b")", b"]", b"}", b"%>", b":>"}
_SPACED_LAUNCH = re.compile(rb"<<[ \t\r\n]+<(?!<)")
_SPLICED = re.compile(rb"\\[ \t]+[\r\n]")
_BRACKETS = _OPEN.keys() | _CLOSE
_INCLUDE = re.compile(rb"#" + GAP + rb"(\w+)" + GAP + rb"([<\"])([^>\"]*)")


@dataclass(frozen=True, slots=True)
class Directive:
    """A preprocessor directive. `first`/`last` index `Source.code` ("#" and its last token)."""

    name: bytes  # b"if", b"define", ...; b"" for a lone "#"
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Include:
    """`#include <name>` or `"name"`; `start`/`end` span the name with its quotes or brackets."""

    name: str
    quoted: bool
    start: int
    end: int
    index: int  # of its token in `Source.code`


class Source:
    """One file. `code` holds all tokens but comments; `text[i]` is the spelling of `code[i]`."""

    def __init__(self, data: bytes, path: str = "<stdin>") -> None:
        self.data = data
        self.path = path
        self.tokens: list[Token] = tokenize(data)
        comment = int(Kind.COMMENT)
        self.code: list[Token] = [t for t in self.tokens if t[0] != comment]
        if b"\\\n" in data or b"\\\r" in data or _SPLICED.search(data):
            self.text = [spell(data, t) for t in self.code]
        else:
            self.text = [data[start:end] for _, start, end in self.code]
        if _SPACED_LAUNCH.search(data):
            self._join_launches()

    def _join_launches(self) -> None:
        """`k<< <g, b>> >(a)`, as formatters leave it: nvcc takes "<< <" for "<<<"."""
        for i in range(len(self.text) - 2, 0, -1):
            if self.text[i : i + 2] != [b"<<", b"<"] or self.text[i - 1] == b"operator":
                continue
            start, end = self.code[i].start, self.code[i + 1].end
            if self.data[start:end].split() == [b"<<", b"<"]:
                self.code[i : i + 2] = [Token(Kind.PUNCT, start, end)]
                self.text[i : i + 2] = [b"<<<"]

    @functools.cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.data)

    @functools.cached_property
    def places(self) -> dict[bytes, list[int]]:
        """Indices of every spelling in `text`, in order."""
        found: dict[bytes, list[int]] = {}
        for i, word in enumerate(self.text):
            found.setdefault(word, []).append(i)
        return found

    @functools.cached_property
    def comments(self) -> list[Token]:
        return [t for t in self.tokens if t[0] == Kind.COMMENT]

    @functools.cached_property
    def match(self) -> dict[int, int]:
        """Index of the partner of every bracket of `code` that has one, both ways.

        Brackets inside one directive match only each other, so that macro bodies cannot unbalance
        the code around them.
        """
        pairs: dict[int, int] = {}
        outer: list[tuple[int, bytes]] = []
        inner: list[tuple[int, bytes]] = []
        directives = iter(self.directives)
        directive = next(directives, None)
        current: Directive | None = None
        punct = int(Kind.PUNCT)
        for i in [i for i, word in enumerate(self.text) if word in _BRACKETS]:
            if self.code[i][0] != punct:
                continue
            while directive is not None and directive.last < i:
                directive = next(directives, None)
            stack = outer
            if directive is not None and directive.first <= i:
                if directive is not current:
                    current, inner = directive, []
                stack = inner
            word = self.text[i]
            if word in _OPEN:
                stack.append((i, _OPEN[word]))
                continue
            # An opener that is missing its partner is dropped, not allowed to shift the rest.
            for depth in range(len(stack) - 1, max(-1, len(stack) - 4), -1):
                if stack[depth][1] == word:
                    pairs[stack[depth][0]], pairs[i] = i, stack[depth][0]
                    del stack[depth:]
                    break
        return pairs

    @functools.cached_property
    def _around(self) -> list[int]:
        """For every code token the innermost bracket that is open there, or -1."""
        around: list[int] = []
        still_open = [-1]
        for i in sorted(self.match):
            around += [still_open[-1]] * (i - len(around))
            opens = self.match[i] > i
            if not opens:
                still_open.pop()
            around.append(still_open[-1])
            if opens:
                still_open.append(i)
        around += [-1] * (len(self.code) - len(around))
        return around

    def enclosing(self, i: int) -> int | None:
        """Index of the innermost bracket that is open at `i`."""
        found = self._around[i] if 0 <= i < len(self.code) else -1
        return found if found >= 0 else None

    @functools.cached_property
    def directives(self) -> list[Directive]:
        """All directives, includes too, in order."""
        found: list[Directive] = []
        heads = (int(Kind.HASH), int(Kind.INCLUDE))
        last, n = -1, len(self.code)
        for i in [i for i, token in enumerate(self.code) if token[0] in heads]:
            if i <= last or not self.starts_line(i):
                continue
            last = i
            while last + 1 < n and not self.line_break(last):
                last += 1
            if self.code[i][0] == Kind.INCLUDE:
                name = b"include"
            else:
                name = self.text[i + 1] if last > i else b""
            found.append(Directive(name, i, last))
        return found

    def directive_at(self, i: int) -> Directive | None:
        """The directive that `code[i]` belongs to."""
        k = bisect.bisect_right(self.directives, i, key=lambda d: d.first) - 1
        return self.directives[k] if k >= 0 and i <= self.directives[k].last else None

    @functools.cached_property
    def directive_ends(self) -> frozenset[int]:
        """Indices of the last tokens of directives: what follows does not belong to them."""
        return frozenset(d.last for d in self.directives)

    def before(self, i: int) -> bytes:
        """`text[i - 1]`, or b"" where `code[i]` begins the file or follows a directive."""
        return b"" if i - 1 in self.directive_ends else self.word(i - 1)

    @functools.cached_property
    def conditional(self) -> set[int]:
        """`first` of every directive that lies in an `#if`, an include guard aside."""
        found: set[int] = set()
        depth = 0
        code = [d for d in self.directives if d.name != b"pragma"]
        guarded = (
            len(code) > 1
            and code[0].name == b"ifndef"
            and code[1].name == b"define"
            and self.word(code[0].first + 2) == self.word(code[1].first + 2)
        )
        for d in code:
            if d.name == b"endif":
                depth -= 1
            if depth > int(guarded):
                found.add(d.first)
            if d.name in (b"if", b"ifdef", b"ifndef"):
                depth += 1
        return found

    @functools.cached_property
    def includes(self) -> list[Include]:
        """The includes whose name is spelt out (not a macro)."""
        found = []
        kind = int(Kind.INCLUDE)
        for i in [i for i, token in enumerate(self.code) if token[0] == kind]:
            token = self.code[i]
            m = _INCLUDE.match(self.data, token.start)
            assert m is not None  # the lexer matched the same shape
            name = m.group(3).decode("utf-8", "surrogateescape")
            found.append(Include(name, m.group(2) == b'"', m.start(2), token.end, i))
        return found

    def line_break(self, i: int) -> bool:
        """Whether the logical line ends between `code[i]` and `code[i + 1]`."""
        start, end = self.code[i].end, self.code[i + 1].start
        if not has_newline(self.data, start, end):
            return False
        # Line ends inside block comments do not end a line.
        return any(has_newline(self.data, a, b) for a, b in self._gaps(start, end))

    def starts_line(self, i: int) -> bool:
        """Whether `code[i]` is the first token of its logical line."""
        return i == 0 or self.line_break(i - 1)

    def _gaps(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        gap = self.data[start:end]
        if b"/" not in gap:
            yield start, end
            return
        at = start
        for token in tokenize(gap):
            yield at, start + token.start
            at = start + token.end
        yield at, end

    def is_ident(self, i: int) -> bool:
        return 0 <= i < len(self.code) and self.code[i][0] == Kind.IDENT

    def word(self, i: int) -> bytes:
        """`text[i]`, or b"" outside the file."""
        return self.text[i] if 0 <= i < len(self.text) else b""

    def template_open(self, i: int) -> int | None:
        """Index of the "<" that the ">" at `i` closes, searching back in one expression."""
        depth = 0
        j = i
        while j >= 0:
            word = self.text[j]
            if word == b">":
                depth += 1
            elif word == b"<" and self.code[j][0] == Kind.PUNCT:
                depth -= 1
                if depth == 0:
                    return j if self.is_ident(j - 1) else None
            elif word in _CLOSE:
                partner = self.match.get(j)
                if partner is None:
                    return None
                j = partner
            elif word in (b";", b"{", b"(", b"[", b"<<<", b"&&", b"||") and word != b"&&":
                return None
            j -= 1
        return None

    def template_close(self, i: int, limit: int) -> int | None:
        """Index of the ">" that closes the "<" at `i`, before `limit`; None for a less-than."""
        depth = 0
        j = i
        while j < limit:
            word = self.text[j]
            if word == b"<":
                depth += 1
            elif word == b">":
                depth -= 1
                if depth == 0:
                    return j
            elif word in _OPEN:
                partner = self.match.get(j)
                if partner is None or partner >= limit:
                    return None
                j = partner
            elif word in (b";", b"||", b"<<<") or word in _CLOSE:
                return None
            j += 1
        return None

    def split_commas(
        self, first: int, last: int, *, declaration: bool = False
    ) -> list[tuple[int, int]]:
        """Splits `code[first..last]` at commas outside brackets and template argument lists.

        In a `declaration` every `name<` opens a template argument list. Returns (first, last)
        pairs, last inclusive; an empty piece has last < first.
        """
        if last < first:
            return []
        pieces = []
        begin = i = first
        while i <= last:
            word = self.text[i]
            if word in _OPEN and self.match.get(i, last + 1) <= last:
                i = self.match[i]
            elif word == b"<" and self.is_ident(i - 1) and i > begin:
                close = self.template_close(i, last + 1)
                # "a < b, c > d" is no template; "f<b, c>(" and "T<b, c>::" are.
                if close is not None and (
                    declaration
                    or close == last
                    or self.word(close + 1) in (b"(", b"::", b"{", b">", b",", b"*", b"&")
                ):
                    i = close
            elif word == b",":
                pieces.append((begin, i - 1))
                begin = i + 1
            i += 1
        pieces.append((begin, last))
        return pieces

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Byte span of `code[first..last]`."""
        return self.code[first].start, self.code[last].end
