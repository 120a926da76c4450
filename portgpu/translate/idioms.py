"""Small things that nvcc accepts and HIP's compiler does not, or reads in another way."""

from __future__ import annotations

import bisect
import re

from portgpu.findings import Edit
from portgpu.mapping import Kind, Status
from portgpu.source.lexer import Kind as TokenKind
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.calls import arguments
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

_VOID_RESULT = frozenset(
    b"cudaGetErrorString cudaGetErrorName cudaCreateChannelDesc cudaGetParameterBuffer"
    b" cudaPeekAtLastError cudaGetLastError".split()
) - {b"cudaPeekAtLastError", b"cudaGetLastError"}
# Functions that find a function or library by its name.
_LOOKUPS = api.LOOKUPS
_STATUS_FAMILIES = frozenset(("runtime", "errors", "driver"))
_MEMORY = frozenset((b"__shared__", b"__device__", b"__constant__", b"__managed__"))
_SPECIFIERS = _MEMORY | {b"extern", b"static", b"const", b"volatile", b"inline"}
_WORD = re.compile(rb"[A-Za-z_]\w*")
_TYPE = re.compile(
    rb"(?:u?char|u?short|u?int|u?long|u?longlong|float|double)[1-4]?|bool|half2?|\w+_t"
)
_FETCH = re.compile(
    rb"tex(?:1D|2D|3D|Cubemap)(?:fetch|gather|Layered)?(?:Grad|Lod)?"
    rb"|surf(?:1D|2D|3D|Cubemap)(?:Layered)?(?:read|write)"
)
_FORMAT = re.compile(rb'"(?:PRI|SCN)[dioux]')
_LIMITS = frozenset((b"__maxnreg__", b"__local_maxnreg__", b"__nv_pure__"))
_CONTROL = frozenset((b"if", b"for", b"while", b"switch"))


def rewrite(context: Context, declared: Declarations) -> None:
    """Launch bounds, dropped results, `register`, texture references."""
    source = context.source
    if context.options.hipify:
        return
    statuses = not context.is_hip
    if b"alignas" in source.data:
        _aligned(context)
    _suffixes(context)
    if statuses:
        _texture_units(context)
    for i in context.spots:
        word = source.text[i]
        first = word[:1]
        if first == b"_" and word == b"__launch_bounds__" and not context.is_hip:
            _launch_bounds(context, i)
        elif first == b"_" and word in _LIMITS and not context.is_hip:
            _limit(context, i, word)
        elif first == b"r" and word == b"register" and source.is_ident(i + 1):
            _register(context, i)
        elif first == b"c" and statuses and word.startswith(b"cu"):
            _discarded(context, declared, i, word)
        elif word in _LOOKUPS:
            _looked_up(context, i)
        elif word in (b"texture", b"surface") and source.word(i + 1) == b"<":
            _texture(context, i)


def _looked_up(context: Context, i: int) -> None:
    """A CUDA name in a string that is looked up at run time: strings are never changed."""
    source = context.source
    close = source.match.get(i + 1)
    if source.word(i + 1) != b"(" or close is None:
        return
    for j in range(i + 2, close):
        text = source.text[j].strip(b'"')
        if source.code[j][0] == TokenKind.STRING and (
            api.entry(text) is not None or text.startswith((b"libcuda", b"libcublas", b"libnvrtc"))
        ):
            name = text.decode("utf-8", "replace")
            context.report(
                "PG1007",
                j,
                f"{name!r} is looked up at run time; AMD's libraries have no such name",
                symbol=name,
            )


def _launch_bounds(context: Context, i: int) -> None:
    """`__launch_bounds__(threads, blocks)`: HIP would read `blocks` as waves an execution unit."""
    source = context.source
    opener = i + 1
    close = source.match.get(opener)
    if source.word(opener) != b"(" or close is None:
        return
    pieces = source.split_commas(opener + 1, close - 1)
    if len(pieces) < 2:
        return
    first = pieces[0][1] + 1
    dropped = source.data[slice(*source.span(first, close - 1))].lstrip(b", ").decode("latin-1")
    context.report(
        "PG1302",
        i,
        f"the second argument ({dropped}: blocks a multiprocessor) has another meaning in HIP and"
        " was dropped",
    )
    context.replace_span(first, close - 1, b"")


