"""The baseline file: findings of old code that are known and not reported again.

It is a JSON object from file to fingerprints (see `portgpu.output.sources.fingerprints`), which
survive moved lines; a finding whose line has changed counts as new.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from portgpu.errors import InputError
from portgpu.findings import Finding
from portgpu.output.sources import Sources, fingerprints


def write(path: Path, findings: Sequence[Finding], sources: Sources) -> int:
    """Write all findings as known; returns their number."""
    files: dict[str, list[str]] = {}
    ordered = sorted(findings)
    for finding, key in zip(ordered, fingerprints(ordered, sources), strict=True):
        files.setdefault(finding.path, []).append(f"{finding.id} {key}")
    body = {"version": 1, "findings": {p: sorted(k) for p, k in sorted(files.items())}}
    path.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    return len(ordered)


def remove_known(
    path: Path, findings: Sequence[Finding], sources: Sources
) -> tuple[list[Finding], int]:
    """(findings that are not in the baseline, number of baseline entries no longer found)."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: no such baseline", hint="create it with --write-baseline"
        ) from error
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}", hint="check the path and its permissions"
        ) from error
    except ValueError as error:
        raise _no_baseline(path, f"no JSON: {error}") from error
    found = body.get("findings") if isinstance(body, dict) else None
    if not isinstance(found, dict):
        raise _no_baseline(path, 'it has no table "findings"')
    for name, keys in found.items():
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise _no_baseline(path, f"the entry of {name} is no list of texts")
    known = {name: set(keys) for name, keys in found.items()}
    ordered = sorted(findings)
    fresh = []
    met = 0
    for finding, key in zip(ordered, fingerprints(ordered, sources), strict=True):
        if f"{finding.id} {key}" in known.get(finding.path, set()):
            met += 1
        else:
            fresh.append(finding)
    return fresh, sum(map(len, known.values())) - met


def _no_baseline(path: Path, why: str) -> InputError:
    return InputError(
        f"{path}: not a baseline file: {why}", hint="write it again with --write-baseline"
    )
