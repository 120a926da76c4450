"""What an earlier run wrote, and whether it is still right."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from portgpu import __version__, resources
from portgpu.atomic import write
from portgpu.findings import Edit, Finding, Severity
from portgpu.translate.model import Options
from portgpu.translate.outline import Outline, digest, outline
from portgpu.translate.tree import MANIFEST, File, Outcome


@dataclass
class Manifest:
    """An entry per output of `folder`, by its path in there.

    `variant` says what the caller does to a text before writing it. `declared` are the unknown
    names that the tree declared, for the names and files of `asked`.
    """

    folder: Path
    variant: str = ""
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    outlines: dict[str, Outline] = field(default_factory=dict)
    asked: str = ""
    declared: tuple[str, ...] = ()

    @classmethod
    def load(cls, folder: Path, variant: str = "") -> Manifest:
        """An earlier run's manifest; empty when there is none that can be read."""
        try:
            loaded = json.loads((folder / MANIFEST).read_bytes())
            if loaded["by"] == _tables_digest():
                return cls(
                    folder,
                    variant,
                    entries=loaded["files"],
                    outlines={row[0]: Outline(*row) for row in loaded["outlines"]},
                    asked=loaded["asked"],
                    declared=tuple(loaded["declared"]),
                )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return cls(folder, variant)

    def outline(self, data: bytes) -> Outline:
        """As `portgpu.translate.outline.outline`, which every content needs once only."""
        key = digest(data)
        if key not in self.outlines:
            self.outlines[key] = outline(data)
        return self.outlines[key]

    def restore(self, file: File, key: str, label: str) -> Outcome | None:
        """What became of a file whose `key` and output are still the same, without its text."""
        old = self.entries.get(self._name(file.output))
        if old is None or old["key"] != key or not _is(file.output, old["output"]):
            return None
        findings = [_finding(raw, label) for raw in old["findings"]]
        shims = frozenset(old["shims"])
        return Outcome(file.source, file.output, None, old["edits"], findings, shims, key=key)

    def save(self, files: Sequence[File], outcomes: Sequence[Outcome]) -> None:
        """Writes an entry per outcome; every text that is not None has been written before."""
        entries = {}
        for outcome in outcomes:
            name = self._name(outcome.output)
            entries[name] = self.entries[name] if outcome.text is None else _entry(outcome)
        parts = {
            "by": _tables_digest(),
            "asked": self.asked,
            "declared": self.declared,
            "outlines": list({f.outline.digest: f.outline for f in files}.values()),
            "files": entries,
        }
        write(self.folder / MANIFEST, json.dumps(parts, indent=0).encode())

    def _name(self, output: Path) -> str:
        return str(output)[len(str(self.folder)) + 1 :]

    def options_key(self, options: Options) -> str:
        """Identity of everything but the files that decides what a translation looks like."""
        values = {
            k: sorted(v) if isinstance(v, frozenset) else v for k, v in asdict(options).items()
        }
        del values["known"]  # part of each file's key
        return digest(json.dumps([self.variant, values], sort_keys=True).encode())


def file_key(file: File, options_key: str, known: frozenset[bytes]) -> str:
    """Identity of what a file's translation depends on; `known` as in `Options`."""
    names = b"\0".join(sorted(known))
    text = "\0".join([options_key, file.outline.digest, *sorted(file.includes)])
    return digest(names + b"\0\0" + text.encode("utf-8", "surrogateescape"))


@functools.cache
def _tables_digest() -> str:
    """Identity of the translator and its tables: a new version translates everything again."""
    parts = [__version__]
    code = [resources.package("translate"), resources.package("source")]
    for folder in (*code, resources.data("mapping"), resources.data("translate")):
        for entry in sorted(os.scandir(folder), key=lambda e: e.name):
            if entry.is_file():
                stat = entry.stat()
                parts.append(f"{entry.name}:{stat.st_size}:{stat.st_mtime_ns}")
    return digest(";".join(parts).encode())


def _is(output: Path, wanted: str) -> bool:
    try:
        return digest(output.read_bytes()) == wanted
    except OSError:
        return False


def _entry(outcome: Outcome) -> dict[str, object]:
    return {
        "key": outcome.key,
        "output": digest(outcome.text or b""),
        "edits": outcome.edits,
        "shims": sorted(outcome.shims),
        "findings": [_plain(finding) for finding in outcome.findings],
    }


def _plain(finding: Finding) -> dict[str, object]:
    values = asdict(finding)
    del values["path"]  # it depends on the working folder
    values["fix"] = [(e.start, e.end, e.text.decode("latin-1")) for e in finding.fix]
    return values


def _finding(raw: dict[str, Any], path: str) -> Finding:
    fix = tuple(Edit(start, end, text.encode("latin-1")) for start, end, text in raw["fix"])
    return Finding(**{**raw, "path": path, "severity": Severity(raw["severity"]), "fix": fix})
