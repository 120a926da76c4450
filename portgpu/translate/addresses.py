"""`CUdeviceptr` is an integer, HIP's `hipDeviceptr_t` a `void*`: C++ counts no bytes with it.

Sums and differences go by a pointer to bytes, other arithmetic by an integer. Names count that the
file or a local header declares with this type, functions that return it, and `auto` variables that
such values initialise.
"""

from __future__ import annotations

from portgpu.source.launch import kernel_start
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.covered import in_amd_branch
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

_TYPE = b"CUdeviceptr"
_SUMS = (b"+", b"-")
_SETS = {b"+=": b"+", b"-=": b"-"}
_BITS = (b"%", b"&", b"|", b"^", b"<<", b">>", b"*", b"/")
# Name -> where the file declares it with this type, and whether it is a function.
_Names = dict[bytes, tuple[set[int | None], bool]]
_VALUE_ENDS = (b")", b"]")


def rewrite(context: Context, declared: Declarations) -> None:
    source = context.source
    if context.options.compat is None or context.is_hip:
        return
    names: _Names = _names(source) if _TYPE in source.places else {}
    for word in context.options.known:
        if word.startswith(api.ADDRESS):
            name = word.removeprefix(api.ADDRESS).removesuffix(b"()")
            # A header's is declared nowhere here.
            names.setdefault(name, (set(), word.endswith(b"()")))[0].add(None)
    deduced: _Names = {}
    for name in sorted(names):
        _uses(context, declared, name, *names[name], deduced)
    for name in sorted(deduced):
        _uses(context, declared, name, *deduced[name], {})


def _uses(
    context: Context,
    declared: Declarations,
    name: bytes,
    places: set[int | None],
    function: bool,
    deduced: _Names,
) -> None:
    """Rewrites the uses of a name; `deduced` gets what `auto x = name;` declares."""
    source = context.source
    for i in source.places.get(name, ()):
        if i in places or i in context.claimed or source.word(i - 1) == b"::":
            continue
        member = source.word(i - 1) in (b".", b"->")
        if not member and not function and declared.declaration(i) not in places:
            continue
        end = i
        if function:
            if source.word(i + 1) != b"(" or source.match.get(i + 1) is None:
                continue
            end = source.match[i + 1]
        start = kernel_start(source, end)
        if start is None or in_amd_branch(source, i):
            continue
        _use(context, start, end)
        if source.word(start - 1) == b"=" and source.word(end + 1) in (b";", b","):
            k = start - 2
            if source.is_ident(k) and b"auto" in (source.word(k - 1), source.word(k - 2)):
                deduced.setdefault(source.text[k], (set(), False))[0].add(k)


def _names(source: Source) -> _Names:
    found: _Names = {}
    for i in source.places[_TYPE]:
        j = i + 1
        while source.word(j) == b"const":
            j += 1
        while source.is_ident(j) and source.word(j + 1) != b"::":
            function = source.word(j + 1) == b"(" and _is_function(source, j + 1)
            found.setdefault(source.text[j], (set(), function))[0].add(j)
            if source.word(j + 1) != b"," or source.word(i - 1) in (b"(", b",", b"<"):
                break
            j += 2
    return found


def _is_function(source: Source, opener: int) -> bool:
    close = source.match.get(opener, opener)
    after = source.word(close + 1)
    empty = close == opener + 1
    return after in (b"{", b"const", b"override", b"noexcept") or (empty and after == b";")


def _use(context: Context, first: int, last: int) -> None:
    source = context.source
    before, after = source.word(first - 1), source.word(last + 1)
    if after in _SETS:
        end = _expression_end(source, last + 2)
        name = source.data[source.code[first].start : source.code[last].end]
        made = b"= " + context.shim("device_bytes") + b"(" + name + b") " + _SETS[after] + b" ("
        context.replace(last + 1, made)
        context.insert_after(end, b")")
        return
    if after in _BITS or before in (b"%", b"|", b"^", b"<<", b">>", b"/"):
        if after == b"&" and source.word(last + 2) in (b"&", b")"):
            return
        context.wrap(first, last, context.shim("device_address") + b"(", b")")
    elif after in _SUMS or (before in _SUMS and _is_value(source, first - 2)):
        context.wrap(first, last, context.shim("device_bytes") + b"(", b")")
    elif before == b"(" and after == b")" and _to_number(source, first - 1):
        context.wrap(first, last, context.shim("device_address") + b"(", b")")


def _is_value(source: Source, i: int) -> bool:
    return source.text[i] in _VALUE_ENDS or source.is_ident(i) or source.text[i][:1].isdigit()


def _to_number(source: Source, opener: int) -> bool:
    """`static_cast<size_t>(p)`, but not `static_cast<T*>(p)`."""
    open_ = source.template_open(opener - 1) if source.word(opener - 1) == b">" else None
    return (
        open_ is not None
        and source.word(open_ - 1) == b"static_cast"
        and source.word(opener - 2) not in (b"*", _TYPE)
    )


def _expression_end(source: Source, i: int) -> int:
    """Last token of the expression that begins at `i`, up to `;`, `,` or a closing bracket."""
    while i < len(source.code) and source.text[i] not in (b";", b",", b")", b"]", b"}"):
        i = source.match.get(i, i) + 1 if source.text[i] in (b"(", b"[", b"{") else i + 1
    return i - 1
