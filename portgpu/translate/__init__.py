"""Source-to-source translation between CUDA and HIP, and to the CPU target.

`translate` works on one file's bytes. Its edits are byte spans; nothing else in the file changes.
Whatever is left that the target does not understand is a finding.
"""

from __future__ import annotations

from dataclasses import replace

from portgpu.source import broken
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.model import Context, Options, Result

__all__ = ["Options", "Result", "translate"]


def translate(
    data: bytes, path: str, options: Options | None = None, local: frozenset[str] = frozenset()
) -> Result:
    """Translates one file.

    `path` appears in findings, and its suffix says what kind of file it is. `local` holds the
    quoted include names that the project itself provides. Never fails on broken input.
    """
    options = options or Options()
    if options.to == "rocm" and _is_c(data, path):
        options = replace(options, compat=None)  # our header is C++
    strange = broken.no_text(data)
    if strange:
        context = Context(Source(b"", path), options)
        context.report_span("PG1803", 0, 0, f"the file is {strange}, not source text")
        return Result(data, [], context.findings)
    # hipify-clang adds its header to every file.
    every = options.to == "cuda" or options.hipify == "clang"
    if not every and not api.concerns(data, options.known):
        return Result(data, [], [])
    # The rules are many modules, which nobody needs who reads a tree that has not changed.
    from portgpu.translate import pipeline

    return pipeline.run(data, path, options, local)


def _is_c(data: bytes, path: str) -> bool:
    """Whether a file is C: its suffix says so, and nothing in it is of C++ or a kernel."""
    signs = (b"__global__", b"<<<", b"namespace", b"template", b"std::", b"class ")
    return path.endswith(".c") and not any(sign in data for sign in signs)
