"""Default arguments that a later declaration of a template's function brings.

nvcc takes `template <class T> void f(T, int n = 1) {}` after a declaration without the default,
and a repeated one; Clang and GCC do not. The default moves to the first declaration, which may be
in a local header: `moves` finds out what each of the two files has to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from portgpu.findings import Edit
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.covered import branches_of
from portgpu.translate.model import Context
from portgpu.translate.regions import class_name
from portgpu.translate.scope import brace_kind

_NO_FUNCTIONS = frozenset(b"class struct union enum using typedef friend concept".split())
_NO_NAMES = frozenset(
    b"__attribute__ __launch_bounds__ __align__ alignas decltype noexcept __declspec".split()
)
_WORD = re.compile(rb"[A-Za-z_]\w*\Z")
_BUILT_IN = frozenset(
    b"bool char short int long float double unsigned signed void auto const".split()
)
_RESTRICT = frozenset((b"__restrict__", b"__restrict"))
_SILENT = frozenset((b"const", b"typename", b"struct", b"class"))
_NO_TYPES = frozenset((b"const", b"::", b"typename", b"struct", b"class", b"enum"))
_FARTHEST = 200  # tokens from a template's head to the function's name


@dataclass(frozen=True)
class _Function:
    """A declaration; `defaults` are number of a parameter -> (its last token, its "=", the end)."""

    name: int
    signature: bytes
    ends: tuple[int, ...]
    defaults: dict[int, tuple[int, int]]
    parameters: frozenset[bytes]  # of the template

    def text(self, source: Source, k: int) -> bytes:
        equals, last = self.defaults[k]
        return source.data[source.code[equals].start : source.code[last].end]


def rewrite(context: Context) -> None:
    """Moves defaults within the file, and as `Options.known` says between files."""
    source = context.source
    told = [w for w in context.options.known if w.startswith((api.DEFAULT, api.NO_DEFAULT))]
    if context.is_hip or (not told and not _may_repeat(source)):
        return
    for signature, functions in _groups(source, _members(told)).items():
        first = functions[0]
        if api.NO_DEFAULT + signature in told:
            for function in functions:
                _drop(context, function)
            continue
        given = set(first.defaults)
        for word in told:
            head, _, text = word.removeprefix(api.DEFAULT).partition(b"\0")
            if head == signature:
                number, _, default = text.partition(b"\0")
                context.insert_after(first.ends[int(number)], b" " + default)
                given.add(int(number))
        for function in functions[1:]:
            if not _declares_again(source, first, function):
                continue
            new = sorted(function.defaults.keys() - given)
            if all(_may_move(source, first, function, k) for k in new):
                for k in new:
                    context.insert_after(first.ends[k], b" " + function.text(source, k))
                given.update(new)
                _drop(context, function)
            else:
                _tell(context, function)


def moves(source: Source, headers: Sequence[Source]) -> tuple[set[bytes], list[set[bytes]]]:
    """`Options.known` words of a file and its headers, for defaults that belong to a header's."""
    here: set[bytes] = set()
    there: list[set[bytes]] = []
    later = {s: f[0] for s, f in _groups(source).items() if f[0].defaults}
    for header in headers:
        words: set[bytes] = set()
        for signature, functions in _groups(header, _members(later)).items():
            function, lost = later.get(signature), api.NO_DEFAULT + signature
            if function is None or lost in here:
                continue
            first = functions[0]
            if _has_body(source, function) and _has_body(header, first):
                continue
            new = function.defaults.keys() - first.defaults.keys()
            if all(_may_move(source, first, function, k, header) for k in new):
                here.add(lost)
                for k in sorted(new):
                    text = function.text(source, k)
                    words.add(b"\0".join([api.DEFAULT + signature, b"%d" % k, text]))
        there.append(words)
    return here, there


def _declares_again(source: Source, first: _Function, later: _Function) -> bool:
    """Whether `later` is the function of `first`: not where both have bodies, or under `#else`."""
    if _has_body(source, first) and _has_body(source, later):
        return False
    branches = branches_of(source)
    places = (branches.at(source.code[f.name].start) for f in (first, later))
    return next(places) <= next(places)


