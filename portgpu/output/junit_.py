"""Findings as JUnit XML: one suite a file, one case a finding; errors and warnings fail."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources

# Characters that XML 1.0 cannot carry in any spelling.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(
    findings: Sequence[Finding], sources: Sources, *, command: str, checked: int | None, **_: Any
) -> str:
    suites = [
        _suite(path, list(group), sources)
        for path, group in itertools.groupby(findings, key=lambda f: f.path)
    ]
    if not suites:
        name = "no findings" if checked is None else f"no findings in {checked} files"
        suites = [
            f'  <testsuite name={_attribute(command)} tests="1" failures="0" errors="0">\n'
            f'    <testcase classname={_attribute(command)} name="{name}"/>\n  </testsuite>\n'
        ]
    tests = max(1, len(findings))
    failures = sum(f.severity is not Severity.NOTE for f in findings)
    head = f'<testsuites name={_attribute(command)} tests="{tests}" failures="{failures}">\n'
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + head + "".join(suites) + "</testsuites>\n"


def _suite(path: str, findings: list[Finding], sources: Sources) -> str:
    failures = sum(f.severity is not Severity.NOTE for f in findings)
    lines = [
        f"  <testsuite name={_attribute(path)} "
        f'tests="{len(findings)}" failures="{failures}" errors="0">\n'
    ]
    for finding in findings:
        column = sources.column(path, finding.line, finding.column)
        name = f"{finding.id} {path}:{finding.line}:{column}"
        lines.append(f"    <testcase classname={_attribute(path)} name={_attribute(name)}")
        lines.append(f' file={_attribute(path)} line="{finding.line}">\n')
        excerpt = sources.text(path, finding.line)
        body = _clean("\n".join(filter(None, (finding.message, excerpt, finding.hint))))
        if finding.severity is Severity.NOTE:
            lines.append(f"      <system-out>{escape(body)}</system-out>\n")
        else:
            lines.append(
                f"      <failure type={_attribute(finding.severity.value)} "
                f"message={_attribute(finding.message)}>{escape(body)}</failure>\n"
            )
        lines.append("    </testcase>\n")
    return "".join([*lines, "  </testsuite>\n"])


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;"})


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