def _limit(context: Context, i: int, word: bytes) -> None:
    """`__maxnreg__(64)`, `__nv_pure__`: hints to NVIDIA's compiler, which mean nothing to AMD's."""
    source = context.source
    close = source.match.get(i + 1, i) if source.word(i + 1) == b"(" else i
    if close == i and word != b"__nv_pure__":
        return
    context.replace_span(i, close, b"")
    context.report("PG1302", i, f"{word.decode()} is a hint to NVIDIA's compiler and was dropped")


def _suffixes(context: Context) -> None:
    """`"%"PRId64` -> `"%" PRId64`: without the blank C++11 has a literal's suffix there."""
    source = context.source
    names = {source.word(d.first + 2) for d in source.directives if d.name == b"define"}
    if _FORMAT.search(source.data):
        names |= {word for word in source.places if word.startswith((b"PRI", b"SCN"))}
    for name in names:
        for i in source.places.get(name, ()):
            before, token = source.code[i - 1], source.code[i]
            if i and before[0] == TokenKind.STRING and before.end == token.start:
                context.insert_before(i, b" ")


def _aligned(context: Context) -> None:
    """`__shared__ alignas(16) T x` -> `__shared__ __attribute__((aligned(16))) T x`, for Clang."""
    source = context.source
    for i, word in enumerate(source.text):
        close = source.match.get(i + 1)
        if (
            word != b"alignas"
            or source.word(i + 1) != b"("
            or close is None
            or i in context.claimed
        ):
            continue
        if source.word(i - 1) not in _SPECIFIERS and source.word(i - 1) != b")":
            continue  # in front of everything it may stand
        around = set()
        left, right = i - 1, close + 1
        while left >= 0 and (source.is_ident(left) or source.text[left] == b")"):
            around.add(source.text[left])
            left = (source.match.get(left, 0) if source.text[left] == b")" else left) - 1
        while right < len(source.code) and source.is_ident(right):
            around.add(source.text[right])
            right += 1
        if not around & _MEMORY or not around & _SPECIFIERS:
            continue
        start, end = source.span(i + 2, close - 1) if close > i + 2 else (0, 0)
        value = source.data[start:end]
        if _is_type(source, i + 2, close - 1):
            value = b"alignof(" + value + b")"
        context.replace_span(i, close, b"__attribute__((aligned(" + value + b")))")


def _is_type(source: Source, first: int, last: int) -> bool:
    """Whether the argument of `alignas` is a type, as far as its words and the file tell."""
    words = source.text[first : last + 1]
    if not words or words[-1] in (b"*", b">"):
        return True
    if not all(_WORD.fullmatch(w) or w == b"::" for w in words):
        return False
    if (len(words) > 1 and b"::" not in words) or _TYPE.fullmatch(words[-1]):
        return True
    return any(
        w == words[-1] and source.word(j - 1) in (b"class", b"struct", b"typename", b"using")
        for j, w in enumerate(source.text)
    )


def _texture_units(context: Context) -> None:
    """The first read or write through a texture or surface: accelerators of AMD have no units."""
    source = context.source
    for i in context.spots:
        word = source.text[i]
        if word[:3] in (b"tex", b"sur") and _FETCH.fullmatch(word) and i not in context.claimed:
            follows = source.word(i + 1)
            if follows not in (b"(", b"<") or source.word(i - 1) in (b".", b"->"):
                continue
            context.report(
                "PG1807",
                i,
                f"{word.decode()}: gfx90a, gfx942 and other accelerators have no texture units",
                hint="for these devices, read the array from global memory instead",
            )
            return


