"""Inline assembly: finds `asm` statements, and puts portable C++ where their PTX can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from portgpu.findings import Edit, Severity
from portgpu.source.edits import apply_edits
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate.model import Context
from portgpu.translate.ptx import Unreadable, Unsupported, looks_like_ptx, to_cpp
from portgpu.translate.scope import brace_kind, enclosing_heads

_WORDS = frozenset((b"asm", b"__asm__", b"__asm"))
_MODIFIERS = frozenset((b"volatile", b"__volatile__", b"inline", b"__volatile", b"goto"))
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\\": b"\\", b'"': b'"', b"'": b"'"}
# "%w[value]", "%q0": operand modifiers, which PTX has not; constraints other than PTX's.
_HOST_OPERAND = re.compile(r"(?<!%)%[A-Za-z](?:\d|\[)")
_HOST_CONSTRAINT = re.compile(rb"[^=+&%\s,hrlqfdnC\d]")
_ESCAPE = re.compile(rb"\\(\r?\n|.)", re.DOTALL)


_CONTROL = frozenset((b"if", b"for", b"while", b"switch"))
# Special registers whose values mean something else.
_OTHER_VALUES = {
    b"sm_id": "%smid: compute units are not numbered from 0 to their count; use it for tables of"
    " 2048 entries or as a hint, not as an index below multiProcessorCount",
}


@dataclass(frozen=True, slots=True)
class Operand:
    """`[name] "constraint"(expression)`; the expression as it is spelt."""

    name: bytes
    constraint: bytes
    expression: bytes
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Asm:
    """One statement: tokens `first..last` up to the closing bracket, without the semicolon."""

    first: int
    last: int
    template: bytes | None  # None when it is not made of literals alone
    outputs: list[Operand]
    inputs: list[Operand]


def rewrite(context: Context) -> None:
    """Translates every `asm` statement, or reports it (PG1201, PG1202, PG1203)."""
    source = context.source
    for i in context.spots:
        if source.text[i] not in _WORDS or i in context.claimed:
            continue
        statement = _parse(context, i)
        if statement is None:
            continue
        _translate(context, statement)


def _translate(context: Context, statement: Asm) -> None:
    first, last = statement.first, statement.last
    if statement.template is None:
        context.report(
            "PG1202",
            first,
            "this asm is put together by macros and was not read",
            last=last,
            hint="write its text as plain string literals",
            symbol="asm",
        )
        return
    template = statement.template.decode("latin-1")
    if not template.strip():
        if statement.outputs or statement.inputs:
            _replace(context, first, last, b"(void)0")  # a compiler barrier for registers
        return
    operands = [*statement.outputs, *statement.inputs]
    if not looks_like_ptx(template) or _is_host(template, operands):
        return  # the host's assembly
    try:
        text = to_cpp(template, statement.outputs, statement.inputs)
        if context.options.to == "cpu" and b"pg_compat::ptx_ldmatrix" in text:
            raise Unsupported("ldmatrix")  # which reads shared memory by its 32-bit addresses
        if b"endpgm" in text:
            text = _returning(context, first, text)
        if context.options.hipify or (context.options.compat is None and b"pg_compat::" in text):
            raise Unreadable(template.strip().rstrip(";"))  # HIPIFY keeps it, and brings no shims
    except Unsupported as problem:
        context.report(
            "PG1203",
            first,
            f"{problem.instruction}: AMD GPUs have nothing like it with this data layout",
            last=last,
            symbol=problem.instruction,
        )
    except Unreadable as problem:
        context.report(
            "PG1201",
            first,
            f"no portable form is known for {problem.instruction!r}",
            last=last,
            hint="replace it by an intrinsic, or keep it for CUDA only",
            symbol=problem.instruction.split()[0] if problem.instruction.split() else "asm",
        )
    else:
        for name in set(re.findall(rb"pg_compat::(\w+)", text)):
            context.shims.add(name.decode())
            if name in _OTHER_VALUES and context.options.to == "rocm":
                context.report(
                    "PG1003", first, _OTHER_VALUES[name], last=last, severity=Severity.NOTE
                )
        start, end = context.source.span(first, last)
        lines = context.source.data[start:end].count(b"\n") - text.count(b"\n")
        directive = context.source.directive_at(first) is not None
        # Later lines keep their numbers; in a macro the continuations go with the text.
        _replace(context, first, last, text + (b"" if directive else b"\n" * max(0, lines)))


def _returning(context: Context, i: int, text: bytes) -> bytes:
    """`exit` ends one thread, and AMD's instruction its whole wave: a kernel returns instead."""
    source = context.source
    bodies = (
        heads
        for opener, heads in enclosing_heads(source, i)
        if (brace_kind(source, opener) == "function" and not heads & _CONTROL)
        or source.word(opener - 1) == b"]"  # a lambda without parameters
    )
    if source.directive_at(i) is not None or b"__global__" not in next(bodies, set()):
        raise Unreadable("exit")
    return text.replace(b"__builtin_amdgcn_endpgm()", b"return")


