"""Writes findings for people and machines: text, JSON, SARIF, GitHub, JUnit and HTML.

`render` is the only entry point; translate, lint and report share it. All formats are produced
from the same sorted findings and name files as the findings do.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from portgpu.errors import UsageError, nearest
from portgpu.findings import Finding, Severity
from portgpu.output.sources import Sources

_SURROGATES = re.compile("[\ud800-\udfff]")
FORMATS = ("text", "json", "sarif", "github", "junit", "html")


def render(
    findings: Sequence[Finding],
    format: str = "text",
    sources: Mapping[str, bytes] | None = None,
    *,
    root: Path | None = None,
    color: bool = False,
    command: str = "portgpu",
    checked: int | None = None,
    fold: bool = False,
) -> str:
    """The findings in one of `FORMATS`, ending in a newline unless empty.

    `sources` maps a finding's path to the file's bytes; files that are not in it are read from
    disk (relative to `root`, default the working directory), and a file that cannot be read costs
    only its excerpt. `color` (text only) adds ANSI colours, `command` names the producer, `checked`
    is the number of files looked at, for the summary. `fold` (text only) tells warnings and notes
    of one kind once a file, with their places. Raises `UsageError` for an unknown format.
    """
    if format not in FORMATS:
        raise UsageError(
            f"no output format is called {format!r}",
            hint=nearest(format, FORMATS) or f"formats: {', '.join(FORMATS)}",
        )
    module = importlib.import_module(f"portgpu.output.{format}_")
    text: str = module.render(
        sorted(findings),
        Sources(sources or {}, root),
        root=root,
        color=color,
        command=command,
        checked=checked,
        fold=fold,
    )
    # People see names that are not UTF-8 as they are; formats with an encoding cannot hold them.
    return text if format in ("text", "github") else _SURROGATES.sub("\ufffd", text)


def failing(findings: Sequence[Finding], level: Severity = Severity.WARNING) -> bool:
    """Whether any finding weighs at least `level` (error > warning > note)."""
    order = [Severity.NOTE, Severity.WARNING, Severity.ERROR]
    return any(order.index(f.severity) >= order.index(level) for f in findings)


def summary(findings: Sequence[Finding], checked: int | None = None) -> str:
    """One line such as `2 errors, 1 note in 3 files (483 checked)`."""
    parts = []
    for severity in Severity:
        count = sum(f.severity is severity for f in findings)
        if count:
            parts.append(f"{count} {severity.value}{'' if count == 1 else 's'}")
    files = len({f.path for f in findings})
    text = ", ".join(parts) if parts else "no findings"
    if files:
        text += f" in {files} file{'' if files == 1 else 's'}"
    if checked is not None:
        text += f" ({checked} file{'' if checked == 1 else 's'} checked)"
    return text
