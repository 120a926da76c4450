"""Shortcuts of the translation tests."""

from __future__ import annotations

from typing import Any

from portgpu.source import apply_edits, invert_edits
from portgpu.translate import Options, Result, translate


def run(code: str | bytes, path: str = "a.cu", **options: Any) -> Result:
    """Translates, and holds every result to what must always be true."""
    data = code.encode() if isinstance(code, str) else code
    wanted = Options(**options)
    result = translate(data, path, wanted)
    assert apply_edits(data, result.edits) == result.text
    assert apply_edits(result.text, invert_edits(data, result.edits)) == data
    if not result.edits:
        assert result.text is data
    again = translate(result.text, path, wanted)
    assert again.text == result.text, (again.edits, result.text)
    return result


def out(code: str, path: str = "a.cu", **options: Any) -> str:
    """The translation without the include that is added."""
    text = run(code, path, **options).text.decode()
    for line in ('#include "portgpu/hip_compat.h"\n', "#include <hip/hip_runtime.h>\n"):
        text = text.replace(line, "", 1)
    return text


def ids(code: str, path: str = "a.cu", **options: Any) -> list[str]:
    return [f.id for f in run(code, path, **options).findings]
