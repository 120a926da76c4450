"""Right and wrong variants of every kind, through templates, macros, helpers and other files.

A file of `variants/` names its rules in its first line (`//// rules: PG2001 …`). Cases start with
`//// case NAME [mode=hip] [warp=native]`, further files of a case with `//// file NAME`. Lines with
findings end in `// PG2001`, and every other line must have none. `//// likely` in the first line
leaves hints out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from portgpu.lint.check import check_file
from portgpu.lint.options import Options
from portgpu.lint.project import Project

FOLDER = Path(__file__).parent / "variants"
_WANTED = re.compile(r"//\s*((?:PG\d{4}[ ,]*)+)$")


@dataclass
class Case:
    name: str
    rules: tuple[str, ...]
    settings: dict[str, str]
    files: dict[str, list[str]] = field(default_factory=dict)


def read(path: Path) -> list[Case]:
    rules: tuple[str, ...] = ()
    cases: list[Case] = []
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("//// rules:"):
            rules = tuple(line.removeprefix("//// rules:").split())
        elif line.startswith("//// case "):
            name, *settings = line.removeprefix("//// case ").split()
            cases.append(Case(f"{path.stem}-{name}", rules, dict(s.split("=") for s in settings)))
            lines = cases[-1].files.setdefault("main.cu", [])
        elif line.startswith("//// file "):
            lines = cases[-1].files.setdefault(line.split()[2], [])
        else:
            lines.append(line)
    return cases


CASES = [case for path in sorted(FOLDER.glob("*.cu")) for case in read(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_variant(case: Case) -> None:
    project = Project([])
    for name, lines in case.files.items():
        project.give(name, "\n".join(lines).encode())
    wanted: Counter[tuple[str, int, str]] = Counter()
    found: Counter[tuple[str, int, str]] = Counter()
    options = Options(
        case.settings.get("warp", "logical"), case.settings.get("mode", "auto"), case.rules
    )
    for name, lines in case.files.items():
        for number, line in enumerate(lines, 1):
            match = _WANTED.search(line)
            for rule in re.findall(r"PG\d{4}", match.group(1)) if match else ():
                wanted[name, number, rule] = 1
        for finding in check_file(project, name, options):
            if finding.confidence != "hint" or "hints" in case.settings:
                found[name, finding.line, finding.id] = 1
    assert sorted(found) == sorted(wanted)


def test_there_are_right_and_wrong_variants_of_every_kind() -> None:
    assert len({c.name for c in CASES}) == len(CASES)
    assert len(CASES) >= 120
