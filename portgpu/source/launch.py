"""Finds kernel launches `kernel<<<grid, block, shared, stream>>>(arguments)`."""

from __future__ import annotations

from dataclasses import dataclass

from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source

_NOT_CALLEES = frozenset(
    b"if while for switch return else do case throw co_return co_yield delete new sizeof".split()
)


_CONTROL = frozenset((b"if", b"for", b"while", b"switch", b"constexpr"))
_STATEMENT_ENDS = frozenset((b";", b"{", b"}", b":", b"?", b"else", b"do", b"=", b"return"))


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch; all numbers index `Source.code`, pairs are inclusive."""

    kernel: tuple[int, int]
    open: int  # "<<<"
    config: list[tuple[int, int]]  # one to four expressions, or any number when it is malformed
    close: int  # the first ">" of ">>>"
    arguments: tuple[int, int]  # "(" and ")"

    @property
    def empty(self) -> bool:
        """Whether the kernel takes no arguments."""
        return self.arguments[1] == self.arguments[0] + 1


def launches(source: Source) -> tuple[list[Launch], list[int]]:
    """(launches, indices of "<<<" that look like a launch but cannot be understood)."""
    found: list[Launch] = []
    unclear: list[int] = []
    for i in source.places.get(b"<<<", ()):
        if source.code[i][0] != Kind.PUNCT:
            continue
        if source.word(i + 1) == b"<<<" or source.word(i - 1) == b"<<<":
            continue  # a merge conflict marker
        launch = _parse(source, i)
        if launch is None:
            unclear.append(i)
        else:
            found.append(launch)
    return found, unclear


def _parse(source: Source, i: int) -> Launch | None:
    start = kernel_before(source, i)
    close = _config_end(source, i)
    if start is None or close is None:
        return None
    paren = close + 3
    inside = source.directive_at(i)
    if inside is not None and not inside.first < start <= paren <= inside.last:
        return None  # a macro that ends before the launch does
    end = source.match.get(paren)
    if source.word(paren) != b"(" or end is None:
        return None
    config = source.split_commas(i + 1, close - 1)
    if not config or any(last < first for first, last in config):
        return None
    return Launch((start, i - 1), i, config, close, (paren, end))


def kernel_before(source: Source, i: int) -> int | None:
    """First token of the kernel that is launched by the "<<<" at `i`."""
    start = kernel_start(source, i - 1)
    template = _statement_template(source, i - 1) if source.word(i - 1) == b">" else None
    return start if template is None else template


def _statement_template(source: Source, last: int) -> int | None:
    """First token of the statement that ends at `last`, if it starts with `name<`.

    In `k<3, a < b><<<1, 2>>>(p)` the last "<" is a less-than: a launch has no value, so nothing but
    the kernel can stand in front of it, and its first "<" opens the template's arguments.
    """
    inside = source.directive_at(last)
    j = last
    while j > 0:
        before = source.word(j - 1)
        if before in _STATEMENT_ENDS or source.before(j) != before:
            break
        if inside is not None and j - 1 <= inside.first + 2:
            break  # the name of a macro
        if before in (b")", b"]"):
            opener = source.match.get(j - 1)
            if opener is None or source.word(opener - 1) in _CONTROL:
                break
            if inside is not None and opener - 1 == inside.first + 2:
                break
            j = opener
        elif before in (b"(", b"["):
            break
        else:
            j -= 1
    k = j + (source.word(j) == b"::")
    while source.is_ident(k) and source.word(k + 1) == b"::":
        k += 2
    named = source.is_ident(k) and source.text[k] not in _NOT_CALLEES
    return j if named and source.word(k + 1) == b"<" and k + 1 < last else None


def kernel_start(source: Source, i: int) -> int | None:
    """First token of the postfix expression that ends at `i`: names, members, templates, calls."""
    start: int | None = None
    while i >= 0:
        word = source.text[i]
        if word in (b")", b"]"):
            opener = source.match.get(i)
            if opener is None:
                return start
            start, before = opener, opener - 1
            if source.is_ident(before) and source.text[before] not in _NOT_CALLEES:
                i = before
                continue
            if source.word(before) in (b"]", b">"):
                i = before
                continue
            return start
        if word == b">":
            opener = source.template_open(i)
            if opener is None:
                return start
            i = opener - 1
            start = i
            continue
        if not source.is_ident(i) or word in _NOT_CALLEES:
            return start
        start = i
        previous = source.word(i - 1)
        if previous == b"template" and source.word(i - 2) in (b".", b"->", b"::"):
            i -= 1
            previous = source.word(i - 1)
        if previous in (b".", b"->"):
            i -= 2
        elif previous == b"::":
            start = i - 1
            if not (source.is_ident(i - 2) or source.word(i - 2) == b">"):
                return start
            if source.word(i - 2) in _NOT_CALLEES:
                return start
            i -= 2
        elif previous == b"##":
            start = i - 1
            i -= 2
        else:
            return start
    return start


def _config_end(source: Source, i: int) -> int | None:
    """Index of the first of the three ">" that end the configuration opened at `i`."""
    j, n = i + 1, len(source.code)
    while j < n:
        word = source.text[j]
        if word in (b"(", b"[", b"{"):
            partner = source.match.get(j)
            if partner is None:
                return None
            j = partner
        elif word in (b")", b"]", b"}", b";", b"<<<"):
            return None
        elif word == b">":
            run = j
            while source.word(run + 1) == b">" and (
                source.code[run].end == source.code[run + 1].start
                or (run == j + 1 and source.word(run + 2) == b"(")  # ">> >", as nvcc takes it
            ):
                run += 1
            if run - j >= 2 and source.word(run + 1) == b"(":
                return run - 2
            j = run
        j += 1
    return None
