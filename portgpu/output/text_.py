"""Findings as text: `path:line:column: severity: message [ID]`, the source line, a hint.

With `fold`, warnings and notes of one ID and one hint in a file are told once, with the other
places in one line behind the first; errors are told one by one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources

_CONTROLS = {n: f"\\x{n:02x}" for n in (*range(32), 127)}  # in file names
_COLORS = {Severity.ERROR: "1;31", Severity.WARNING: "1;35", Severity.NOTE: "1;36"}


def render(
    findings: Sequence[Finding],
    sources: Sources,
    *,
    color: bool,
    checked: int | None,
    fold: bool,
    **_: Any,
) -> str:
    from portgpu.output import summary

    groups: dict[tuple[str, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        alone = not fold or finding.severity is Severity.ERROR or not finding.hint
        kind = (finding.id, finding.severity.value, finding.confidence, finding.hint)
        key = (finding.path, str(number)) if alone else (finding.path, *kind)
        groups.setdefault(key, []).append(finding)
    blocks = [_block(its[0], sources, color) + _others(its, sources) for its in groups.values()]
    return "".join(blocks) + summary(findings, checked) + "\n"


def _block(finding: Finding, sources: Sources, color: bool) -> str:
    def paint(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    column = sources.column(finding.path, finding.line, finding.column)
    doubt = "" if finding.confidence == "certain" else f", {finding.confidence}"
    lines = [
        paint(f"{finding.path.translate(_CONTROLS)}:{finding.line}:{column}:", "1")
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


def _others(group: Sequence[Finding], sources: Sources) -> str:
    """The places behind the first, as `line:column`, with what differs in the message."""
    places: dict[str, list[str]] = {}
    for finding in group[1:]:
        name = finding.symbol if finding.message != group[0].message else ""
        column = sources.column(finding.path, finding.line, finding.column)
        places.setdefault(name, []).append(f"{finding.line}:{column}")
    parts = [" ".join([name, ", ".join(at)]).strip() for name, at in places.items()]
    if not parts:
        return ""
    text = textwrap.wrap(
        "also at " + "; ".join(parts),
        100,
        initial_indent=" " * 9,
        subsequent_indent=" " * 11,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(text) + "\n"


def _carets(finding: Finding, sources: Sources, source: str, column: int) -> str:
    end_line, end_byte = sources.end(finding)
    end = len(source.rstrip()) + 1
    if end_line == finding.line:
        end = sources.column(finding.path, end_line, end_byte)
    # Tabs are widened in the line above, so measure both ends after the same widening.
    left = len(source[: column - 1].expandtabs(4))
    width = len(source[: end - 1].expandtabs(4)) - left
    return " " * left + "^" * max(1, width)
