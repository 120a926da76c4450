"""Of our compat header, what one file needs: the declarations that it names, and theirs in turn.

The header's text becomes a tree of conditions, namespaces and declarations. A declaration stays
when something that stays names it; macros that make declarations are expanded to see which. Names
are compared without their namespaces, so that too much may stay, never too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from portgpu.source.lexer import Kind
from portgpu.source.syntax import Directive, Source

_GUARD = re.compile(rb"PORTGPU_\w*_H\Z")
_NATIVE = b"native"  # the namespace of pg_compat whose names are those of pg_compat itself
_CONDITIONS = (b"if", b"ifdef", b"ifndef")
_TYPES = (b"struct", b"class", b"union", b"enum")
_NOT_NAMES = frozenset((b"__attribute__", b"alignas", b"decltype", b"noexcept", b"sizeof"))


@dataclass
class _Unit:
    """A declaration, a `#define` or another directive."""

    text: bytes
    names: set[bytes] = field(default_factory=set)
    uses: set[bytes] = field(default_factory=set)
    always: bool = False
    operator: bool = False  # stays with the types that it mentions
    special: bytes = b""  # name of the template that it specialises
    include: bool = False  # stays with what it was included for
    kept: bool = False


@dataclass
class _Scope:
    """`namespace x { ... }`."""

    head: bytes
    body: list[_Node]
    tail: bytes


@dataclass
class _Branches:
    """`#if ... #else ... #endif`: (directive, identifiers in it, what it holds), then the end."""

    parts: list[tuple[bytes, set[bytes], list[_Node]]]
    end: bytes


_Node = _Unit | _Scope | _Branches


def shake(header: bytes, text: bytes) -> bytes:
    """What of `header` (all parts pasted together) the translation `text` needs."""
    reader = _Reader(Source(header, "hip_compat.h"))
    tree = reader.block(0, len(reader.source.code))
    units = list(_walk(tree, frozenset()))
    every = set().union(*(unit.names for unit, _ in units))
    own = set().union(*(unit.names for unit, _ in units if not unit.special))
    foreign = {unit.special for unit, _ in units} - own - {b""}
    types = reader.types - foreign
    used = _identifiers(Source(text, "a.cu"))
    needed = used & every
    changed = True
    while changed:
        changed = False
        for unit, around in units:
            if unit.kept or (_NATIVE in around and _NATIVE not in used):
                continue
            wanted: object = unit.always or unit.names & needed
            if unit.operator or unit.special in foreign:
                mentioned = unit.uses & types
                wanted = mentioned & needed or (unit.special != b"" and not mentioned)
            if wanted:
                unit.kept = changed = True
                needed |= (unit.uses | around) & every
    _drop_includes(tree)
    return re.sub(rb"\n{3,}", b"\n\n", b"".join(_text(tree)).lstrip(b"\n"))


def _walk(nodes: list[_Node], around: frozenset[bytes]) -> Iterator[tuple[_Unit, frozenset[bytes]]]:
    """Every unit with the identifiers of the conditions around it."""
    for node in nodes:
        if isinstance(node, _Unit):
            yield node, around
        elif isinstance(node, _Scope):
            native = node.head.split()[-2:] == [b"native", b"{"]
            yield from _walk(node.body, around | {_NATIVE} if native else around)
        else:
            tested = around.union(*(words for _, words, _ in node.parts))
            for _, _, body in node.parts:
                yield from _walk(body, tested)


def _drop_includes(nodes: list[_Node]) -> bool:
    """Drops includes in lists of which no declaration stayed; whether any did."""
    stayed = False
    for node in nodes:
        if isinstance(node, _Unit):
            stayed |= node.kept and not node.always
        elif isinstance(node, _Scope):
            stayed |= _drop_includes(node.body)
        else:
            found = [_drop_includes(body) for _, _, body in node.parts]
            stayed |= any(found)
    if _declares(nodes) and not stayed:
        for node in nodes:
            if isinstance(node, _Unit) and node.include:
                node.kept = False
    return stayed


def _declares(nodes: list[_Node]) -> bool:
    """Whether there is anything in a list that could stay for its own sake."""
    return any(
        any(_declares(body) for _, _, body in node.parts)
        if isinstance(node, _Branches)
        else isinstance(node, _Scope) or node.names
        for node in nodes
    )


def _text(nodes: list[_Node]) -> Iterator[bytes]:
    for node in nodes:
        if isinstance(node, _Unit):
            if node.kept:
                yield node.text
        elif isinstance(node, _Scope):
            inside = b"".join(_text(node.body))
            if inside.strip():
                yield node.head + inside + node.tail
        else:
            parts = [(head, b"".join(_text(body))) for head, _, body in node.parts]
            if any(inside.strip() for _, inside in parts):
                yield b"".join(head + inside for head, inside in parts) + node.end


def _identifiers(source: Source) -> set[bytes]:
    return {source.text[i] for i, token in enumerate(source.code) if token[0] == Kind.IDENT}


class _Reader:
    """Makes the tree of a header's text."""

    def __init__(self, source: Source, macros: dict[bytes, list[_Macro]] | None = None) -> None:
        self.source = source
        self.macros: dict[bytes, list[_Macro]] = {} if macros is None else macros
        self.types: set[bytes] = set()
        self._directives = {d.first: d for d in source.directives}
        self._done = 0  # byte offset up to which text belongs to a node
        if macros is None:
            for d in source.directives:
                if d.name == b"define":
                    macro = _macro(source, d)
                    self.macros.setdefault(macro.name, []).append(macro)

    def block(self, first: int, last: int) -> list[_Node]:
        """The nodes of `code[first:last]`."""
        return self._nodes(first, last)[0]

    def _nodes(self, i: int, last: int, stop: bool = False) -> tuple[list[_Node], int]:
        """Nodes up to `last`, or to the directive that ends a branch, with its index."""
        source = self.source
        nodes: list[_Node] = []
        while i < last:
            d = self._directives.get(i)
            if d is not None:
                if stop and d.name in (b"elif", b"else", b"endif"):
                    break
                if d.name in _CONDITIONS:
                    found, i = self._branches(d, last)
                    nodes += found
                else:
                    nodes.append(self._directive(d))
                    i = d.last + 1
            elif (opener := self._scope(i)) is not None:
                close = source.match[opener]
                head = self._take(source.code[opener].end)
                body, _ = self._nodes(opener + 1, close)
                nodes.append(_Scope(head, body, self._take(source.code[close].end)))
                i = close + 1
            else:
                end = self._end(i, last)
                nodes.append(self._declaration(i, end))
                i = end + 1
        return nodes, i

    def _take(self, end: int) -> bytes:
        """The text from what was taken last to `end`, with a comment behind it on its line."""
        data = self.source.data
        line = data.find(b"\n", end)
        line = len(data) if line < 0 else line + 1
        rest = data[end:line].strip()
        if not rest or (rest.startswith(b"//") and not data[end:line].rstrip().endswith(b"\\")):
            end = line
        text, self._done = data[self._done : end], end
        return text

    def _branches(self, d: Directive, last: int) -> tuple[list[_Node], int]:
        source = self.source
        guard = d.name == b"ifndef" and _GUARD.match(source.word(d.first + 2)) is not None
        parts: list[tuple[bytes, set[bytes], list[_Node]]] = []
        while True:
            head = self._take(source.code[d.last].end)
            words = {
                w for w in source.text[d.first + 2 : d.last + 1] if w[:1].isalpha() or w[:1] == b"_"
            }
            body, i = self._nodes(d.last + 1, last, stop=True)
            parts.append((head, words, body))
            following = self._directives.get(i)
            if following is None:
                return [_Branches(parts, b"")], i
            d = following
            if d.name == b"endif":
                break
        end = self._take(source.code[d.last].end)
        if guard:
            inside = parts[0][2]
            return [_Scope(b"", [n for n in inside if not _is_guard(n)], b"")], d.last + 1
        return [_Branches(parts, end)], d.last + 1

    def _directive(self, d: Directive) -> _Unit:
        source = self.source
        unit = _Unit(self._take(source.code[d.last].end))
        guard = _GUARD.match(source.word(d.first + 2)) is not None
        if d.name in (b"define", b"undef") and not guard:
            unit.names = {source.word(d.first + 2)}
            unit.uses = {
                source.text[k] for k in range(d.first + 3, d.last + 1) if source.is_ident(k)
            }
        else:
            unit.always = True
            unit.include = d.name in (b"include", b"pragma") or guard
        return unit

    def _scope(self, i: int) -> int | None:
        """Index of the "{" of a namespace or `extern "C"` that begins at `i`."""
        source = self.source
        j = i
        if source.text[j] == b"inline":
            j += 1
        if source.word(j) == b"namespace" and source.word(j + 2) != b"=":
            while source.word(j) not in (b"{", b";", b""):
                j += 1
            return j if source.word(j) == b"{" else None
        if source.word(j) == b"extern" and source.word(j + 2) == b"{":
            return j + 2
        return None

    def _end(self, i: int, last: int) -> int:
        """Index of the last token of the declaration that begins at `i`."""
        source = self.source
        if source.text[i] in self.macros and source.word(i + 1) == b"(" and i + 1 in source.match:
            close = source.match[i + 1]
            if source.word(close + 1) == b";":
                return close + 1
            if self.macros[source.text[i]][0].function and not source.is_ident(close + 1):
                return close
            if close + 1 >= last or source.starts_line(close + 1):
                return close
        j, parentheses = i, False
        while j < last:
            word = source.text[j]
            if word == b";":
                return j
            if word in (b"(", b"[") and j in source.match:
                parentheses |= word == b"("
                j = source.match[j]
            elif word == b"{" and j in source.match:
                j = source.match[j]
                if source.word(j + 1) == b";":
                    return j + 1
                if parentheses:
                    return j
            j += 1
        return last - 1

    def _declaration(self, first: int, last: int) -> _Unit:
        source = self.source
        unit = _Unit(self._take(source.code[last].end))
        unit.uses = {source.text[k] for k in range(first, last + 1) if source.is_ident(k)}
        if source.text[first] in self.macros and source.word(first + 1) == b"(":
            self._expand(unit, first)
            return unit
        names = self._names(first, last)
        if (found := self._specialised(first, last)) is not None:
            unit.special = source.text[found]
        unit.always = b"*" in names
        unit.operator = b"operator" in names
        unit.names = names - {b"*", b"operator"}
        return unit

    def _specialised(self, i: int, last: int) -> int | None:
        """Index of X in `template <...> struct X<...>`."""
        source = self.source
        if source.text[i] != b"template" or source.word(i + 1) != b"<":
            return None
        close = source.template_close(i + 1, last + 1)
        if close is None or source.word(close + 1) not in _TYPES:
            return None
        return close + 2 if source.word(close + 3) == b"<" else None

    def _expand(self, unit: _Unit, i: int) -> None:
        """Takes names and uses of what the macro at `i` makes, by all its definitions."""
        source = self.source
        close = source.match.get(i + 1, i + 1)
        pieces = source.split_commas(i + 2, close - 1)
        arguments = [source.data[slice(*source.span(a, b))] if b >= a else b"" for a, b in pieces]
        for macro in self.macros[source.text[i]]:
            made = _Reader(Source(macro.expand(arguments), "macro"), self.macros)
            for inner, _ in _walk(made.block(0, len(made.source.code)), frozenset()):
                unit.names |= inner.names
                unit.uses |= inner.uses
                unit.operator |= inner.operator
            unit.uses |= self._inside(made.source, steps=4)
            self.types |= made.types

    def _inside(self, source: Source, steps: int) -> set[bytes]:
        """Identifiers that macros called within a text bring, pasted ones among them."""
        found: set[bytes] = set()
        for i, word in enumerate(source.text):
            close = source.match.get(i + 1)
            if word not in self.macros or source.word(i + 1) != b"(" or close is None or not steps:
                continue
            pieces = source.split_commas(i + 2, close - 1)
            texts = [source.data[slice(*source.span(a, b))] if b >= a else b"" for a, b in pieces]
            for macro in self.macros[word]:
                if macro.function:
                    inner = Source(macro.expand(texts), "macro")
                    found |= _identifiers(inner) | self._inside(inner, steps - 1)
        return found

    def _names(self, i: int, last: int) -> set[bytes]:
        """What a declaration declares; "*" for one that cannot be named, "operator" for those."""
        source = self.source
        while source.text[i] == b"template" and source.word(i + 1) == b"<":
            close = source.template_close(i + 1, last + 1)
            if close is None:
                return {b"*"}
            i = close + 1
        if source.text[i] == b"static_assert":
            return set()
        if source.text[i] == b"using" and source.word(i + 1) != b"namespace":
            return {source.text[i + 1]} if source.word(i + 2) == b"=" else {source.text[last - 1]}
        if source.text[i] == b"using":
            return {b"*"}
        if source.text[i] == b"namespace":
            return {source.text[i + 1]}
        if source.text[i] == b"typedef":
            return {source.text[last - 1]}
        if source.text[i] in _TYPES:
            return self._type(i, last)
        j = i
        while j <= last:
            word, after = source.text[j], source.word(j + 1)
            if word == b"operator":
                return {b"operator"}
            if word in _NOT_NAMES and after == b"(":
                j = source.match.get(j + 1, j + 1)
            elif source.is_ident(j) and after == b"(" and word not in self._attributes():
                outer = source.word(j - 2) if source.word(j - 1) == b"::" else b""
                return {word, outer} - {b""}
            elif (
                source.is_ident(j)
                and after == b"<"
                and (close := source.template_close(j + 1, last + 1))
            ):
                if source.word(close + 1) == b"(":
                    return {word}
                j = close
            elif source.is_ident(j) and after in (b"=", b";", b"[", b"{"):
                return {word}
            j += 1
        return {b"*"}

    def _attributes(self) -> frozenset[bytes]:
        """Macros with arguments that stand for attributes in a declaration."""
        return frozenset((b"__launch_bounds__", b"__align__"))

    def _type(self, i: int, last: int) -> set[bytes]:
        source = self.source
        j = i + 1
        while j < last and not (source.is_ident(j) and source.text[j] not in (b"class", b"struct")
                                and source.text[j] not in _NOT_NAMES):  # fmt: skip
            j = max(j, source.match.get(j, j)) + 1
        names = {source.text[j]}
        self.types |= names
        if source.text[i] == b"enum":
            names |= {
                source.text[k]
                for k in range(j + 1, last)
                if source.is_ident(k) and source.word(k - 1) in (b"{", b",")
            }
        if source.is_ident(last - 1):
            names.add(source.text[last - 1])
        return names


def _is_guard(node: _Node) -> bool:
    """Whether a node defines the macro of an include guard."""
    return isinstance(node, _Unit) and b"define" in node.text and node.include


@dataclass
class _Macro:
    name: bytes
    parameters: list[bytes]
    body: bytes
    function: bool

    def expand(self, arguments: list[bytes]) -> bytes:
        """The body with its parameters replaced and its pieces pasted."""
        values = dict(zip(self.parameters, arguments, strict=False))
        text = re.sub(rb"\\\r?\n", b"\n", self.body)
        text = re.sub(rb"[A-Za-z_]\w*", lambda m: values.get(m.group(), m.group()), text)
        return re.sub(rb"\s*##\s*", b"", text)


def _macro(source: Source, d: Directive) -> _Macro:
    name = d.first + 2
    opener = name + 1
    function = (
        source.word(opener) == b"("
        and source.code[opener].start == source.code[name].end
        and opener in source.match
    )
    body = source.match[opener] + 1 if function else opener
    parameters = [source.text[k] for k in range(opener + 1, body - 1) if source.is_ident(k)]
    text = source.data[source.code[body].start : source.code[d.last].end] if body <= d.last else b""
    return _Macro(source.text[name], parameters if function else [], text, function)