def _has_body(source: Source, function: _Function) -> bool:
    i = source.match[function.name + 1] + 1
    while i < len(source.code) and source.text[i] not in (b";", b"{", b"}"):
        i += 1
    return source.word(i) == b"{"


def _may_move(
    source: Source, first: _Function, later: _Function, k: int, header: Source | None = None
) -> bool:
    """Whether a default means the same at the first declaration: its names are known there."""
    equals, last = later.defaults[k]
    for i in range(equals + 1, last + 1):
        word = source.text[i]
        if not source.is_ident(i) or source.word(i - 1) in (b"::", b".", b"->"):
            continue
        if api.interesting[word] or (word in later.parameters and word not in first.parameters):
            return False
        if header is None:
            places = source.places[word]
            if word not in first.parameters and places[0] > first.name and places[0] < later.name:
                return False
        elif (
            word not in first.parameters
            and source.places[word][0] < later.name
            and header.places.get(word, [first.name + 1])[0] > first.name
        ):
            return False  # the file's own, which the header cannot know
    return True


def _drop(context: Context, function: _Function) -> None:
    code = context.source.code
    for equals, last in function.defaults.values():
        context.claimed.update(range(equals, last + 1))
        context.edits.append(Edit(code[equals - 1].end, code[last].end, b""))


def _tell(context: Context, function: _Function) -> None:
    equals, last = next(iter(function.defaults.values()))
    context.report(
        "PG1812",
        equals,
        "a default argument in a second declaration of a template's function",
        last=last,
        hint="write it at the first declaration",
        symbol=context.source.text[function.name].decode("utf-8", "replace"),
    )


def _may_repeat(source: Source) -> bool:
    """A quick look: whether a function template is declared twice, or a member out of its class."""
    if b"template" not in source.places:
        return False
    seen: set[bytes] = set()
    for name, _ in _heads(source):
        if source.text[name] in seen or source.word(name - 1) == b"::":
            return True
        seen.add(source.text[name])
    return False


def _members(signatures: Iterable[bytes]) -> set[tuple[bytes, bytes]]:
    """(class, function) of signatures, or of known words with them, that are of members."""
    found = set()
    for text in signatures:
        head = text.removeprefix(api.DEFAULT).removeprefix(api.NO_DEFAULT).partition(b"(")[0]
        owner, _, name = head.partition(b".")
        if owner:
            found.add((owner, name))
    return found


def _groups(
    source: Source, members: Collection[tuple[bytes, bytes]] = ()
) -> dict[bytes, list[_Function]]:
    """Signature -> declarations in order, of function templates and members defined outside.

    `members` are (class, function) of members that other files define.
    """
    functions = []
    wanted = set(members)
    for name, parameters in _heads(source):
        owner = _owner(source, name)
        function = _function(source, name, owner, parameters)
        if function is not None:
            functions.append(function)
            if owner and source.word(name - 1) == b"::":
                wanted.add((owner, source.text[name]))
    names = {f.name for f in functions}
    for owner, member in wanted:
        for i in source.places.get(member, ()):
            inside = source.word(i - 1) != b"::" and source.word(i + 1) == b"("
            if i not in names and inside and _owner(source, i) == owner:
                function = _function(source, i, owner, frozenset())
                if function is not None:
                    functions.append(function)
    found: dict[bytes, list[_Function]] = {}
    for function in sorted(functions, key=lambda f: f.name):
        found.setdefault(function.signature, []).append(function)
    return found


def _owner(source: Source, name: int) -> bytes:
    """`A` of `A<T>::f` and of a member within the class A; b"" for a function of a namespace."""
    i = name - 1
    if source.word(i) == b"::":
        i -= 1
        if source.word(i) == b">":
            open_ = source.template_open(i)
            i = open_ - 1 if open_ is not None else i
        return source.text[i] if source.is_ident(i) else b""
    opener = source.enclosing(name)
    if opener is None or source.text[opener] != b"{" or brace_kind(source, opener) != "class":
        return b""
    return class_name(source, opener)


