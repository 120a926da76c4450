"""Headers named elsewhere than in an include: `#define X <x.h>`, `__has_include(<x.h>)`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from portgpu import mapping
from portgpu.source.lexer import Kind
from portgpu.source.syntax import Include, Source


def find(source: Source, is_cuda_header: Callable[[str], bool]) -> Iterator[tuple[Include, int]]:
    """Headers in `__has_include(<x.h>)` and `#define X <x.h>`, with the index of the last token."""
    for d in source.directives:
        if d.name == b"define" and d.last > d.first + 2:
            places = [d.first + 3] if _is_included(source, d.first) else []
        elif d.name in (b"if", b"elif") and b"__has_include" in source.data:
            places = [
                i + 2
                for i in range(d.first, d.last)
                if source.text[i].startswith(b"__has_include") and source.word(i + 1) == b"("
            ]
        else:
            continue
        for i in places:
            quoted = source.code[i][0] == Kind.STRING
            last = i
            while not quoted and source.text[i] == b"<" and last < d.last:
                last += 1
                if source.text[last] == b">":
                    break
            start, end = source.span(i, last)
            name = source.data[start + 1 : end - 1].decode("utf-8", "surrogateescape")
            whole = d.name != b"define" or last == d.last
            if (quoted or source.text[last] == b">") and whole and is_cuda_header(name):
                found = mapping.load().headers.get(name)
                # Whether a header is there that AMD lacks has its answer.
                if d.name == b"define" or found is None or found.target:
                    yield Include(name, quoted, start, end, i), last


def _is_included(source: Source, define: int) -> bool:
    """Whether the `#define` at `define` names a header: by brackets, or the file includes it."""
    return source.text[define + 3] == b"<" or source.text[define + 2] in _included(source)


@functools.lru_cache(maxsize=1)
def _included(source: Source) -> frozenset[bytes]:
    """Macros that the file includes by their name."""
    includes = source.places.get(b"include", ())
    return frozenset(source.word(i + 1) for i in includes if source.word(i - 1) in (b"#", b"%:"))
