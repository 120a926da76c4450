"""The report as Markdown for a pull request comment: never longer than GitHub takes."""

from __future__ import annotations

from collections.abc import Sequence

from portgpu.findings import Severity, pages
from portgpu.report import charts, kernels, model
from portgpu.report.model import Report
from portgpu.report.views import visible

LIMIT = 60_000  # characters; GitHub refuses comments beyond 65 536
_ROWS = 400  # of one table; how many fit is decided by LIMIT
_FAILURES = 30  # the other tables need room too
_FAILED = "Failed cases"
_ACTIVE = {ord(c): f"&#{ord(c)};" for c in "&<>|\\`*_~[]#!"}
_ACTIVE[ord("@")] = "@\u2060"  # nobody is notified by a name in a source
_ACTIVE[ord("\n")] = " "


def render(report: Report) -> str:
    """At most `LIMIT` characters; what does not fit is counted, the worst stays."""
    parts = [f"## portgpu report: {safe(report.title)}\n"]
    parts += _summary(report)
    for title, head, rows, right in _tables(report):
        room = LIMIT - sum(map(len, parts)) - 300
        text = _table(title, head, rows, right, room)
        if text:
            parts.append(text)
    return "\n".join(parts)


def safe(text: str) -> str:
    """Text in which nothing is markup, on one line."""
    return visible(text.replace("\r", " ").replace("\n", " ")).translate(_ACTIVE)


def _summary(report: Report) -> list[str]:
    if report.sources is None:
        return []
    files = report.sources.files
    findings = report.sources.findings
    counts = [(s, sum(f.severity is s for f in findings)) for s in Severity]
    said = ", ".join(f"**{n}** {s.value}{'' if n == 1 else 's'}" for s, n in counts if n)
    same, edited, look = (report.sources.of(s) for s in ("same", "edited", "look"))
    return [
        f"{len(files)} file{'' if len(files) == 1 else 's'}: **{len(same)}** as they are, "
        f"**{len(edited)}** translated with nothing left to do, **{len(look)}** to look at. "
        f"Findings: {said or 'none'}.\n"
    ]


def _tables(report: Report) -> list[tuple[str, Sequence[str], list[list[str]], Sequence[int]]]:
    found: list[tuple[str, Sequence[str], list[list[str]], Sequence[int]]] = []
    rows = []
    for row in model.matrix(report.builds, report.legs):
        tests = [f"{safe(leg.name)}: {safe(leg.text)}" for leg in row.legs]
        sign = {"passed": "✅", "failed": "❌", "built": "⚪", "untested": "-"}[row.verdict]
        built = {"built": "yes", "missing": "**not found**", "unknown": "?"}[row.build]
        rows.append(
            [
                safe(row.target),
                safe(row.arch),
                built,
                f"{sign} " + ("<br>".join(tests) or "no test"),
            ]
        )
    found.append(("Targets and tests", ("target", "arch", "in the build", "tests"), rows, ()))
    failures = [
        [safe(leg.name), f"<code>{safe(f['id'])}</code>", safe(f["message"][:300])]
        for leg in report.legs
        for f in leg.failures
    ]
    found.append((_FAILED, ("leg", "case", "why"), failures, ()))
    head: tuple[str, ...]
    if report.sources is not None:
        known = pages()
        ids = [
            [i.id, i.severity.value, str(i.count), str(i.files),
             safe(known[i.id].title if i.id in known else "")]
            for i in model.by_id(report.sources.findings)
        ]  # fmt: skip
        head = ("ID", "level", "count", "files", "what")
        found.append(("Findings", head, ids, (2, 3)))
    archs = [
        [safe(a.arch), str(a.kernels), str(a.registers), str(a.spilling), str(a.shared), str(a.low)]
        for a in kernels.by_arch(report.kernels)
    ]
    head = ("arch", "kernels", "most registers", "that spill", "most shared", "occupancy < 25 %")
    found.append(("Kernels", head, archs, (1, 2, 3, 4, 5)))
    if report.sources is not None:
        look = [
            [f"<code>{safe(f.path)}</code>", *(str(f.count(s) or "") for s in Severity),
             str(len(f.edits) or ""), ", ".join(i.id for i in model.by_id(f.findings))]
            for f in report.sources.of("look")
        ]  # fmt: skip
        head = ("file", "errors", "warnings", "notes", "edits", "IDs")
        found.append(("Files that need a look", head, look, (1, 2, 3, 4)))
    for bench in report.benches:
        head = (("elements" if bench.kind == "sizes" else "case"), *(s.name for s in bench.series))
        body = [
            [safe(label), *(charts.number(s.values[i]) for s in bench.series)]
            for i, label in enumerate(bench.labels)
        ]
        title = f"{safe(bench.file)}, {bench.unit}"
        found.append((title, [safe(h) for h in head], body, range(1, len(head))))
    return found


def _table(
    title: str, head: Sequence[str], rows: list[list[str]], right: Sequence[int], room: int
) -> str:
    """A collapsed table of as many rows as there is room for."""
    if not rows:
        return ""
    opened = " open" if len(rows) <= 12 else ""
    lines = [
        f"<details{opened}><summary>{title} ({len(rows)})</summary>\n",
        "| " + " | ".join(head) + " |",
        "|" + "|".join("--:" if i in right else "---" for i in range(len(head))) + "|",
    ]
    used = sum(map(len, lines)) + 60
    count = 0
    for row in rows[: _FAILURES if title == _FAILED else _ROWS]:
        line = "| " + " | ".join(row) + " |"
        used += len(line) + 1
        if used > room:
            break
        lines.append(line)
        count += 1
    if not count:
        return f"{title}: {len(rows)} rows, left out for length\n" if room > 60 else ""
    rest = f"\n… and {len(rows) - count} more\n" if count < len(rows) else ""
    return "\n".join([*lines, rest, "</details>\n"])
