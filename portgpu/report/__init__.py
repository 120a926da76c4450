"""The report that people look at: sources, tests, kernels and timings of a project on one page."""

from __future__ import annotations

import importlib

from portgpu.errors import UsageError, nearest
from portgpu.report.model import Report

__all__ = ["FORMATS", "Report", "render"]

FORMATS = ("html", "markdown", "text")


def render(report: Report, format: str = "html") -> str:
    """The report in one of `FORMATS`; the same report gives the same text.

    Raises `UsageError` for an unknown format.
    """
    if format not in FORMATS:
        raise UsageError(
            f"no report format is called {format!r}",
            hint=nearest(format, FORMATS) or f"formats: {', '.join(FORMATS)}",
        )
    text: str = importlib.import_module(f"portgpu.report.{format}_").render(report)
    return text
