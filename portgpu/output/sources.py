"""The text around a finding: line lookup, column conversion and content fingerprints."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from portgpu.files import read_regular
from portgpu.findings import Finding


class Sources:
    """Lines of source files, by the paths that findings use; unreadable files have no lines."""

    def __init__(self, given: Mapping[str, bytes], root: Path | None = None) -> None:
        self._given = given
        self._root = root
        self._lines = functools.cache(self._split)

    def line(self, path: str, number: int) -> bytes:
        """Line `number` (from 1) without its ending; empty when there is no such line."""
        lines = self._lines(path)
        return lines[number - 1].rstrip(b"\r") if 0 < number <= len(lines) else b""

    def text(self, path: str, number: int) -> str:
        """Line `number` decoded; bytes that are not UTF-8 become replacement characters."""
        return self.line(path, number).decode("utf-8", "replace")

    def column(self, path: str, number: int, byte_column: int) -> int:
        """The column in characters, from 1, of a column in bytes, from 1."""
        return len(self.line(path, number)[: byte_column - 1].decode("utf-8", "replace")) + 1

    def end(self, finding: Finding) -> tuple[int, int]:
        """Line and byte column just behind the finding's span (its own place without a span)."""
        length = finding.end - finding.start
        line, column = finding.line, finding.column
        if length <= 0:
            return line, column
        lines = self._lines(finding.path)
        while line <= len(lines) and column - 1 + length > len(lines[line - 1]):
            length -= len(lines[line - 1]) - (column - 1) + 1
            line, column = line + 1, 1
            if length <= 0:
                return line - 1, len(lines[line - 2]) + 1
        return (line, column + length) if line <= len(lines) else (finding.line, finding.column)

    def _split(self, path: str) -> list[bytes]:
        data = self._given.get(path)
        if data is None:
            try:
                data = read_regular(self._root / path if self._root else Path(path))
            except (OSError, ValueError):
                return []
        return data.split(b"\n")


def fingerprints(findings: Sequence[Finding], sources: Sources) -> list[str]:
    """A stable key for each finding that survives edits elsewhere in the file.

    The key hashes ID, path, symbol and the finding's line without blanks, plus a running number
    for equal ones, so that a moved line keeps its key and a second copy gets another.
    """
    seen: dict[str, int] = {}
    keys = []
    for finding in findings:
        line = b"".join(sources.line(finding.path, finding.line).split())
        parts = (finding.id.encode(), os.fsencode(finding.path), finding.symbol.encode(), line)
        key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]
        count = seen[key] = seen.get(key, 0) + 1
        keys.append(f"{key}:{count}")
    return keys
