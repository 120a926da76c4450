"""Values in braces that nvcc takes and Clang, or an older library, does not."""

from __future__ import annotations

import re

from portgpu.findings import Edit, Severity
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate.headers import insertion_point
from portgpu.translate.model import Context
from portgpu.translate.scope import enclosing_heads

_ARRAY = re.compile(rb"\]\s*=?\s*\{")
_VECTORS = (b"device_vector", b"host_vector")
_VALUE = re.compile(rb"[-+*/(),.]|true|false|[\d.'].*", re.S)
_NUMBERS = frozenset(
    b"int unsigned long short char size_t float double auto bool ptrdiff_t ssize_t uint int8_t"
    b" uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t".split()
)
_STARTS = frozenset((b";", b"{", b"}", b":", b")"))


def rewrite(context: Context) -> None:
    """Arrays of run-time length with values; vectors of Thrust made from a list."""
    if context.is_hip or context.options.compat is None:
        return
    data = context.source.data
    if b"{" in data:
        _narrowing(context)
    if _ARRAY.search(data):
        _runtime_arrays(context)
    if any(word in data for word in _VECTORS):
        _vectors(context)


def _vectors(context: Context) -> None:
    """`device_vector<int> v{1, 2}` -> `v = pg_compat::vector_of<decltype(v)>({1, 2})`."""
    source = context.source
    variables: set[bytes] = set()
    for word in _VECTORS:
        for i in source.places.get(word, ()):
            close = source.template_close(i + 1, len(source.code))
            if source.word(i + 1) != b"<" or close is None or i in context.claimed:
                continue
            j = close + 1
            while source.word(j) in (b"&", b"const"):
                j += 1
            if source.is_ident(j):
                variables.add(source.text[j])
            name = close + 1 if source.is_ident(close + 1) else close
            opener = name + 1
            if name != close and source.word(opener) == b"=":
                opener += 1
            end = source.match.get(opener)
            if source.word(opener) != b"{" or end is None:
                continue
            if not _is_list(source, opener, end) and not _is_element(source, i, close, opener):
                continue
            first = i  # of the type
            while source.word(first - 1) == b"::" and source.is_ident(first - 2):
                first -= 2
            made = context.shim("vector_of") + b"<"
            start, stop = source.code[name].end, source.code[opener].end
            if name == close:  # a temporary
                context.insert_before(first, made)
                context.edits.append(Edit(start, stop, b">({"))
            else:
                made = b" = " + made + b"decltype(" + source.text[name] + b")>({"
                context.edits.append(Edit(start, stop, made))
            context.insert_after(end, b")")

    for variable in variables:  # `v = {1, 2};`
        for i in source.places[variable]:
            end = source.match.get(i + 2)
            if source.word(i + 1) != b"=" or source.word(i + 2) != b"{" or end is None:
                continue
            if source.before(i) in (b";", b"{", b"}", b")") and _is_list(source, i + 2, end):
                made = context.shim("vector_of") + b"<decltype(" + variable + b")>("
                context.wrap(i + 2, end, made, b")")


def _is_list(source: Source, opener: int, end: int) -> bool:
    """Whether these braces hold the elements, and neither a size nor two iterators."""
    pieces = source.split_commas(opener + 1, end - 1)
    return len(pieces) > 3 or (
        all(
            last >= first and all(_VALUE.fullmatch(w) for w in source.text[first : last + 1])
            for first, last in pieces
        )
        and bool(pieces)
    )


def _is_element(source: Source, vector: int, close: int, opener: int) -> bool:
    """`device_vector<T> v{x}` with an `x` that the file declares as a T."""
    if close != vector + 3 or source.match.get(opener) != opener + 2:
        return False
    element = source.text[vector + 2]
    for i in source.places[source.text[opener + 1]]:
        k = i - 1
        while source.word(k) in (b"&", b"const", b"&&"):
            k -= 1
        if source.word(k) == element and source.is_ident(i):
            return True
    return False


def _runtime_arrays(context: Context) -> None:
    """`float a[n] = {1, 2};` -> `float a[n]; pg_compat::set_array(&a[0], …, {1, 2});`."""
    source = context.source
    for i in source.places.get(b"{", ()):
        last = i - 2 if source.word(i - 1) == b"=" else i - 1
        end = source.match.get(i)
        if source.word(last) != b"]" or end is None or source.word(end + 1) != b";":
            continue
        name, bounds = last, []
        while source.word(name) == b"]" and name in source.match:
            opener = source.match[name]
            bounds.append((opener + 1, name - 1))
            name = opener - 1
        if not source.is_ident(name) or next(enclosing_heads(source, i), None) is None:
            continue
        before = name - 1  # the type of a declaration; an assignment has none
        while source.word(before) in (b"*", b"&"):
            before -= 1
        typed = source.is_ident(before) and source.word(before) not in (b"else", b"do", b"return")
        if not typed and source.word(before) not in (b">", b","):
            continue
        if _is_new(source, before):
            continue  # on the heap, where the length may be anything
        if not any(_at_run_time(source, j, i) for a, b in bounds for j in range(a, b + 1)):
            continue
        _set_later(context, name, last, i, end, len(bounds))


