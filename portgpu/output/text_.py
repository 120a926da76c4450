"""Findings as text: `path:line:column: severity: message [ID]`, the source line, a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources

_COLORS = {Severity.ERROR: "1;31", Severity.WARNING: "1;35", Severity.NOTE: "1;36"}


def render(
    findings: Sequence[Finding], sources: Sources, *, color: bool, checked: int | None, **_: Any
) -> str:
    from portgpu.output import summary

    blocks = [_block(finding, sources, color) for finding in findings]
    return "".join(blocks) + summary(findings, checked) + "\n"


def _block(finding: Finding, sources: Sources, color: bool) -> str:
    def paint(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    column = sources.column(finding.path, finding.line, finding.column)
    doubt = "" if finding.confidence == "certain" else f", {finding.confidence}"
    lines = [
        paint(f"{finding.path}:{finding.line}:{column}:", "1")
        + " "
        + paint(f"{finding.severity.value}:", _COLORS[finding.severity])
        + f" {finding.message} [{finding.id}{doubt}]"
    ]
    source = sources.text(finding.path, finding.line)
    if source.strip():
        lines.append(f"{finding.line:>6} | {source.expandtabs(4)}")
        lines.append(f"       | {paint(_carets(finding, sources, source, column), '1;32')}")
    if finding.hint:
        lines += [f"         {text}" for text in f"hint: {finding.hint}".split("\n")]
    if finding.fix:
        lines.append("         can be fixed automatically")
    return "\n".join(lines) + "\n"


def _carets(finding: Finding, sources: Sources, source: str, column: int) -> str:
    end_line, end_byte = sources.end(finding)
    end = len(source.rstrip()) + 1
    if end_line == finding.line:
        end = sources.column(finding.path, end_line, end_byte)
    # Tabs are widened in the line above, so measure both ends after the same widening.
    left = len(source[: column - 1].expandtabs(4))
    width = len(source[: end - 1].expandtabs(4)) - left
    return " " * left + "^" * max(1, width)
