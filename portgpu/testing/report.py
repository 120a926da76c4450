"""A test run as text, JSON or JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from portgpu.console import table
from portgpu.testing.results import Leg, Summary, by_op, to_json

FORMATS = ("text", "json", "junit")
_SHOWN = 20  # failures printed in full; the JSON output has all


def render(
    legs: Sequence[Leg], form: str, *, seed: int, level: str, types: str, rerun: str = ""
) -> str:
    """The report in one of `FORMATS`. `rerun` is a command that repeats one case ("{id}" in it)."""
    if form == "json":
        facts = to_json(legs, seed=seed, level=level, types=types)
        return json.dumps(facts, indent=1, allow_nan=False) + "\n"
    if form == "junit":
        return _junit(legs, seed)
    return _text(legs, seed=seed, level=level, types=types, rerun=rerun)


def _text(legs: Sequence[Leg], *, seed: int, level: str, types: str, rerun: str) -> str:
    parts = [f"seed {seed}, level {level}, {types} types"]
    parts += [f"{leg.name}: {describe(leg)}" for leg in legs]
    rows = by_op(legs)
    if rows:
        head = ["op", "cases", "failed", "worst error in ulp", "of tolerance"]
        body = [
            [r.op, str(r.cases), str(r.failed or "-"), _ulps(r), f"{100 * r.used:.0f} %"]
            for r in rows
        ]
        parts.append(table(head, body, right=(1, 2, 4)))
    for leg in legs:
        for i, failure in enumerate(leg.failures):
            if i == _SHOWN:
                parts.append(f"… and {len(leg.failures) - i} more on {leg.name}")
                break
            text = f"FAILED {leg.name}: {failure.id}\n  {failure.what}\n  "
            text += failure.message.replace("\n", "\n  ")
            if rerun:
                text += "\n  again: " + rerun.format(id=failure.id, leg=leg_options(leg))
            parts.append(text)
    parts.append("\n".join(_verdict(leg) for leg in legs))
    return "\n\n".join(parts) + "\n"


def leg_options(leg: Leg) -> str:
    """Command line options that select a leg."""
    width = leg.name.partition(", ")[2].removesuffix(" lanes")
    return f"--target {leg.target}" + (f" --warp-size {width}" if width else "")


def describe(leg: Leg) -> str:
    """Device and library of a leg, on one line."""
    hello = leg.hello
    device = hello.get("device")
    text = Path(leg.lib).name
    if "version" in hello:
        text += f" {hello['version']} for {', '.join(hello['archs']) or leg.target}"
    if device:
        text += f" on {device['name']} ({device['arch']}, warp width {device['warp_size']}"
        text += f", driver {hello['driver']})" if hello.get("driver") else ")"
    if hello.get("second_oracle"):
        text += f", second oracle {hello['second_oracle']}"
    return text


def _ulps(row: Summary) -> str:
    shown = [f"{dtype} {_short(value)}" for dtype, value in row.ulp.items() if value > 0]
    return ", ".join(shown) or "exact"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.2g}"


def _verdict(leg: Leg) -> str:
    if leg.built_only:
        note = leg.note or "no device was asked for"
        return f"{leg.name}: {'FAILED' if leg.note else 'built, not run'} ({note})"
    ran = len(leg.results)
    text = f"{ran - len(leg.failures)} of {leg.planned} cases passed in {leg.seconds:.1f} s"
    if leg.failures:
        text += f", {len(leg.failures)} failed"
    if leg.not_run:
        text += f", {leg.not_run} not run"
    if leg.note:
        text += f" ({leg.note})"
    return f"{leg.name}: {'passed' if leg.passed else 'FAILED'}: {text}"


def _junit(legs: Sequence[Leg], seed: int) -> str:
    root = ElementTree.Element("testsuites", name="portgpu test")
    for leg in legs:
        groups = [
            (key, list(items)) for key, items in groupby(leg.results, key=lambda r: (r.op, r.dtype))
        ]
        failed = sum(any(r.message for r in items) for _, items in groups)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=leg.name,
            tests=str(len(groups) + bool(leg.not_run or leg.built_only)),
            failures=str(failed),
            errors=str(int(bool(leg.not_run))),
            skipped=str(int(leg.built_only)),
            time=f"{leg.seconds:.3f}",
        )
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (("seed", str(seed)), ("library", describe(leg))):
            ElementTree.SubElement(properties, "property", name=name, value=value)
        for (op, dtype), items in groups:
            seconds = sum(r.seconds for r in items)
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"{leg.target}.{op}", name=f"{op}[{dtype}]",
                time=f"{seconds:.3f}",
            )  # fmt: skip
            bad = [r for r in items if r.message]
            if bad:
                failure = ElementTree.SubElement(
                    case, "failure", message=f"{len(bad)} of {len(items)} cases failed"
                )
                failure.text = _clean("\n".join(f"{r.id}: {r.message}" for r in bad))
        if leg.built_only or leg.not_run:
            case = ElementTree.SubElement(suite, "testcase", classname=leg.target, name="run")
            text = "built, not run" if leg.built_only else f"{leg.not_run} cases were not run"
            kind = "skipped" if leg.built_only else "error"
            ElementTree.SubElement(case, kind, message=f"{text} {leg.note}".strip())
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    """XML 1.0 has no control characters but tab and line ends."""
    return "".join(c if c >= " " or c in "\t\n" else "?" for c in text)
