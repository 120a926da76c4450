"""Terminal output: a progress line, plain lines in CI, tables. Knows nothing of builds.

On a terminal, progress rewrites one line; elsewhere each step is a line of its own, so that logs
stay readable. `NO_COLOR` and `TERM=dumb` are honoured; `CI` set means plain lines.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TextIO


def discard_output() -> None:
    """Sends standard output nowhere: what is left in its buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def is_interactive(stream: TextIO | None = None) -> bool:
    """Whether a line may be rewritten on this stream (default stderr)."""
    stream = stream or sys.stderr
    return stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


def has_colour(stream: TextIO | None = None) -> bool:
    """Whether escape sequences for colour are welcome on this stream (default stdout)."""
    stream = stream or sys.stdout
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def note(text: str) -> None:
    """A line for people, on stderr (stdout belongs to results)."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """Counted progress of one task. `step` is cheap; lines in CI are thinned out by time."""

    _INTERVAL = 10.0  # seconds between plain lines while nothing new is worth a line

    def __init__(self, title: str, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._live = not quiet and is_interactive(self._stream)
        self._open = False
        self._last_line = 0.0
        self._started = time.monotonic()

    def step(self, done: int, total: int, label: str = "") -> None:
        """Show `done` of `total`, and what is being worked on."""
        if self._quiet:
            return
        if self._live:
            self._rewrite(done, total, label)
            return
        now = time.monotonic()
        if done in (0, total) or now - self._last_line >= self._INTERVAL or total <= 20:
            self._last_line = now
            print(f"[{self._title}] {done}/{total} {label}".rstrip(), file=self._stream, flush=True)

    def clear(self) -> None:
        """Remove the progress line; call before printing anything else."""
        if self._open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._open = False

    def _rewrite(self, done: int, total: int, label: str) -> None:
        width = 24
        filled = width * done // max(total, 1)
        bar = "█" * filled + "░" * (width - filled)
        seconds = time.monotonic() - self._started
        text = f"{self._title:<5} {bar} {done}/{total} {seconds:4.0f} s  {label}"
        import shutil

        room = shutil.get_terminal_size().columns - 1
        self._stream.write("\r\x1b[K" + text[:room])
        self._stream.flush()
        self._open = True


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A plain table with aligned columns; the columns in `right` are right-aligned."""
    cells = [list(head), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(cells[0]), rule, *[line(row) for row in cells[1:]]])


def size(count: int) -> str:
    """A number of bytes for people: 812 B, 3.4 KB, 12.0 MB (powers of 1000)."""
    value = float(count)
    for unit in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
