"""Findings that the source or the configuration accepts, with a reason.

In the source: `// portgpu: allow PG2003 reason` on the line itself or the line above it;
`// portgpu: allow-file PG2003 reason` for the whole file. In CMake files the comment starts with
`#`. In portgpu.toml: `[lint] allow = ["PG2003 src/old/**: reason"]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from portgpu.errors import ConfigError
from portgpu.findings import Finding, Severity, pages
from portgpu.source import Kind, LineIndex, tokenize

NO_REASON = "PG2099"
_COMMENT = re.compile(rb"portgpu:\s*(allow(?:-file)?)\s+((?:PG\d{4}[\s,]*)+)(.*)", re.DOTALL)
_CMAKE = re.compile(rb"#[^\n]*")
_ENTRY = re.compile(r"^\s*(PG\d{1,4})(?:\s+([^:]+?))?\s*:\s*(\S.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of the configuration."""

    id: str
    glob: str
    reason: str


def config_entries(entries: Sequence[str]) -> list[Allowed]:
    """Parsed `[lint] allow`; raises `ConfigError` for one without ID or reason."""
    found = []
    for entry in entries:
        match = _ENTRY.match(entry)
        if not match:
            raise ConfigError(
                f"[lint] allow: cannot read {entry!r}",
                hint='write "PG2003 src/old/**: why it is accepted"; the glob may be left out',
            )
        found.append(Allowed(match[1], (match[2] or "").strip(), match[3]))
    return found


def filter_config(findings: Iterable[Finding], allowed: Sequence[Allowed]) -> list[Finding]:
    """The findings that no entry accepts."""

    def accepted(finding: Finding) -> bool:
        return any(
            finding.id.startswith(a.id) and (not a.glob or fnmatchcase(finding.path, a.glob))
            for a in allowed
        )

    return [f for f in findings if not accepted(f)]


def filter_source(path: str, data: bytes, findings: list[Finding], cmake: bool) -> list[Finding]:
    """The findings that no comment accepts, plus one for each comment without a reason."""
    if b"portgpu:" not in data:
        return findings
    lines = LineIndex(data)
    whole: set[str] = set()
    by_line: dict[int, set[str]] = {}
    extra = []
    spans = (
        [m.span() for m in _CMAKE.finditer(data)]
        if cmake
        else [(t.start, t.end) for t in tokenize(data) if t.kind == Kind.COMMENT]
    )
    for start, end in spans:
        found = _COMMENT.search(data[start:end])
        if not found:
            continue
        ids = {i.decode() for i in re.findall(rb"PG\d{4}", found[2])}
        reason = found[3].strip().removesuffix(b"*/").strip()
        line, column = lines.position(start)
        last = lines.position(end - 1)[0]
        if found[1] == b"allow-file":
            whole |= ids
        else:
            for number in (*range(line, last + 1), last + 1):
                by_line.setdefault(number, set()).update(ids)
        unknown = sorted(ids - set(pages()))
        if not reason or unknown:
            text = f"no finding is called {', '.join(unknown)}" if unknown else "no reason is given"
            extra.append(
                Finding(
                    path, line, column, NO_REASON, Severity.WARNING, f"suppression comment: {text}",
                    "write // portgpu: allow PG2003 why this is right here", start, end,
                )
            )  # fmt: skip
    kept = [
        f for f in findings if f.id not in whole and f.id not in by_line.get(f.line, frozenset())
    ]
    return sorted(kept + extra)