def _is_new(source: Source, i: int) -> bool:
    """Whether the type that ends at `i` is that of a `new` expression."""
    while source.is_ident(i) or source.word(i) in (b"::", b">"):
        if source.word(i) == b"new":
            return True
        i -= 1
    return False


def _set_later(context: Context, name: int, last: int, opener: int, end: int, rank: int) -> None:
    source = context.source
    first = name
    while first > 0 and source.text[first - 1] not in _STARTS:
        first -= 1
    words = source.text[first:name]
    depth = _depth(source, opener, end)
    if (
        not words
        or not all(source.is_ident(j) or w in (b"::", b"*") for j, w in enumerate(words, first))
        or depth is None
        or depth > min(rank, 3)
    ):
        context.report(
            "PG1809",
            name,
            f"{source.text[name].decode()} has a length known at run time, and values: Clang takes"
            " no such array",
            hint="give it a constant length, or use std::vector",
        )
        return
    if words[0] == b"const" and b"*" not in words:
        start, stop = source.code[first].start, source.code[first + 1].start
        context.claimed.add(first)
        context.edits.append(Edit(start, stop, b""))
    spelt = source.text[name]
    sizes = b"".join(b", sizeof(" + spelt + b"[0]" * n + b")" for n in range(depth))
    element = b"&" + spelt + b"[0]" * rank
    call = b"; " + context.shim("set_array") + b"(" + element + sizes + b", {"
    context.edits.append(Edit(source.code[last].end, source.code[opener].end, call))
    context.insert_after(end, b")")
    context.report(
        "PG1809",
        name,
        f"{spelt.decode()} has a length known at run time: its values are set behind it",
        severity=Severity.NOTE,
    )


def _depth(source: Source, opener: int, end: int) -> int | None:
    """How deep the braces are nested, None when they are not so everywhere alike."""
    found: set[int | None] = set()
    for first, last in source.split_commas(opener + 1, end - 1):
        if last < first:
            continue
        if source.text[first] == b"{" and source.match.get(first) == last:
            found.add(_depth(source, first, last))
        else:
            found.add(0 if source.text[first] not in (b"[", b".") else None)
    if not found:
        return 1
    inner = found.pop()
    return None if found or inner is None else inner + 1


def _at_run_time(source: Source, i: int, before: int, steps: int = 8) -> bool:
    """Whether the name at `i` is a variable whose value the compiler does not know."""
    if not source.is_ident(i) or source.word(i - 1) in (b".", b"->") or steps == 0:
        return False
    if source.word(i + 1) == b"(":
        return source.text[i] not in (b"sizeof", b"alignof", b"decltype")
    spots = [j for j in source.places[source.text[i]] if j < min(i, before)]
    for j in reversed(spots):
        if not source.is_ident(j - 1) or source.text[j - 1] not in _NUMBERS:
            continue
        following = source.word(j + 1)
        if following not in (b"=", b";", b",", b")", b"(", b"{"):
            continue
        start = j - 1
        while start > 0 and source.text[start - 1] not in (*_STARTS, b"(", b"<", b","):
            start -= 1
        words = source.text[start:j]
        opener = source.word(start - 1)
        if b"constexpr" in words or opener == b"<" or _in_template(source, start):
            return False
        if b"const" not in words or following not in (b"=", b"(", b"{"):
            return True
        k = j + 2
        while k < len(source.code) and source.text[k] not in (b";", b","):
            if source.text[k] in (b"->", b"[", b".") or (
                source.code[k][0] == Kind.IDENT and _at_run_time(source, k, j, steps - 1)
            ):
                return True
            k += 1
        return False
    return False


def _in_template(source: Source, start: int) -> bool:
    """Whether a parameter that starts here is one of a template."""
    j = start - 1
    while j > 0 and source.text[j] not in (b";", b"{", b"}", b"(", b")"):
        if source.text[j] == b"<" and source.word(j - 1) == b"template":
            return (
                source.template_close(j, len(source.code)) is None
                or (source.template_close(j, len(source.code)) or 0) > start
            )
        j -= 1
    return False


_PRAGMA = b'#pragma clang diagnostic ignored "-Wc++11-narrowing"'
_KINDS = {
    **dict.fromkeys((b"double",), "double"),
    **dict.fromkeys((b"float",), "float"),
    **dict.fromkeys((b"int", b"short", b"char", b"int32_t", b"int16_t", b"int8_t"), "int"),
    **dict.fromkeys((b"unsigned", b"uint", b"uint32_t", b"uint16_t", b"uint8_t"), "unsigned"),
    **dict.fromkeys((b"long", b"size_t", b"int64_t", b"uint64_t", b"ssize_t"), "long"),
}
_VECTOR = re.compile(rb"(float|double|int|uint|long|longlong)[1-4]")
_DOUBLE = re.compile(rb"(?!0[xX])[\d.']*(?:\.|[\d.][eE])[\d.'eE+-]*")


