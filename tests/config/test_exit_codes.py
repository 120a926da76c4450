"""docs/exit-codes.md says what `portgpu.errors` says."""

from __future__ import annotations

import re
from pathlib import Path

from portgpu.errors import EXIT_CODES


def test_table_is_fresh() -> None:
    text = (Path(__file__).parents[2] / "docs" / "exit-codes.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([a-z ]+) \| (.+) \|$", text, re.M)
    expected = [
        (str(int(code)), code.name.lower().replace("_", " "), meaning)
        for code, meaning in EXIT_CODES.items()
    ]
    assert rows == expected
