"""Where a report goes. Needs the standard library only."""

from __future__ import annotations

import sys
from pathlib import Path

from portgpu.errors import OutputError


def write(text: str, output: Path | None) -> None:
    """Write the report to a file, or to standard output."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, "utf-8")
    except OSError as error:
        raise OutputError(
            f"{output}: {error.strerror}", hint="name a writable file with --output"
        ) from None
