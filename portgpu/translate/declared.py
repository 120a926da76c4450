"""Which names a file declares itself, and where: such names are not the API's, whatever they spell.

Looks only at the names that it is asked about, so that it costs nothing in files that declare none
of them.
"""

from __future__ import annotations

import bisect
import functools
import heapq

from portgpu.source.syntax import Directive, Source
from portgpu.translate import api
from portgpu.translate.covered import end_of_own_branch
from portgpu.translate.declarators import Declarators
from portgpu.translate.regions import Spans, declaration_end, further, is_binding, template_head
from portgpu.translate.scope import brace_kind

_Range = tuple[int, int]
_FAR = 10_000  # tokens to look ahead for the body of a function


class Declarations:
    """The ranges of a file in which given names mean what the file declares."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._patterns = Declarators(source)
        self._names: dict[bytes, _Name] = {}

    def spots(self, name: bytes) -> list[int]:
        """All places of a name in `Source.code`."""
        return self._name(name).spots

    def covers(self, i: int) -> bool:
        """Whether the name at `i` is declared by the file itself, as seen from there."""
        return i in self._name(self._source.text[i]).covered

    def covers_global(self, i: int) -> bool:
        """As `covers` for `::name`, which only declarations outside of all braces can mean."""
        return i in self._name(self._source.text[i]).covered_globally

    def only_functions(self, i: int) -> bool:
        """Whether every declaration that covers `i` is a function's, and none of them at `i`."""
        name = self._name(self._source.text[i])
        return i not in name.covered_by_others and i not in name.firsts

    def ranges(self, name: bytes) -> list[_Range]:
        """The (first, last) index pairs in which the file's own declaration of `name` holds."""
        return self._name(name).ranges

    def declaration(self, i: int) -> int | None:
        """Index of the innermost declaration that the name at `i` means, if the file has one."""
        return self._name(self._source.text[i]).meant.get(i)

    def members(self, name: bytes, known: set[int | None]) -> bool:
        """Whether classes of the file have members of that name, all declared at `known`."""
        found = self._name(name).members
        return bool(found) and found <= known

    def anywhere(self, name: bytes) -> bool:
        """Whether the file declares `name` in any scope, a prototype or member included."""
        return bool(self._name(name).declared)

    def is_prototype(self, i: int) -> bool:
        """Whether the name at `i` is that of a function's declaration without a body."""
        source = self._source
        close = source.match.get(i + 1, -2) if source.word(i + 1) == b"(" else -2
        return source.word(close + 1) == b";" and self._patterns.declares(i)

    def _name(self, name: bytes) -> _Name:
        if name not in self._names:
            self._names[name] = _Name(self._source, self._patterns, name)
        return self._names[name]


