"""Launches of which a macro of the file holds one part: the kernel and its configuration, the
configuration in its brackets, or the values in it. They are written out at the place of use."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from portgpu.findings import Edit
from portgpu.source.launch import Launch, kernel_before
from portgpu.source.syntax import Source
from portgpu.translate import targets
from portgpu.translate.model import Context


@dataclass(frozen=True, slots=True)
class _Part:
    """`kernel<<<values>>>` of a macro's body; either may be missing. Indices of `Source.code`."""

    opener: int  # "<<<", or -1
    kernel: tuple[int, int] | None
    values: list[tuple[int, int]]


@functools.lru_cache(maxsize=1)
def bodies(source: Source) -> dict[bytes, tuple[int, int]]:
    """Macros without parameters that are defined once -> first and last token of their bodies."""
    found: dict[bytes, tuple[int, int]] = {}
    twice: set[bytes] = set()
    for d in source.directives:
        if d.name != b"define" or d.last < d.first + 3:
            continue
        name = source.text[d.first + 2]
        if source.code[d.first + 2].end == source.code[d.first + 3].start:
            continue  # it has parameters
        twice |= {name} & found.keys()
        found[name] = d.first + 3, d.last
    return {name: body for name, body in found.items() if name not in twice}


def rewrite(context: Context, incomplete: list[Launch], unclear: list[int]) -> set[int]:
    """Writes such launches out; returns the places of "<<<" that are done, or need no change.

    `incomplete` are launches with one word for their configuration; `unclear` all other "<<<".
    """
    source = context.source
    macros = bodies(source)
    done: set[int] = set()
    for launch in incomplete:
        part = _values(source, macros.get(source.text[launch.config[0][0]]))
        whole = launch.config[0][0] == launch.config[0][1]
        if part is not None and whole and not _holds_directive(source, *launch.arguments):
            _write(context, launch.kernel, part, launch.kernel[1] + 1, launch.arguments)
            done.add(launch.open)
    for name, (first, last) in macros.items():
        part = _whole(source, first, last)
        if part is None or part.opener not in unclear:
            continue
        uses = [i for i in source.places[name] if source.is_ident(i) and i != first - 1]
        calls = [i for i in uses if _is_call(source, i)]
        for i in calls:
            kernel, begin = part.kernel, i
            if kernel is None:
                start = kernel_before(source, i)
                if start is None:
                    continue
                kernel = (start, i - 1)
            _write(context, kernel, part, begin, (i + 1, source.match[i + 1]))
        if calls and calls == uses:
            done.add(part.opener)
    return done


def _is_call(source: Source, i: int) -> bool:
    """Whether arguments follow the name at `i`, without a directive among them."""
    opener = i + 1
    close = source.match.get(opener)
    called = source.word(opener) == b"(" and close is not None
    return called and not _holds_directive(source, opener, close or opener)


def _holds_directive(source: Source, first: int, last: int) -> bool:
    from portgpu.translate.launches import has_directive

    return has_directive(source, first, last)


def _values(source: Source, body: tuple[int, int] | None) -> _Part | None:
    """A body of two to four values with commas between them."""
    values = source.split_commas(*body) if body is not None else []
    whole = 2 <= len(values) <= 4 and all(first <= last for first, last in values)
    return _Part(-1, None, values) if whole else None


def _whole(source: Source, first: int, last: int) -> _Part | None:
    """A body `kernel<<<values>>>` or `<<<values>>>`."""
    openers = [i for i in range(first, last) if source.text[i] == b"<<<"]
    if len(openers) != 1 or source.text[last - 2 : last + 1] != [b">", b">", b">"]:
        return None
    i = openers[0]
    part = _values(source, (i + 1, last - 3))
    if part is None:
        return None
    kernel = None if i == first else (first, i - 1)
    if kernel is not None and kernel_before(source, i) != first:
        return None
    return _Part(i, kernel, part.values)


def _write(
    context: Context,
    kernel: tuple[int, int],
    part: _Part,
    begin: int,
    arguments: tuple[int, int],
) -> None:
    """hipLaunchKernelGGL(...) for a use: all from `begin` up to "(" becomes the configuration."""
    from portgpu.translate.launches import is_dim3, kernel_marks

    source = context.source
    before, after = kernel_marks(context, *kernel)
    texts = []
    for number, (first, last) in enumerate(part.values):
        text = targets.translated(context, first, last)
        texts.append(text if number > 1 or is_dim3(source, first, last) else b"dim3(%s)" % text)
    texts += [b"0"] * (4 - len(texts))
    opener, close = arguments
    empty = close == opener + 1
    rest = b", ".join([after + b", " + texts[0], *texts[1:]]) + b", " * (not empty)
    if part.kernel is None:
        context.insert_before(kernel[0], b"hipLaunchKernelGGL(" + before)
        start = source.code[kernel[1]].end
    else:
        name = targets.translated(context, *kernel)
        rest = b"hipLaunchKernelGGL(" + before + name + rest
        start = source.code[begin].start
    context.claimed.update(range(begin, opener + 1))
    for a, b, text in ((start, opener + 1, rest), (source.code[close - 1].end, close, b"")):
        end = source.code[b].start
        gap = source.data[source.code[b - 1].end : end]
        context.edits.append(Edit(a, end if not gap.strip() else source.code[b - 1].end, text))
        if empty:
            break
