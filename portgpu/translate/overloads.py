"""Functions of the program's own that HIP's headers define too.

Programs bring `operator+(float4, float4)`, `atomicMax(double*, double)` or `__ldg` along, because
CUDA lacks them. Where HIP has the same function, a second definition or an ambiguous call is an
error. As a template (`template <int...>`, a pack that is always empty) the program's own version is
still found, and gives way to HIP's where there is one.
"""

from __future__ import annotations

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
_VECTOR = re.compile(
    rb"(?:u?char|u?short|u?int|u?long|u?longlong|float|double|__half|half|__nv_bfloat16)[1-4]\Z"
    rb"|(?:__half|half|__nv_bfloat16|nv_bfloat16)\Z"
)
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
        if start is None:
            continue
        context.insert_before(start, _PREFIX)
        name = b"".join(source.text[i:opener]).decode("latin-1")
        context.report(
            "PG1805",
            i,
            f"HIP has {name} for such arguments in some versions; this one gives way to it",
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
    j = i - 1
    while j >= 0:
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
        elif j + 1 < len(source.code) and _after_directive(source, j):
            break
        j -= 1
    start = j + 1
    if start >= i or source.text[start] in (b"#", b"extern") or not source.is_ident(start):
        return None
    if source.text[start] in (b"case", b"goto", b"throw", b"delete", b"using", b"typedef"):
        return None
    return start if _at_namespace_scope(source, start) else None


def _after_directive(source: Source, j: int) -> bool:
    """Whether `j` ends a preprocessor directive."""
    return any(d.first <= j <= d.last for d in source.directives)


def _at_namespace_scope(source: Source, i: int) -> bool:
    j = i - 1
    while j >= 0:
        word = source.text[j]
        if word in (b"}", b")", b"]"):
            j = source.match.get(j, j)
        elif word == b"{" and source.match.get(j, -1) > i:
            if brace_kind(source, j) != "namespace":
                return False
        elif word in (b"(", b"[") and source.match.get(j, -1) > i:
            return False
        j -= 1
    return True
