"""What no compiler reads as C++: binary files, UTF-16, merge conflicts, literals without an end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from portgpu.source.lexer import Kind, Token
from portgpu.source.preprocessor import excluded
from portgpu.source.syntax import Source

_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_MAGIC = (b"\x7fELF", b"!<arch>\n", b"!<thin>\n", b"\x89PNG", b"PK\x03\x04", b"\x1f\x8b", b"MZ\x90")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b")) + b"\x7f"
_FOR_PEOPLE = (b"error", b"warning", b"pragma")  # directives that hold any text
_HEAD = 8192  # bytes that decide
_CONFLICT = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: [^\r\n]*)?$", re.MULTILINE)
_RAW = re.compile(rb'(?:u8|[uUL])?R"')
_KINDS = (int(Kind.STRING), int(Kind.CHAR), int(Kind.COMMENT), int(Kind.OTHER))
_WHOLE = re.compile(
    rb"(?:u8|[uUL])?(?:\"(?:[^\"\\\r\n]|\\(?:[ \t]*\r?\n|[\x00-\xff]))*+\""
    rb"|'(?:[^'\\\r\n]|\\(?:[ \t]*\r?\n|[\x00-\xff]))*+')"
)
_COMMENT = re.compile(rb"/\*(?s:.*)\*/")


def no_text(data: bytes) -> str:
    """Why these bytes are no source text ("UTF-16 or UTF-32", "binary"), empty if they may be.

    A few NUL bytes or letters of an old encoding do not count: every compiler skips over these.
    """
    if data.startswith(_WIDE):
        return "UTF-16 or UTF-32"
    if data.startswith(_MAGIC):
        return "binary"
    head = data[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls < 16 or controls * 12 < len(head):
        return ""
    nuls = max(head[0::2].count(0), head[1::2].count(0))
    return "UTF-16 or UTF-32" if nuls * 3 > len(head) else "binary"


def conflicts(data: bytes, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Spans of lines such as `<<<<<<< HEAD`, which `git merge` leaves."""
    if b"<<<<<<<" not in data and b">>>>>>>" not in data:
        return []
    found = [m.span() for m in _CONFLICT.finditer(data)]
    texts = [t for t in tokens if t[0] in _KINDS]
    return [(start, end) for start, end in found if not any(t[1] < start < t[2] for t in texts)]


def unterminated(data: bytes, tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Literals and comments without an end, each with what it is.

    Those in code that the preprocessor skips are among them, where a lone apostrophe is no error.
    """
    string, char, comment, other = _KINDS
    for token in [t for t in tokens if t[0] in _KINDS]:
        kind, start, end = token
        if kind == string:
            if (data[end - 1] != 34 or data[end - 2] == 92 or end - start < 4) and not (
                _RAW.match(data, start) or _WHOLE.fullmatch(data, start, end)
            ):
                yield token, "string"
        elif kind == char:
            if (data[end - 1] != 39 or data[end - 2] == 92 or end - start < 4) and not (
                _WHOLE.fullmatch(data, start, end)
            ):
                yield token, "character"
        elif kind == other:
            if data[start:end] == b"R" and data[end : end + 1] == b'"':
                yield token, "raw string"
        elif kind == comment and data[start + 1] == 42 and not _COMMENT.fullmatch(data, start, end):
            yield token, "comment"


def trouble(source: Source) -> Iterator[tuple[int, int, str]]:
    """(start, end, what it is) of all that stops every compiler, outside of skipped code."""
    for start, end in conflicts(source.data, source.tokens):
        yield start, end, "line of a merge conflict"
    skipped: set[int] | None = None
    for token, what in unterminated(source.data, source.tokens):
        if skipped is None:
            skipped = {source.code[i].start for i in excluded(source, {})}
            skipped |= {
                source.code[i].start
                for d in source.directives
                if d.name in _FOR_PEOPLE
                for i in range(d.first, d.last + 1)
            }
        if token.start not in skipped:
            yield token.start, token.end, f"{what} without an end"