def _replace(context: Context, first: int, last: int, text: bytes) -> None:
    """Replaces a statement; edits of its operands are in `text`."""
    start, end = context.source.span(first, last)
    context.edits[:] = [e for e in context.edits if not start < e.start < end]
    context.replace_span(first, last, text)


def _is_host(template: str, operands: list[Operand]) -> bool:
    """Whether it is no PTX: operands that only a host compiler takes, or a name of LLVM's."""
    return (
        template.startswith("llvm.")
        or _HOST_OPERAND.search(template) is not None
        or any(_HOST_CONSTRAINT.search(o.constraint) for o in operands)
    )


def _parse(context: Context, i: int) -> Asm | None:
    source = context.source
    j = i + 1
    while source.word(j) in _MODIFIERS:
        j += 1
    close = source.match.get(j)
    if source.word(j) != b"(" or close is None:
        return None
    # "::" is one token; sections are what lies between colons outside brackets.
    sections: list[list[tuple[int, int]]] = [[]]
    begin = k = j + 1
    while k < close:
        word = source.text[k]
        if word in (b"(", b"[", b"{") and k in source.match:
            k = source.match[k]
        elif word in (b":", b"::"):
            sections[-1].append((begin, k - 1))
            sections.append([])
            if word == b"::":
                sections.append([])
            begin = k + 1
        elif word == b"," and len(sections) > 1:
            sections[-1].append((begin, k - 1))
            begin = k + 1
        elif len(sections) > 1 and source.text[k - 1] == b")" and _is_string(source, k):
            sections[-1].append((begin, k - 1))  # nvcc does without the comma
            begin = k
        k += 1
    sections[-1].append((begin, close - 1))
    template = _template(source, *sections[0][0])
    lists = []
    for section in sections[1:3]:
        operands = [_operand(context, a, b) for a, b in section if b >= a]
        if any(o is None for o in operands):
            template = None
        lists.append([o for o in operands if o is not None])
    lists += [[], []]
    return Asm(i, close, template, lists[0], lists[1])


def _spelt(context: Context, first: int, last: int) -> bytes:
    """The text of an expression, with what other rules have made of it."""
    if last < first:
        return b""
    start, end = context.source.span(first, last)
    edits = [
        Edit(e.start - start, e.end - start, e.text)
        for e in context.edits
        if start <= e.start and e.end <= end
    ]
    return apply_edits(context.source.data[start:end], edits)


def _is_string(source: Source, i: int) -> bool:
    return bool(source.code[i][0] == Kind.STRING)


def _template(source: Source, first: int, last: int) -> bytes | None:
    if last < first:
        return None
    text = b""
    for k in range(first, last + 1):
        if source.code[k][0] != Kind.STRING:
            return None
        word = source.text[k]
        if word.startswith(b'R"'):
            opener = word.index(b"(")
            text += word[opener + 1 : len(word) - (opener - 2) - 2]
        elif word.startswith(b'"'):
            text += _ESCAPE.sub(lambda m: _ESCAPES.get(m.group(1), b""), word.strip(b'"'))
        else:
            return None
    return text


def _operand(context: Context, first: int, last: int) -> Operand | None:
    source, name = context.source, b""
    if source.word(first) == b"[":
        name = source.word(first + 1)
        first = source.match.get(first, first) + 1
    if first > last or source.code[first][0] != Kind.STRING or source.word(first + 1) != b"(":
        return None
    constraint = source.text[first].strip(b'"')
    pointer = b"l" in constraint and any(
        source.text[j - 1] == b"*" and (source.is_ident(j - 2) or source.text[j - 2] == b"*")
        for j in (source.places.get(source.text[first + 2], ()) if first + 3 == last else ())
    )
    return Operand(name, constraint, _spelt(context, first + 2, last - 1), pointer)
