"""What shadow headers cannot do for a source: its text would have to change.

Headers rename, declare and define. They reach neither an `asm` statement nor what Clang reads more
strictly than nvcc; `portgpu translate` rewrites most of that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from portgpu import mapping
from portgpu.findings import Edit, Finding, Severity
from portgpu.headers import names
from portgpu.source.syntax import Source
from portgpu.translate import (
    addresses,
    asm,
    braces,
    defaults,
    dependent,
    dynamic_shared,
    fields,
    launches,
    overloads,
    partial,
    tolerated,
    translate,
    unroll,
    vector_types,
    versions,
)
from portgpu.translate.declarators import Declarators
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context, Options

FINDING = "PG1811"


def check(data: bytes, path: str) -> list[Finding]:
    """The places of a CUDA source that do not compile with shadow headers, sorted.

    PG1811 marks what `portgpu translate` rewrites and headers cannot; what has no counterpart by
    either route has the finding that translate has for it. Never fails on broken input.
    """
    result = translate(data, path)
    found = [f for f in result.findings if f.severity is not Severity.NOTE]
    if result.text is data:  # nothing of CUDA, or no text
        return found
    source = Source(data, path)
    told = {(f.line, f.id) for f in found}
    for what, rewrite in _TEXT.items():
        context = Context(source, Options())
        for edit in rewrite(context):
            line, _ = source.lines.position(edit.start)
            if (line, what) not in told:
                told.add((line, what))
                context.report_span(FINDING, edit.start, edit.end, what, hint=_HINT)
        found += [f for f in context.findings if f.id == FINDING]
    return sorted(found)


_HINT = "portgpu translate rewrites it"


def _edits(rewrite: Callable[[Context], None]) -> Callable[[Context], list[Edit]]:
    def run(context: Context) -> list[Edit]:
        rewrite(context)
        return list(context.edits)

    return run


def _edits_declared(
    rewrite: Callable[[Context, Declarations], None],
) -> Callable[[Context], list[Edit]]:
    return _edits(lambda context: rewrite(context, Declarations(context.source)))


def _own_templates(context: Context) -> list[Edit]:
    overloads.rewrite(context)
    return [edit for edit in context.edits if b"PG_COMPAT_OWN" in edit.text]


def _values_in_braces(context: Context) -> list[Edit]:
    braces.rewrite(context)
    return [edit for edit in context.edits if b"pg_compat::" in edit.text]


def _dynamic_shared(context: Context) -> list[Edit]:
    if dynamic_shared.is_behind_a_scalar(context.source):
        dynamic_shared.rewrite(context)
    return list(context.edits)


def _own_names(context: Context) -> list[Edit]:
    """Members, variables and functions called like what headers give a name in a namespace."""
    source, patterns = context.source, Declarators(context.source)
    found = []
    for name in _in_namespaces() & source.places.keys():
        for i in source.places[name]:
            if source.is_ident(i) and source.word(i - 1) != b"define" and patterns.declares(i):
                token = source.code[i]
                found.append(Edit(token.start, token.end, name))
    return found


def _arch_functions(context: Context) -> list[Edit]:
    versions.rewrite(context, Declarations(context.source))
    return [edit for edit in context.edits if b"ARCH_LEVEL" in edit.text]


@functools.cache
def _in_namespaces() -> set[bytes]:
    """CUDA's functions that stand for functions of ours, by a macro with `::` in it."""
    families = [f for f in mapping.FAMILIES if f not in names.DEVICE and f not in names.NO_NAMES]
    pairs = [pair for family in families for pair in names.names(family)]
    members = names.ALSO_MEMBERS
    return {cuda.encode() for cuda, target in pairs if "::" in target and cuda not in members}


# What would have to change, and the edits of translate that do it.
_TEXT: dict[str, Callable[[Context], list[Edit]]] = {
    "inline PTX: no header changes the text of an asm statement": _edits(asm.rewrite),
    "HIP has such a template itself, and a second one is an error": _own_templates,
    "Clang takes no such list of values": _values_in_braces,
    "Clang wants `typename` here, and no `__restrict__` at what may be no pointer": _edits(
        dependent.rewrite
    ),
    "Clang takes no default arguments in a second declaration": _edits(defaults.rewrite),
    "Clang wants the brackets of a launch in one piece": _edits(launches.rewrite),
    "HIP's vectors take all their values, or one for all members": _edits(partial.rewrite),
    "nvcc aligns dynamic shared memory to 16 bytes, Clang as its type asks": _dynamic_shared,
    "Clang wants a loop behind this pragma": _edits(unroll.rewrite),
    "this name is a macro for a name in a namespace, which nothing else can have": _own_names,
    "HIP's compiler takes this more strictly than nvcc": _edits_declared(tolerated.rewrite),
    "functions of devices in such a branch are not declared for the host's pass": _arch_functions,
    "HIP's device pointers of the driver are untyped, without arithmetic": _edits_declared(
        addresses.rewrite
    ),
    "HIP declares this type in another way": _edits(vector_types.rewrite),
    "HIP calls this member otherwise": _edits(fields.rewrite),
}