def _register(context: Context, i: int) -> None:
    source = context.source
    if source.word(i - 1) in (b".", b"->", b"::") or source.code[i][0] != TokenKind.IDENT:
        return
    end = source.code[i + 1].start
    start = source.code[i].start
    if b"\n" in source.data[start:end]:
        return
    blank = source.data[start:end].strip() == b"register"
    context.edits.append(Edit(start, end if blank else source.code[i].end, b""))
    context.claimed.add(i)
    context.report("PG1804", i, "`register` was removed: C++17 has no such keyword")


def _discarded(context: Context, declared: Declarations, i: int, word: bytes) -> None:
    """`cudaFree(p);` -> `(void)hipFree(p);`: HIP's status is [[nodiscard]]."""
    source = context.source
    start = i - 1 if source.word(i - 1) == b"::" and not source.is_ident(i - 2) else i
    previous = _previous(source, start)
    before = source.word(previous)
    if _is_macro_of_statements(context, declared, start):
        before = b";"
    elif before == b")":
        opener = source.match.get(previous)
        if opener is None or source.word(opener - 1) not in _CONTROL:
            return
    elif before not in (b";", b"{", b"}", b"else", b"do"):
        return
    found = api.entry(word)
    if found is None or found.kind is not Kind.FUNCTION or found.family not in _STATUS_FAMILIES:
        return
    if found.status is Status.UNSUPPORTED or word in _VOID_RESULT or declared.covers(i):
        return
    if word in context.options.known or arguments(source, i) is None:
        return
    opener = i + 1
    if source.word(opener) == b"<":
        opener = (source.template_close(opener, len(source.code)) or opener) + 1
    close = source.match.get(opener, -2)
    # `#define Z(p) use(p); cudaFree(p)`: who uses the macro writes the last semicolon.
    define = source.directive_at(close)
    ends = (
        before != b"else"
        and define is not None
        and define.name == b"define"
        and define.first <= start
        and define.last == close
    )
    if ends or source.word(close + 1) == b";":
        context.insert_before(start, b"(void)")


def _previous(source: Source, i: int) -> int:
    """Index of the token before `i`, directives in between left out."""
    directives = source.directives
    k = bisect.bisect_left(directives, i, key=lambda d: d.first) - 1
    i -= 1
    while k >= 0 and directives[k].last == i:
        i = directives[k].first - 1
        k -= 1
    return i


def _is_macro_of_statements(context: Context, declared: Declarations, start: int) -> bool:
    """Whether `start` begins the body of a macro that the file uses as a statement, always."""
    source = context.source
    define = source.directive_at(start)
    if define is None or define.name != b"define":
        return False
    name = define.first + 2
    body = name + 1
    if source.word(body) == b"(" and source.code[name].end == source.code[body].start:
        body = source.match.get(body, start) + 1
    if body != start or not source.path.endswith(".cu"):
        return False  # who includes a header may use its macros in other ways
    uses = [i for i in declared.spots(source.text[name]) if i != name]
    for i in uses:
        previous = _previous(source, i)
        before, end = source.word(previous), i
        if source.word(i + 1) == b"(":
            end = source.match.get(i + 1, -2)
        if before == b")":
            opener = source.match.get(previous, 0)
            before = b";" if source.word(opener - 1) in _CONTROL else b""
        if before not in (b";", b"{", b"}", b"else", b"do") or source.word(end + 1) != b";":
            return False
    return bool(uses)


def _texture(context: Context, i: int) -> None:
    """`texture<float, 2> t;` at namespace scope."""
    source = context.source
    close = source.template_close(i + 1, len(source.code))
    if (
        close is None
        or not source.is_ident(close + 1)
        or source.word(i - 1) in (b".", b"->", b"::")
    ):
        return
    context.report(
        "PG1801",
        i,
        f"{source.text[i].decode()} references are gone from CUDA 12 and from HIP on most devices",
        last=close,
        hint="use a texture object: cudaTextureObject_t and tex2D<T>(object, x, y)",
    )
