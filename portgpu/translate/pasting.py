"""Names that the preprocessor pastes together: there is no name in the source to translate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.model import Context

_PREFIXES = re.compile(
    rb"(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|CUDA_?|CU|cu|cub|nvrtc)\Z"
)
_PASTE = (b"##", b"%:%:")
_DEPTH = 8  # macros that call macros
_HINT = "spell the names out, or paste after a prefix macro of your own"
_Part = int | bytes  # number of a parameter, or text


@dataclass(frozen=True, slots=True)
class _Macro:
    """What a macro pastes, each group to one token; `alias` is the `cuda` of `#define P cuda`."""

    groups: tuple[tuple[_Part, ...], ...] = ()
    calls: tuple[tuple[bytes, tuple[_Part, ...]], ...] = ()
    alias: bytes = b""


def definitions(data: bytes) -> set[bytes]:
    """The macros of a header that paste, or call one that does, as `name(a, b) body`."""
    if b"##" not in data and b"%:%:" not in data:
        return set()
    source = Source(data)
    macros: dict[bytes, _Macro] = {}
    _define(source, macros)
    pasting = {name for name, macro in macros.items() if macro.groups}
    for _ in range(_DEPTH):
        pasting |= {
            name
            for name, macro in macros.items()
            if any(callee in pasting for callee, _ in macro.calls)
        }
    found = set()
    for d in source.directives:
        name = d.first + 2
        if d.name == b"define" and source.word(name) in pasting and _is_function_like(source, name):
            found.add(source.text[name] + b" ".join(source.text[name + 1 : d.last + 1]))
    return found


def used(definitions: Iterable[bytes], data: bytes) -> set[bytes]:
    """Those that a file can call, directly or not, as entries of `Options.known`."""
    texts = {text: text.partition(b"(")[0] for text in definitions}
    found = {text for text, name in texts.items() if name in data}
    for _ in range(_DEPTH):
        callers = b"\n".join(found)
        found |= {text for text, name in texts.items() if name in callers}
    return {api.PASTE + text for text in found}


def rewrite(context: Context) -> None:
    """Reports `cuda##x` where it is defined, `CAT(cuda, Free)` where it is used."""
    source = context.source
    given = [word[len(api.PASTE) :] for word in context.options.known if word.startswith(api.PASTE)]
    if b"##" not in source.data and b"%:%:" not in source.data and not given:
        return
    macros: dict[bytes, _Macro] = {}
    for text in given:
        _define(Source(b"#define " + text), macros)
    _define(source, macros)
    _defined(context)
    for i in [i for name in macros for i in source.places.get(name, ())]:
        if not source.is_ident(i) or source.word(i - 1) == b"define":
            continue
        close = source.match.get(i + 1)
        if source.word(i + 1) != b"(" or close is None:
            continue
        parts = source.split_commas(i + 2, close - 1)
        arguments = [_single(source, first, last) for first, last in parts]
        for name in _expand(macros, source.text[i], tuple(arguments), 0, {}):
            if _is_api(name) and name not in arguments:
                context.claimed.update(
                    first
                    for (first, _), word in zip(parts, arguments, strict=True)
                    if word and word in name
                )
                context.report(
                    "PG1005",
                    i,
                    f"{name.decode('utf-8', 'replace')} is pasted together by this macro",
                    last=close,
                    hint="write the name out here",
                    symbol=name.decode("utf-8", "replace"),
                )


def _defined(context: Context) -> None:
    source = context.source
    for i, word in enumerate(source.text):
        if word not in _PASTE:
            continue
        for side in (i - 1, i + 1):
            name = source.word(side)
            if source.is_ident(side) and _is_prefix(name, side < i):
                context.claimed.add(side)
                context.report(
                    "PG1005",
                    side,
                    f"a CUDA name is pasted together from {name.decode('utf-8', 'replace')!r}",
                    hint=_HINT,
                )


def _is_prefix(name: bytes, left: bool) -> bool:
    """Whether CUDA names begin with this operand of "##" (`cuda`, `cudaMem`)."""
    begins = name.startswith((b"cuda", b"cublas", b"cufft", b"cusparse"))
    return left and (begins or _PREFIXES.match(name) is not None)


def _is_function_like(source: Source, i: int) -> bool:
    return source.word(i + 1) == b"(" and source.code[i + 1].start == source.code[i].end


def _define(source: Source, macros: dict[bytes, _Macro]) -> None:
    """Adds the macros that the source defines and that paste or pass arguments on."""
    for d in source.directives:
        name = d.first + 2
        if d.name != b"define" or name > d.last:
            continue
        if not _is_function_like(source, name):
            if d.last == name + 1 and source.is_ident(d.last):
                # Defined twice, it is the project's own switch between vendors.
                again = source.text[name] in macros
                alias = b"?" if again else source.text[d.last]
                macros[source.text[name]] = _Macro(alias=alias)
            continue
        close = source.match.get(name + 1)
        if close is None:
            continue
        words = [source.text[k] for k in range(name + 2, close) if source.is_ident(k)]
        names = {word: number for number, word in enumerate(words)}
        found = _body(source, close + 1, d.last, names)
        if found.groups or found.calls:
            macros[source.text[name]] = found


def _body(source: Source, first: int, last: int, names: Mapping[bytes, int]) -> _Macro:
    def part(k: int) -> _Part:
        word = source.text[k]
        return names.get(word, word)

    groups: list[tuple[_Part, ...]] = []
    calls: list[tuple[bytes, tuple[_Part, ...]]] = []
    k = first
    while k <= last:
        if k + 2 <= last and source.text[k + 1] in _PASTE:
            group = [part(k)]
            while k + 2 <= last and source.text[k + 1] in _PASTE:
                k += 2
                group.append(part(k))
            # What has a prefix of its own is reported at the definition.
            if not any(isinstance(p, bytes) and _is_prefix(p, True) for p in group):
                groups.append(tuple(group))
        elif source.is_ident(k) and source.word(k + 1) == b"(":
            close = source.match.get(k + 1)
            if close is not None and close <= last:
                pieces = source.split_commas(k + 2, close - 1)
                if any(a == b and source.text[a] in names for a, b in pieces):
                    calls.append(
                        (source.text[k], tuple(part(a) if a == b else b"?" for a, b in pieces))
                    )
        k += 1
    return _Macro(tuple(groups), tuple(calls))


def _single(source: Source, first: int, last: int) -> bytes:
    """The one word of an argument, empty for none, "?" for several."""
    if last < first:
        return b""
    if first != last or source.code[first][0] not in (Kind.IDENT, Kind.NUMBER):
        return b"?"
    return source.text[first]


def _expand(
    macros: dict[bytes, _Macro],
    name: bytes,
    arguments: tuple[bytes, ...],
    depth: int,
    known: dict[tuple[bytes, tuple[bytes, ...]], set[bytes]],
) -> set[bytes]:
    """The tokens that a call pastes together, as far as they are plain words.

    `known` are calls that were expanded before: macros may call each other many times over.
    """
    macro = macros.get(name)
    if macro is None or depth > _DEPTH:
        return set()
    if (name, arguments) in known:
        return known[name, arguments]
    known[name, arguments] = set()

    def value(part: _Part) -> bytes:
        if isinstance(part, bytes):
            return part
        return arguments[part] if part < len(arguments) else b"?"

    found = {b"".join(map(value, group)) for group in macro.groups}
    for callee, parts in macro.calls:
        # What is passed on is expanded first; the operands of "##" are not.
        passed = tuple(_alias(macros, value(part)) for part in parts)
        found |= _expand(macros, callee, passed, depth + 1, known)
    known[name, arguments] = {word for word in found if b"?" not in word}
    return known[name, arguments]


def _alias(macros: dict[bytes, _Macro], word: bytes) -> bytes:
    for _ in range(_DEPTH):
        if word not in macros or not macros[word].alias:
            break
        word = macros[word].alias
    return word


def _is_api(name: bytes) -> bool:
    """Whether a pasted name is CUDA's and HIP spells it otherwise."""
    row = api.entry(name)
    if row is not None:
        return row.target.encode() != name
    return name in api.shims() or api.CUDA_LIKE.match(name) is not None
