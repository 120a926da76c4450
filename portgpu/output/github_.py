"""Findings as GitHub Actions workflow commands, which become annotations on a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(findings: Sequence[Finding], sources: Sources, **_: Any) -> str:
    return "".join(_line(finding, sources) for finding in findings)


def _line(finding: Finding, sources: Sources) -> str:
    end_line, end_byte = sources.end(finding)
    place = {
        "file": finding.path,
        "line": str(finding.line),
        "col": str(sources.column(finding.path, finding.line, finding.column)),
        "endLine": str(end_line),
        "title": finding.id,
    }
    # GitHub ignores columns on annotations of more than one line.
    if end_line == finding.line:
        last = sources.column(finding.path, end_line, end_byte) - 1
        place["endColumn"] = str(max(last, int(place["col"])))
    properties = ",".join(f"{key}={_property(value)}" for key, value in place.items())
    text = finding.message + (f"\n{finding.hint}" if finding.hint else "")
    return f"::{_LEVEL[finding.severity]} {properties}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
