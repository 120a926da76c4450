"""Functions of the program's own that HIP's headers define too.

Programs bring `operator+(float4, float4)`, `atomicMax(double*, double)` or `__ldg` along, because
CUDA lacks them. Where HIP has the same function, a second definition or an ambiguous call is an
error. As a template (`template <int...>`, a pack that is always empty) the program's own version is
still found, and gives way to HIP's where there is one.
"""

from __future__ import annotations

import bisect
import functools
import re

from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.scope import brace_kind

_PREFIX = b"template <int...> "
_FUNCTIONS = frozenset(
    b"atomicAdd atomicSub atomicMin atomicMax atomicExch atomicCAS atomicAnd atomicOr atomicXor min"
    b" max __ldg fminf fmaxf rsqrt".split()
)
# HIP has these as templates: a second one for all types is told apart by an attribute, and wins.
_TEMPLATES = frozenset((b"min", b"max", b"__ldg"))
_VECTOR = re.compile(
    rb"(?:u?char|u?short|u?int|u?long|u?longlong|float|double|__half|half|__nv_bfloat16)[1-4]\Z"
    rb"|(?:__half|half|__nv_bfloat16|nv_bfloat16)\Z"
)
_OPENING = frozenset((b"if", b"ifdef", b"ifndef"))
_CONDITIONS = _OPENING | {b"else", b"elif", b"elifdef", b"elifndef"}
_OPERATORS = frozenset(b"+ - * / % += -= *= /= %= == != < > <= >= ++ -- & | ^ ~ ! << >>".split())


def rewrite(context: Context) -> None:
    """Makes such definitions and their prototypes templates; PG1805 notes each."""
    source = context.source
    if context.is_hip:
        return
    for i, word in enumerate(source.text):
        if word == b"operator":
            opener = _operator(source, i)
        elif word in _FUNCTIONS and source.word(i + 1) == b"(":
            opener = i + 1
        else:
            continue
        if opener is None or i in context.claimed:
            continue
        close = source.match.get(opener)
        if close is None or source.word(close + 1) not in (b"{", b";"):
            continue
        parameters = source.text[opener + 1 : close]
        if word == b"operator" and not any(_VECTOR.match(w) for w in parameters):
            continue
        start = _start(source, i)
        if start is not None:
            newline = b"\n" if source.text[start] == b"#" else b""
            context.insert_before(start, (_PREFIX.rstrip() + newline) if newline else _PREFIX)
        elif word in _TEMPLATES and context.options.compat and _is_template(source, i):
            context.shims.add("PG_COMPAT_OWN")
            context.insert_after(close, b" PG_COMPAT_OWN")
        else:
            continue
        name = b"".join(source.text[i:opener]).decode("latin-1")
        context.report(
            "PG1805",
            i,
            f"HIP has {name} for such arguments in some versions; this one "
            + ("gives way to it" if start is not None else "is told apart from it"),
            symbol=name,
        )


def _operator(source: Source, i: int) -> int | None:
    """Index of the "(" of the parameter list of an operator that HIP may have."""
    j = i + 1
    spelt = b""
    while j < len(source.code) and source.code[j][0] == Kind.PUNCT and source.text[j] != b"(":
        spelt += source.text[j]
        j += 1
    return j if spelt in _OPERATORS and source.word(j) == b"(" else None


def _start(source: Source, i: int) -> int | None:
    """First token of the declaration of the name at `i`; None when it is no such declaration."""
    if not (source.is_ident(i - 1) or source.word(i - 1) in (b"&", b"*", b">")):
        return None
    directives = source.directives
    k = bisect.bisect_left(directives, i, key=lambda d: d.first) - 1
    j, start, depth, begun = i - 1, i, 0, i
    while j >= 0:
        if k >= 0 and directives[k].first <= j <= directives[k].last:
            d = directives[k]
            if d.name == b"endif":
                depth, begun = depth + 1, start if depth == 0 else begun
            elif d.name in _CONDITIONS:
                if depth == 0:
                    break
                if d.name in _OPENING:
                    depth -= 1
                    if depth == 0 and start != begun:
                        start = d.first
            j, k = d.first - 1, k - 1
            continue
        word = source.text[j]
        if word in (b";", b"}", b"{"):
            break
        if word == b")":
            j = source.match.get(j, -1)
            if source.word(j - 1) not in (b"__launch_bounds__", b"__attribute__", b"__declspec"):
                return None
        elif word in (b"(", b",", b"=", b"return", b"template", b"friend", b"::", b"else", b"new"):
            return None
        elif word == b">":
            opener = source.template_open(j)
            if opener is None or source.word(opener - 1) == b"template":
                return None
            j = opener
        start = j
        j -= 1
    if start >= i or source.text[start] == b"extern":
        return None
    if source.text[start] != b"#" and not source.is_ident(start):
        return None
    if source.text[start] in (b"case", b"goto", b"throw", b"delete", b"using", b"typedef"):
        return None
    # "#": `#ifdef X / inline / #endif / T f()`, where what is inserted must hold for every branch.
    return start if _at_namespace_scope(source, start) else None


@functools.lru_cache(maxsize=1)
def outermost(source: Source) -> list[tuple[int, int]]:
    """Pairs of braces that no other braces are around."""
    found: list[tuple[int, int]] = []
    for i in source.places.get(b"{", ()):
        close = source.match.get(i)
        if close is not None and (not found or i > found[-1][1]):
            found.append((i, close))
    return found


def _is_template(source: Source, i: int) -> bool:
    """Whether the name at `i` is declared as a template in the global namespace, as HIP's is."""
    j = i - 1
    while source.is_ident(j) or source.word(j) in (b"&", b"*"):
        j -= 1
    opener = source.template_open(j) if source.word(j) == b">" and j < i - 1 else None
    if opener is None or source.word(opener - 1) != b"template":
        return False
    if source.text[opener + 1 : opener + 3] == [b"int", b"..."]:
        return False  # ours
    braces = outermost(source)
    k = bisect.bisect_right(braces, opener, key=lambda pair: pair[0]) - 1
    return k < 0 or braces[k][1] < opener


def _at_namespace_scope(source: Source, i: int) -> bool:
    around = source.enclosing(i)
    while around is not None:
        if source.text[around] != b"{" or brace_kind(source, around) != "namespace":
            return False
        around = source.enclosing(around)
    return True