def _narrowing(context: Context) -> None:
    """One pragma for a file in which values in braces become narrower: with nvcc a warning."""
    source = context.source
    if _PRAGMA in source.data:
        return
    kinds: dict[bytes, str] = {}
    for word, kind in _KINDS.items():
        for i in source.places.get(word, ()):
            j = i + 1
            while source.word(j) in (b"*", b"const", b"&", b"int", b"__restrict__"):
                j += 1
            if source.is_ident(j) and source.text[j] not in _KINDS:
                kinds.setdefault(source.text[j], kind)
    if not kinds:
        return
    for i in source.places.get(b"{", ()):
        end = source.match.get(i)
        if end is None or end == i + 1 or not _holds_values(source, i):
            continue
        target = _target(source, i)
        for first, last in source.split_commas(i + 1, end - 1):
            if first <= last and _is_narrower(source, first, last, target, kinds):
                at = insertion_point(source)
                newline = b"\r\n" if b"\r\n" in source.data else b"\n"
                context.edits.insert(0, Edit(at, at, _PRAGMA + newline))
                context.report(
                    "PG1810", first, "narrowing in braces, a warning of nvcc, is allowed"
                )
                return


def _holds_values(source: Source, i: int) -> bool:
    """Whether the braces at `i` surely hold values: behind `=`, `return` or a type or name."""
    before = source.word(i - 1)
    if before in (b"=", b"return"):
        return True
    if before in (b"{", b","):  # rows of an array
        opener = i - 1
        while opener > 0 and source.text[opener] not in (b"{", b";", b"(", b"[", b"<%", b"<:"):
            opener = source.match.get(opener, opener) - 1
        return source.word(opener) == b"{" and source.word(opener - 1) == b"="
    if before == b"]":
        return True
    if not source.is_ident(i - 1):
        return False
    return (
        source.text[i - 1] == b"dim3"
        or source.text[i - 2] == b"dim3"
        or (_VECTOR.fullmatch(source.text[i - 1]) or _VECTOR.fullmatch(source.text[i - 2]))
        is not None
    )


def _target(source: Source, i: int) -> str:
    """What the values become, "" when the file's tokens do not tell."""
    j = i - 1
    while j > 0 and source.text[j] not in (b";", b"}", b"(", b")"):
        word = source.text[j]
        if word == b"dim3":
            return "unsigned"
        if found := _VECTOR.fullmatch(word):
            return _KINDS.get(found[1], "long")
        if word in _KINDS:
            return _KINDS[word]
        j = source.match[j] - 1 if word == b"]" and j in source.match else j - 1
    return ""


def _is_narrower(
    source: Source, first: int, last: int, target: str, kinds: dict[bytes, str]
) -> bool:
    """Whether a value that is not known when compiling has another kind than its target."""
    words = source.text[first : last + 1]
    if words[0] in (b"{", b"[", b"&", b"!", b'"', b".") or words[-1] == b"}":
        return False
    if (words[0] == b"(" and source.match.get(first, last) < last) or words[0].endswith(b"_cast"):
        cast = next((_KINDS[w] for w in words if w in _KINDS), "")
        if words[0] == b"(" and source.text[first + 1] in _KINDS:
            return _differs(cast, target) and source.match.get(first) == first + 2
        if words[0].endswith(b"_cast"):
            return _differs(cast, target)
    if len(words) == 1 and source.code[first][0] == Kind.NUMBER:
        return target in ("int", "unsigned", "long") and _DOUBLE.fullmatch(words[0]) is not None
    found = set()
    spots = _outside_calls(source, first, last)
    for j in spots:
        if source.code[j][0] == Kind.NUMBER and _DOUBLE.fullmatch(source.text[j]):
            found.add("double")
        elif source.text[j] in kinds and source.word(j - 1) not in (b".", b"->", b"::"):
            if source.word(j + 1) in (b"(", b".", b"->"):
                continue
            found.add(kinds[source.text[j]])
    names = any(source.text[j] in kinds for j in spots)
    if not names or not found or any(w in (b"<", b">", b"==", b"&&", b"||", b"?") for w in words):
        return False
    order = ("double", "float", "long", "unsigned", "int")
    return _differs(next(kind for kind in order if kind in found), target)


def _outside_calls(source: Source, first: int, last: int) -> list[int]:
    """The tokens of an expression but for arguments and indices, whose types do not matter."""
    spots, j = [], first
    while j <= last:
        spots.append(j)
        if source.text[j] in (b"(", b"[") and j > first and source.is_ident(j - 1):
            j = source.match.get(j, j)
        j += 1
    return spots


def _differs(kind: str, target: str) -> bool:
    if not target:
        return kind in ("double", "long")
    return kind != target and (kind, target) not in (("float", "double"), ("int", "long"))
