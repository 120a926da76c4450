"""A value that one lane sets and a function of the program's own hands on."""

from __future__ import annotations

from portgpu.findings import Severity
from portgpu.mapping import Kind
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.model import Context
from portgpu.translate.scope import enclosing_heads

_DEVICE = frozenset((b"__global__", b"__device__"))
_NEAR = 80  # tokens from the branch to the call
_FAR = 400  # and back to the declaration
_NO_CALLS = frozenset((b"if", b"while", b"for", b"switch", b"sizeof", b"decltype", b"return"))


def rewrite(context: Context) -> None:
    """Notes (PG1815) on `int n; if (lane == 0) n = …; n = broadcast(n);`."""
    source = context.source
    if context.is_hip or context.options.hipify:
        return
    for i in source.places.get(b"if", ()):
        variable = _set_in_branch(source, i)
        if variable is None or not _is_unset_before(source, i, source.text[variable]):
            continue
        call = _handed_on(source, variable)
        if call is None or not any(heads & _DEVICE for _, heads in enclosing_heads(source, i)):
            continue
        name = source.text[variable].decode("utf-8", "replace")
        context.report(
            "PG1815",
            call,
            f"{name} is set in some lanes alone and passed on by value: without"
            " `-Xclang -no-enable-noundef-analysis` Clang may drop the condition",
            hint=f"give {name} a value where it is declared, or take the flag of `portgpu build`",
            severity=Severity.NOTE,
        )


def _set_in_branch(source: Source, i: int) -> int | None:
    """Index of `x` in `if (…) x = …;` or `if (…) { x = …; }` without `else`."""
    close = source.match.get(i + 1)
    if close is None:
        return None
    first = close + 1
    end = source.match.get(first) if source.word(first) == b"{" else None
    first += end is not None
    if not source.is_ident(first) or source.word(first + 1) != b"=":
        return None
    if end is None:
        end = first
        while source.word(end) not in (b";", b"}", b""):
            end = max(end, source.match.get(end, end)) + 1
    return None if source.word(end + 1) == b"else" else first


def _is_unset_before(source: Source, i: int, name: bytes) -> bool:
    """Whether what the name means before `i` is `T x;`, and nothing has been assigned since."""
    for k in range(i - 1, max(0, i - _FAR), -1):
        if source.text[k] == name and source.word(k - 1) not in (b".", b"->"):
            declared = source.is_ident(k - 1) or source.word(k - 1) == b","
            return declared and source.word(k + 1) in (b";", b",")
    return False


def _handed_on(source: Source, variable: int) -> int | None:
    """Index of `f` in `x = f(…, x, …)` behind the branch, of a function that is no API's."""
    name = source.text[variable]
    for k in range(variable + 2, min(len(source.code) - 3, variable + _NEAR)):
        if source.text[k] != name or source.word(k + 1) != b"=":
            continue
        call = k + 2
        while source.word(call + 1) == b"::":
            call += 2
        opener = call + 1
        if source.word(opener) == b"<":
            opener = (source.template_close(opener, opener + 20) or opener) + 1
        close = source.match.get(opener)
        if source.word(opener) != b"(" or close is None or not source.is_ident(call):
            return None
        word = source.text[call]
        if word in _NO_CALLS or word.startswith(b"__") or word in api.shims():
            return None
        row = api.entry(word)
        if row is not None and row.kind is not Kind.TYPE:
            return None
        arguments = source.split_commas(opener + 1, close - 1)
        return call if any(a == b and source.text[a] == name for a, b in arguments) else None
    return None
