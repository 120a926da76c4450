"""Byte offsets to line and column, and back."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile(rb"\r\n|\n|\r")


class LineIndex:
    """Line starts of a file. Lines and columns count from 1; columns count bytes."""

    def __init__(self, data: bytes) -> None:
        self.starts = [0, *(m.end() for m in _LINE_END.finditer(data))]

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a byte offset; an offset past the end counts on the last line."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a line and column; raises `IndexError` for a missing line."""
        return self.starts[line - 1] + column - 1
