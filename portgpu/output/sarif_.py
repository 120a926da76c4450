"""Findings as SARIF 2.1.0, for code scanning services and editors."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from portgpu import __version__
from portgpu.findings import Finding, Severity, pages
from portgpu.output.sources import Sources, fingerprints

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_RANK = {"certain": 95.0, "likely": 70.0, "hint": 30.0}


def render(
    findings: Sequence[Finding],
    sources: Sources,
    *,
    root: Path | None,
    command: str,
    **_: Any,
) -> str:
    ids = sorted({finding.id for finding in findings})
    base = (root or Path.cwd()).resolve()
    keys = fingerprints(findings, sources)
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": command,
                        "semanticVersion": __version__,
                        "rules": [_rule(identifier) for identifier in ids],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"uri": base.as_uri() + "/"}},
                "results": [
                    _result(finding, ids.index(finding.id), key, sources, base)
                    for finding, key in zip(findings, keys, strict=True)
                ],
            }
        ],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(identifier: str) -> dict[str, Any]:
    page = pages().get(identifier)
    if page is None:
        return {"id": identifier}
    return {
        "id": identifier,
        "shortDescription": {"text": page.title},
        "help": {"text": page.body, "markdown": page.body},
        "defaultConfiguration": {"level": _LEVEL[page.severity]},
    }


def _result(finding: Finding, index: int, key: str, sources: Sources, base: Path) -> dict[str, Any]:
    artifact = _artifact(finding.path, base)
    text = finding.message + (f"\n{finding.hint}" if finding.hint else "")
    end_line, end_byte = sources.end(finding)
    region = {
        "startLine": finding.line,
        "startColumn": sources.column(finding.path, finding.line, finding.column),
        "endLine": end_line,
        "endColumn": sources.column(finding.path, end_line, end_byte),
    }
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "ruleIndex": index,
        "level": _LEVEL[finding.severity],
        "rank": _RANK.get(finding.confidence, 50.0),
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "partialFingerprints": {"portgpuFinding/v1": key},
        "properties": {"confidence": finding.confidence},
    }
    if finding.fix:
        result["fixes"] = [
            {
                "description": {"text": f"portgpu lint --fix ({finding.id})"},
                "artifactChanges": [
                    {
                        "artifactLocation": artifact,
                        "replacements": [
                            {
                                "deletedRegion": {
                                    "byteOffset": edit.start,
                                    "byteLength": edit.end - edit.start,
                                },
                                "insertedContent": {"text": edit.text.decode("utf-8", "replace")},
                            }
                            for edit in finding.fix
                        ],
                    }
                ],
            }
        ]
    return result


def _artifact(path: str, base: Path) -> dict[str, str]:
    absolute = (base / path).resolve()
    if absolute.is_relative_to(base):
        return {
            "uri": quote(os.fsencode(absolute.relative_to(base).as_posix())),
            "uriBaseId": "SRCROOT",
        }
    return {"uri": absolute.as_uri()}
