"""Findings: what translation, linting, building or running has to say about a place in a source.

Every finding has a stable ID (PG1xxx translate, PG2xxx lint, PG3xxx build, PG4xxx run) and a
page of its own, `portgpu/data/findings/PGnnnn.md`: TOML front matter between `+++` lines (`title`,
`severity`), then Markdown. `portgpu explain PGnnnn` prints it.
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from portgpu import resources
from portgpu.errors import InternalError, UsageError, nearest

_ID = re.compile(r"PG\d{4}")


class Severity(StrEnum):
    """How much a finding weighs: errors and warnings make the exit code 1, notes do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes `[start, end)` of the original file by `text`."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One finding. Lines and byte columns count from 1; `start` and `end` are byte offsets."""

    path: str
    line: int
    column: int
    id: str
    severity: Severity = field(compare=False)
    message: str = field(compare=False)
    hint: str = field(default="", compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    symbol: str = field(default="", compare=False)
    confidence: str = field(default="certain", compare=False)  # certain | likely | hint
    fix: tuple[Edit, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Page:
    """The documentation of one finding ID."""

    id: str
    title: str
    severity: Severity
    body: str


@functools.cache
def pages() -> dict[str, Page]:
    """All documented finding IDs. Raises `InternalError` for a page that cannot be parsed."""
    return {path.stem: _load(path) for path in sorted(resources.data("findings").glob("PG*.md"))}


@functools.cache
def page(finding_id: str) -> Page:
    """The page of one ID (any case); raises `UsageError` for an unknown one."""
    wanted = finding_id.strip().upper()
    path = resources.data("findings") / f"{wanted}.md"
    if not _ID.fullmatch(wanted) or not path.is_file():
        raise UsageError(
            f"no finding is called {finding_id!r}",
            hint=nearest(wanted, list(pages())) or "portgpu explain lists all of them",
        )
    return _load(path)


def _load(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    try:
        _, front, body = text.split("+++\n", 2)
        meta = tomllib.loads(front)
        return Page(path.stem, meta["title"], Severity(meta["severity"]), body.strip() + "\n")
    except (ValueError, KeyError) as error:
        raise InternalError(f"{path}: not a finding page: {error}") from error