def _heads(source: Source) -> Iterator[tuple[int, frozenset[bytes]]]:
    """(function's name, template parameters) of each function template."""
    for i in source.places.get(b"template", ()):
        if source.word(i + 1) != b"<" or source.before(i) == b">":
            continue
        names: set[bytes] = set()
        at = i
        while source.word(at) == b"template" and source.word(at + 1) == b"<":
            close = source.template_close(at + 1, len(source.code))
            if close is None:
                break
            for first, last in source.split_commas(at + 2, close - 1, declaration=True):
                names.add(_parameter(source, first, last))
            at = close + 1
        else:
            name = _name(source, at)
            if name is not None:
                yield name, frozenset(names)


def _class_parameters(source: Source, i: int) -> frozenset[bytes]:
    """Template parameters of the class around a member."""
    k = source.enclosing(i) or 0
    while k > 0 and source.text[k] not in (b"class", b"struct", b"union"):
        k -= 1
    open_ = source.template_open(k - 1) if source.word(k - 1) == b">" else None
    if open_ is None:
        return frozenset()
    pieces = source.split_commas(open_ + 1, k - 2, declaration=True)
    return frozenset(_parameter(source, first, last) for first, last in pieces)


def _parameter(source: Source, first: int, last: int) -> bytes:
    """`T` of `class T = int`, `N` of `int N`."""
    end = next((k for k in range(first, last + 1) if source.text[k] == b"="), last + 1)
    return source.word(end - 1)


def _name(source: Source, i: int) -> int | None:
    """The function's name: what stands before the first parenthesis of the declarator."""
    for _ in range(_FARTHEST):
        word = source.word(i)
        if word in _NO_FUNCTIONS or word in (b";", b"{", b"}", b"=", b"", b"operator"):
            return None
        if word == b"(":
            if source.is_ident(i - 1) and source.text[i - 1] not in _NO_NAMES:
                return i - 1
            i = source.match.get(i, len(source.code))
        elif word == b"<":
            close = source.template_close(i, len(source.code))
            if close is None:
                return None
            i = close
        i += 1
    return None


def _function(
    source: Source, name: int, owner: bytes, parameters: frozenset[bytes]
) -> _Function | None:
    if owner and source.word(name - 1) != b"::":
        parameters |= _class_parameters(source, name)
    close = source.match.get(name + 1)
    after = source.word(close + 1) if close is not None else b""
    if close is None or after not in (b";", b"{", b":", b"const", b"noexcept", b"->"):
        return None
    ends, types, defaults = [], [], {}
    for k, (first, last) in enumerate(source.split_commas(name + 2, close - 1, declaration=True)):
        equals = next((i for i in range(first, last + 1) if source.text[i] == b"="), None)
        if equals is not None:
            defaults[k] = (equals, last)
            last = equals - 1
        ends.append(last)
        types.append(_type(source, first, last, parameters))
    constant = b" const" if after == b"const" else b""
    words = owner + b"." + source.text[name] + b"(" + b",".join(types) + b")" + constant
    return _Function(name, words, tuple(ends), defaults, parameters)


def _type(source: Source, first: int, last: int, parameters: frozenset[bytes]) -> bytes:
    """A parameter's type, without its name; the template's parameters are all the same."""
    words = list(source.text[first : last + 1])
    array = bool(words) and words[-1] == b"]"
    while words and words[-1] == b"]":
        while words and words.pop() != b"[":
            pass
    while words and words[-1] in _RESTRICT:
        words.pop()
    if len(words) > 1 and _WORD.match(words[-1]) and words[-1] not in _BUILT_IN:
        behind_const = words[-2] == b"const" and len(words) > 2
        if behind_const or words[-2] not in _NO_TYPES:
            words.pop()
    plain = [b"$" if w in parameters else w for w in words if w not in _RESTRICT | _SILENT]
    return b" ".join(plain) + (b"*" if array else b"")
