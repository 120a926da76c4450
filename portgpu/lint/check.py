"""Checks one file: runs the rules and turns their reports into findings."""

from __future__ import annotations

import os
import posixpath
import traceback
from collections.abc import Sequence

from portgpu.findings import Finding, Severity, page
from portgpu.lint.options import Options, chosen
from portgpu.lint.project import Project, Unit, concerns_gpu
from portgpu.lint.rule import Context, Report, Rule
from portgpu.lint.rules import all_rules
from portgpu.lint.uniform import forget_summaries
from portgpu.source import LineIndex
from portgpu.source.broken import no_text, trouble
from portgpu.source.syntax import Source

FAILED = "PG2000"


def language_of(path: str) -> str:
    """`cmake` for CMake files, else `source`."""
    name = posixpath.basename(path)
    return "cmake" if name == "CMakeLists.txt" or name.endswith(".cmake") else "source"


def selected(options: Options) -> list[Rule]:
    """The rules that the options leave."""
    return [r for r in all_rules() if chosen(r.id, options)]


def unreadable(path: str, data: bytes) -> list[Finding]:
    """What the translator says too: binary files, merge conflicts, literals without an end."""
    strange = no_text(data)
    if strange:
        found = [("PG1803", 0, 0, f"the file is {strange}, not source text")]
    else:
        found = [("PG1808", *place) for place in trouble(Source(data, path))]
    lines = LineIndex(data)
    return [
        Finding(path, *lines.position(start), id, page(id).severity, text, "", start, end)
        for id, start, end, text in found
    ]


def check_file(project: Project, path: str, options: Options) -> list[Finding]:
    """All findings in one file, suppressed ones included; raises `OSError` if it is unreadable."""
    data = project.read(path)
    rules = selected(options)
    if language_of(path) == "cmake":
        text = data.decode("latin-1")
        reports = [
            (r, x) for r in rules if r.language == "cmake" for x in r.check_text(text, options)
        ]
        return _findings(path, LineIndex(data), reports, True)
    early = [f for f in unreadable(path, data) if chosen(f.id, options)]
    if no_text(data) or not concerns_gpu(data):
        return early
    try:
        unit = project.unit(path, None if options.mode == "auto" else options.mode)
        context = _context(project, unit, options)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        return [*early, _failure(path, "the parser", error)]
    found: list[tuple[Rule, Report]] = []
    failed: list[Finding] = []
    for rule in rules:
        if rule.language != "source" or (rule.width and context.rdna_alone):
            continue
        try:
            found += [
                (rule, report)
                for report in rule.check(context)
                if rule.everywhere or context.for_amd(report.start)
            ]
        except Exception as error:
            failed.append(_failure(path, rule.id, error))
    forget_summaries()
    return early + failed + _findings(path, unit.lines, found, context.native)


def _context(project: Project, unit: Unit, options: Options) -> Context:
    context = Context(unit, project.names(unit), options)
    context.elsewhere = lambda function: project.definitions(function, unit)
    # Host code is asked about calls and sizes only, for which names are enough.
    if options.semantics and any(f.device for f in unit.declarations.functions):
        from portgpu.lint import clangfacts

        facts = clangfacts.facts(project, unit)
        context.facts_type = facts.type
        context.facts_value = facts.value
    return context


def _failure(path: str, who: str, error: Exception) -> Finding:
    if os.environ.get("PORTGPU_DEBUG"):
        traceback.print_exc()
    return Finding(
        path,
        1,
        1,
        FAILED,
        Severity.WARNING,
        f"{who} could not examine this file: {type(error).__name__}: {error}",
        "a fault of portgpu; run again with PORTGPU_DEBUG=1 and report the traceback",
    )


def _findings(
    path: str, lines: LineIndex, reports: Sequence[tuple[Rule, Report]], native: bool
) -> list[Finding]:
    out: dict[tuple[str, int], Finding] = {}
    for rule, report in reports:
        key = (rule.id, report.start)
        if key in out:
            continue
        line, column = lines.position(report.start)
        out[key] = Finding(
            path,
            line,
            column,
            rule.id,
            rule.level(report, native),
            report.message,
            report.hint,
            report.start,
            report.end,
            report.symbol,
            report.confidence or rule.confidence,
            report.fix,
        )
    return sorted(out.values())
