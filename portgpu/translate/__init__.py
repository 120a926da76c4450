"""Source-to-source translation between CUDA and HIP, and to the CPU target.

`translate` works on one file's bytes. Its edits are byte spans; nothing else in the file changes.
Whatever is left that the target does not understand is a finding.
"""

from __future__ import annotations

from portgpu.source.edits import apply_edits
from portgpu.source.syntax import Source
from portgpu.translate import launches, shared
from portgpu.translate.model import Context, Options, Result

__all__ = ["Options", "Result", "translate"]


def translate(data: bytes, path: str, options: Options | None = None) -> Result:
    """Translates one file. `path` appears in findings, and its suffix says what kind of file it is.

    Never fails on broken input; raises `UsageError` for impossible options only.
    """
    context = Context(Source(data, path), options or Options())
    launches.rewrite(context)
    if context.options.to == "cpu":
        shared.rewrite_for_cpu(context)
    edits = sorted(context.edits, key=lambda e: (e.start, e.end))
    text = apply_edits(data, edits) if edits else data
    return Result(text, edits, sorted(context.findings), frozenset(context.shims))
