"""Applies the fixes of findings and checks the result."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from portgpu.atomic import replace_file
from portgpu.findings import Edit, Finding
from portgpu.source import apply_edits


def fixable(findings: Sequence[Finding]) -> list[Finding]:
    """Findings with a fix, without those whose edits overlap an earlier one's."""
    chosen: list[Finding] = []
    taken: list[tuple[int, int]] = []
    for finding in sorted(findings, key=lambda f: (f.start, f.end)):
        spans = [(e.start, e.end) for e in finding.fix]
        if spans and not any(a < d and c < b for a, b in spans for c, d in taken):
            chosen.append(finding)
            taken += spans
    return chosen


def fix_file(
    data: bytes, check: Callable[[bytes], list[Finding]], rounds: int = 5
) -> tuple[bytes, list[Finding], list[Finding]]:
    """(new text, fixed findings, findings left).

    After each round the text is examined again. A round that leaves a finding it claimed to fix,
    or that brings findings of another kind, is taken back.
    """
    findings = check(data)
    fixed: list[Finding] = []
    for _ in range(rounds):
        chosen = fixable(findings)
        if not chosen:
            break
        edits: list[Edit] = [edit for finding in chosen for edit in finding.fix]
        text = apply_edits(data, edits)
        after = check(text)
        kinds = {f.id for f in findings}
        worse = len(after) > len(findings) - len(chosen) or any(f.id not in kinds for f in after)
        if worse:
            break
        data, findings = text, after
        fixed += chosen
    return data, fixed, findings


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's text, keeping its mode; a killed run leaves the old or the new file.

    Of a symbolic link, the text of the file that it names.
    """
    replace_file(path.resolve(), data, stat.S_IMODE(path.stat().st_mode))