class _Name:
    """One name of a file: what `Declarations` says of it, each answer found once."""

    def __init__(self, source: Source, patterns: Declarators, name: bytes) -> None:
        self._source = source
        self._text = name
        self.spots = [i for i in source.places.get(name, ()) if source.is_ident(i)]
        self.declared = [i for i in self.spots if patterns.declares(i)]

    @functools.cached_property
    def _spans(self) -> list[tuple[int, _Range]]:
        """Each declaration with the range that its scope alone gives it."""
        found = ((i, self._range(i)) for i in self.declared)
        return [(i, span) for i, span in found if span is not None]

    @functools.cached_property
    def ranges(self) -> list[_Range]:
        source = self._source
        found = []
        seen: set[bytes] = set()
        for i, span in self._spans:
            found.append(span)
            opener = source.enclosing(i)
            if opener is not None and source.text[opener] == b"{":
                found.extend(further(source, opener, seen))
        return found

    @functools.cached_property
    def firsts(self) -> set[int]:
        return {first for first, _ in self.ranges}

    @functools.cached_property
    def covered(self) -> Spans:
        return Spans(self.ranges)

    @functools.cached_property
    def covered_globally(self) -> Spans:
        return Spans(span for i, span in self._spans if self._source.enclosing(i) is None)

    @functools.cached_property
    def covered_by_others(self) -> Spans:
        """Where a declaration holds that is no function's."""
        return Spans(span for span in self.ranges if not self._is_function(span[0]))

    def _is_function(self, first: int) -> bool:
        source = self._source
        return (
            source.text[first] == self._text
            and source.word(first + 1) == b"("
            and source.word(first - 1) != b"define"
        )

    @functools.cached_property
    def meant(self) -> dict[int, int]:
        """Every spot that a declaration covers -> the innermost one before it."""
        found: dict[int, int] = {}
        spans = dict(self._spans)
        around: list[tuple[int, int, int]] = []  # (-first, -last, -index): the innermost first
        for i in self.spots:
            if i in spans:
                first, last = spans[i]
                heapq.heappush(around, (-first, -last, -i))
            while around and -around[0][1] < i:
                heapq.heappop(around)
            if around:
                found[i] = -around[0][2]
        return found

    @functools.cached_property
    def members(self) -> set[int]:
        """Declarations that are members of a class."""
        openers = ((i, self._source.enclosing(i)) for i in self.declared)
        return {
            i
            for i, opener in openers
            if opener is not None and brace_kind(self._source, opener) == "class"
        }

    def _range(self, i: int) -> tuple[int, int] | None:
        """The range of the declaration at `i`, or None for what redeclares the API's function."""
        span = self._whole_range(i)
        last = end_of_own_branch(self._source, i) if span else None
        return span if span is None or last is None else (span[0], min(span[1], last))

    def _whole_range(self, i: int) -> tuple[int, int] | None:
        source = self._source
        end = len(source.code) - 1
        directive = source.directive_at(i)
        if directive is not None:
            if directive.name == b"define" and i == directive.first + 2:
                # A macro that may not be defined hides nothing but its own definition.
                fallback = self._is_fallback(directive)
                if fallback and not api.renamed_by_a_path(self._text):
                    return None  # `#ifndef NAME` and all uses are renamed, so this is too
                if not fallback and directive.first in source.conditional:
                    return i, directive.last
                k = bisect.bisect_right(self._undefs, i)
                return i, self._undefs[k] if k < len(self._undefs) else end
            return directive.first, directive.last
        head = template_head(self._source, i)
        if head is not None:
            return i, declaration_end(self._source, head)
        opener = source.enclosing(i)
        while opener is not None and source.text[opener] == b"[":
            if not is_binding(self._source, opener):  # a lambda's capture
                return opener, declaration_end(self._source, source.match.get(opener, i))
            opener = source.enclosing(opener)
        if opener is None:
            return self._at_namespace_scope(i, end)
        close = source.match.get(opener, end)
        if source.text[opener] == b"(":
            return self._parameter(i, opener, close)
        kind = brace_kind(source, opener)
        if kind == "class":
            return opener, close
        if kind == "enum":
            return self._enumerator(opener, close, end)
        if kind == "namespace" and source.word(opener - 1) == b"namespace":
            outer = source.enclosing(opener)  # an unnamed one: names are those of the scope around
            return i, end if outer is None else source.match.get(outer, end)
        if kind == "namespace":
            if source.word(opener - 2) == b"extern":  # extern "C" {
                return self._at_namespace_scope(i, close)
            return i, close
        return i, close

    def _is_fallback(self, define: Directive) -> bool:
        """Whether `#ifndef NAME` stands in front of its definition."""
        source = self._source
        k = bisect.bisect_left(source.directives, define.first, key=lambda d: d.first) - 1
        while k > 0 and source.directives[k].name == b"include":
            k -= 1  # where hipify-clang puts HIP's header
        before = source.directives[k] if k >= 0 else define
        words = [w for w in source.text[before.first + 1 : before.last + 1] if w not in b"()"]
        name = self._text
        return words in ([b"ifndef", name], [b"if", b"!", b"defined", name])

    @functools.cached_property
    def _undefs(self) -> list[int]:
        """Last tokens of the #undefs of the name."""
        found = ((i, self._source.directive_at(i)) for i in self.spots)
        return [d.last for i, d in found if d and d.name == b"undef" and i == d.first + 2]

    def _at_namespace_scope(self, i: int, end: int) -> tuple[int, int] | None:
        source = self._source
        if source.word(i + 1) == b"(":
            close = source.match.get(i + 1)
            after = source.word(close + 1) if close is not None else b""
            # A prototype without a body redeclares the API's function.
            if after == b";":
                return None
        return i, end

    def _parameter(self, i: int, opener: int, close: int) -> tuple[int, int] | None:
        """A parameter or a variable of a for/if/while head: to the end of the body."""
        source = self._source
        j = close + 1
        limit = min(len(source.code), j + _FAR)
        while j < limit and source.text[j] not in (b"{", b";", b"}", b"=", b","):
            if source.text[j] == b"(" or source.text[j] == b"[":
                j = source.match.get(j, j)
            j += 1
        if source.word(j) == b"{":
            return opener, source.match.get(j, len(source.code) - 1)
        return opener, max(close, min(j, len(source.code) - 1))

    def _enumerator(self, opener: int, close: int, end: int) -> tuple[int, int]:
        j = opener
        while j > 0 and self._source.text[j] != b"enum":
            j -= 1
        if self._source.word(j + 1) in (b"class", b"struct"):
            return opener, close
        outer = self._source.enclosing(opener)
        return opener, end if outer is None else self._source.match.get(outer, end)
