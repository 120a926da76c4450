"""Splits C++ and CUDA source bytes into tokens, in one pass of one regular expression.

It works on bytes of any encoding, never fails, and loses nothing: what lies between two tokens is
white space, line continuations included. Broken input ends a literal at its line's end, as
compilers do in code that the preprocessor skips.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """What a token is; the values are the group numbers of the regular expression."""

    IDENT = 1  # keywords too; may hold line continuations, see `spell`
    PUNCT = 2  # ">" always comes alone, "<<<" together
    NUMBER = 3
    STRING = 4  # with its prefix; raw strings too
    COMMENT = 6
    CHAR = 7
    INCLUDE = 8  # '#include "x"' or '#include <x>' as a whole
    HASH = 9  # "#" or "%:"; starts a directive when it comes first on its line
    OTHER = 10  # a byte that starts no token, such as NUL or a lone backslash


class Token(NamedTuple):
    """The bytes `[start, end)` of the file, and what they are."""

    kind: int
    start: int
    end: int


# What may stand between the words of a directive: blanks, continued lines, comments.
# Python before 3.11.5 takes possessive groups wrongly within which something may be given back.
GAP = rb"(?:[ \t]|\\[ \t]*+\r?+\n|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
_PATTERN = re.compile(
    rb"""
    ((?!(?:u8|[uUL])?R?["']) [A-Za-z_$\x80-\xff] [A-Za-z0-9_$\x80-\xff]*+
        (?:(?:\\[ \t]*\r?\n)++[A-Za-z0-9_$\x80-\xff]++)*+)
  | ([(){},;\[\]] | <<<|<<=|<<|<=|<%|<:(?!:(?![:>]))|< | ::|:>|: | ->\*?|-=|--|- | &&|&=|&
        | \|\||\|=|\| | [=!*^]=|[=!*^?~] | \+\+|\+=|\+ | \.(?![0-9])(?:\.\.|\*)?
        | /(?![/*]|\\[ \t]*\r?\n)=? | %>|%=|%:%:|%(?!:) | \#\# | >)
  | (\.?[0-9] (?:[eEpP][+\-]|'(?=[0-9A-Za-z_])|[A-Za-z0-9_.\x80-\xff])*+)
  | ((?:u8|[uUL])?(?:
          R"([^()\\\s]{0,16})\( (?s:.*?) \)\5"
        | "[^"\\\r\n]*+ (?:\\(?:[ \t]*\r?\n|[\x00-\xff])[^"\\\r\n]*+)*+ "?))
  | (/(?:\\[ \t]*\r?\n)*+
        (?:/[^\\\r\n]*+ (?:\\(?:[ \t]*\r?\n|[^\r\n])?[^\\\r\n]*+)*+ | \*(?s:.*?\*/) | \*(?s:.*)))
  | ((?:u8|[uUL])?'[^'\\\r\n]*+ (?:\\(?:[ \t]*\r?\n|[\x00-\xff])[^'\\\r\n]*+)*+ '?)
  | (\#GAP(?:include|include_next|import)\bGAP(?:<[^>\r\n]{0,4096}>|"[^"\r\n]{0,4096}"))
  | (\#|%:)
  | ([^\s\\]|\\(?![ \t]*\r?\n))
    """.replace(b"GAP", GAP),
    re.VERBOSE,
)
_RAW = re.compile(rb'(?<![A-Za-z0-9_$\x80-\xff])((?:u8|[uUL])?)R"([^()\\\s]{0,16})\(')
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
_NEWLINE = re.compile(rb"\n|\r(?!\n)")


def tokenize(data: bytes) -> list[Token]:
    """All tokens of `data` in order. Never raises, whatever the bytes are."""
    if b'R"' in data:
        data = _without_open_raws(data)
    new = tuple.__new__  # Token's own constructor would take a third of the time
    # lastindex is the outermost group that matched: the kind. A byte order mark is no token.
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    return [new(Token, (m.lastindex, *m.span())) for m in _PATTERN.finditer(data, start)]


def _without_open_raws(data: bytes) -> bytes:
    """`data` with another byte for the R of raw strings that never end.

    The search for an end, from each of them to the end of the file, would be quadratic.
    """
    openings = list(_RAW.finditer(data))
    last = {name: data.rfind(b')%s"' % name) for name in {opening[2] for opening in openings}}
    open_ = [opening.end(1) for opening in openings if last[opening[2]] < opening.end()]
    if not open_:
        return data
    masked = bytearray(data)
    for at in open_:
        masked[at] = 0
    return bytes(masked)


def spell(data: bytes, token: Token) -> bytes:
    """A token's text without line continuations (an identifier may be cut by one)."""
    text = data[token.start : token.end]
    return _SPLICE.sub(b"", text) if b"\\" in text else text


def has_newline(data: bytes, start: int, end: int) -> bool:
    """Whether a logical line ends in `[start, end)`: a line end that no backslash continues."""
    gap = data[start:end]
    if b"\\" in gap:
        gap = _SPLICE.sub(b"", gap)
    return _NEWLINE.search(gap) is not None
