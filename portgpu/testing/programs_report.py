"""The outcome of a project's own tests as text, JSON or JUnit XML."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

from portgpu.console import table
from portgpu.errors import PortgpuError

_TAIL = 40  # lines of a failed program's output that the text report shows


@dataclass(slots=True)
class Outcome:
    """One test on one leg. `message` says why it failed and is empty when it passed."""

    name: str
    message: str
    output: str = ""
    command: Sequence[str] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class Leg:
    """One executor at one warp width (0: the device's). `problem` is why nothing ran."""

    name: str
    executor: str
    target: str
    width: int
    planned: Sequence[str]
    problem: PortgpuError | None = None
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.message]


def render(legs: Sequence[Leg], form: str, *, build_only: bool) -> str:
    """The report as `text`, `json` or `junit`."""
    if form == "json":
        return _json(legs, build_only)
    return _junit(legs, build_only) if form == "junit" else _text(legs, build_only)


def verdict(leg: Leg, build_only: bool) -> str:
    """One line about a leg: never green without having run what it names."""
    if leg.problem:
        return f"{leg.name}: FAILED: nothing ran ({leg.problem.message})"
    count = len(leg.planned)
    if leg.failed:
        return f"{leg.name}: FAILED: {len(leg.failed)} of {count} tests"
    if build_only:
        return f"{leg.name}: built, not run: {count} tests"
    return f"{leg.name}: passed: {count} tests in {sum(o.seconds for o in leg.outcomes):.1f} s"


def _text(legs: Sequence[Leg], build_only: bool) -> str:
    rows = [
        [o.name, leg.name, "FAILED" if o.message else "passed", f"{o.seconds:.2f}"]
        for leg in legs
        for o in leg.outcomes
    ]
    parts = [table(["test", "target", "result", "seconds"], rows, right=(3,))] if rows else []
    for leg in legs:
        for outcome in leg.failed:
            text = f"FAILED {outcome.name} on {leg.name}: {outcome.message}"
            if outcome.command:
                width = f"PORTGPU_WARP_SIZE={leg.width} " if leg.width else ""
                text += f"\n  $ {width}{shlex.join(outcome.command)}"
            lines = outcome.output.rstrip("\n").splitlines()
            text += f"\n  … {len(lines) - _TAIL} lines before" if len(lines) > _TAIL else ""
            parts.append("\n  ".join([text, *lines[-_TAIL:]]))
    parts.append("\n".join(verdict(leg, build_only) for leg in legs))
    return "\n\n".join(parts) + "\n"


def _json(legs: Sequence[Leg], build_only: bool) -> str:
    data = {
        "format": 1,
        "passed": not any(leg.failed or leg.problem for leg in legs),
        "built_only": build_only,
        "legs": [
            {
                "name": leg.name,
                "target": leg.target,
                "warp_size": leg.width or None,
                "planned": list(leg.planned),
                "run": 0 if build_only else len(leg.outcomes),
                "problem": leg.problem.message if leg.problem else "",
                "tests": [
                    {
                        "name": o.name,
                        "passed": not o.message,
                        "message": o.message,
                        "command": list(o.command),
                        "output": o.output,
                        "seconds": round(o.seconds, 3),
                    }
                    for o in leg.outcomes
                ],
            }
            for leg in legs
        ],
    }
    return json.dumps(data, indent=1) + "\n"


def _junit(legs: Sequence[Leg], build_only: bool) -> str:
    root = ElementTree.Element("testsuites", name="portgpu test")
    for leg in legs:
        known = {outcome.name: outcome for outcome in leg.outcomes}
        skipped = 0 if leg.problem else len([n for n in leg.planned if n not in known])
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=leg.name,
            tests=str(len(leg.planned) or 1),
            failures=str(len(leg.failed)),
            errors=str((len(leg.planned) or 1) if leg.problem else 0),
            skipped=str(skipped),
            time=f"{sum(o.seconds for o in leg.outcomes):.3f}",
        )
        for name in leg.planned or ["run"]:
            outcome = known.get(name)
            case = ElementTree.SubElement(
                suite, "testcase", classname=leg.target, name=name,
                time=f"{outcome.seconds if outcome else 0:.3f}",
            )  # fmt: skip
            if leg.problem:
                ElementTree.SubElement(case, "error", message=leg.problem.message)
            elif outcome is None:
                ElementTree.SubElement(case, "skipped", message="built, not run")
            elif outcome.message:
                failure = ElementTree.SubElement(case, "failure", message=outcome.message)
                failure.text = _clean(outcome.output)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    """XML 1.0 has no control characters but tab and line ends."""
    return "".join(c if c >= " " or c in "\t\n" else "?" for c in text)
