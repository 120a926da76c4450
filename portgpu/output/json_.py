"""Findings as JSON, one object with a `version`; `docs/output.md` describes the fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from portgpu import __version__
from portgpu.findings import Finding
from portgpu.output.sources import Sources, fingerprints


def render(
    findings: Sequence[Finding],
    sources: Sources,
    *,
    command: str,
    checked: int | None,
    **_: Any,
) -> str:
    keys = fingerprints(findings, sources)
    body = {
        "version": 1,
        "tool": {"name": command, "version": __version__},
        "files_checked": checked,
        "counts": {
            level: sum(f.severity.value == level for f in findings)
            for level in ("error", "warning", "note")
        },
        "findings": [
            _one(finding, sources, key) for finding, key in zip(findings, keys, strict=True)
        ],
    }
    return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


def _one(finding: Finding, sources: Sources, key: str) -> dict[str, Any]:
    end_line, end_column = sources.end(finding)
    return {
        "id": finding.id,
        "severity": finding.severity.value,
        "confidence": finding.confidence,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": end_line,
        "end_column": end_column,
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
        "hint": finding.hint,
        "symbol": finding.symbol,
        "fingerprint": key,
        "fix": [
            {"start": e.start, "end": e.end, "text": e.text.decode("utf-8", "replace")}
            for e in finding.fix
        ],
    }
