"""The report as plain text for terminals and logs."""

from __future__ import annotations

from portgpu.console import size, table
from portgpu.findings import Severity, pages
from portgpu.report import charts, kernels, model
from portgpu.report.model import Report
from portgpu.report.views import visible

_FILES = 50
_FAILURES = 20


def render(report: Report) -> str:
    """Sections separated by empty lines; long lists are cut and say so."""
    parts = [f"portgpu report: {visible(report.title)}"]
    parts += _sources(report) + _results(report)
    for bench in report.benches:
        head = ["elements" if bench.kind == "sizes" else "case", *(s.name for s in bench.series)]
        rows = [
            [label, *(charts.number(s.values[i]) for s in bench.series)]
            for i, label in enumerate(bench.labels)
        ]
        parts.append(
            f"{visible(bench.file)}, {bench.unit}\n{_table(head, rows, range(1, len(head)))}"
        )
    return "\n\n".join(parts) + "\n"


def _sources(report: Report) -> list[str]:
    if report.sources is None:
        return []
    files = report.sources.files
    same, edited, look = (report.sources.of(s) for s in ("same", "edited", "look"))
    parts = [
        f"{len(files)} file{'' if len(files) == 1 else 's'}: {len(same)} as they are, "
        f"{len(edited)} translated with nothing left to do, {len(look)} to look at"
    ]
    known = pages()
    ids = [
        [
            i.id,
            i.severity.value,
            str(i.count),
            str(i.files),
            known[i.id].title if i.id in known else "",
        ]
        for i in model.by_id(report.sources.findings)
    ]
    if ids:
        parts.append(_table(["ID", "level", "count", "files", "what"], ids, (2, 3)))
    if look:
        rows = [
            [f.path, *(str(f.count(s) or "-") for s in Severity), str(len(f.edits) or "-")]
            for f in look[:_FILES]
        ]
        text = _table(["file", "errors", "warnings", "notes", "edits"], rows, (1, 2, 3, 4))
        if len(look) > _FILES:
            text += f"\n… and {len(look) - _FILES} more files that need a look"
        parts.append(text)
    return parts


def _results(report: Report) -> list[str]:
    parts = []
    rows = []
    for row in model.matrix(report.builds, report.legs):
        built = {"built": "yes", "missing": "NOT FOUND", "unknown": "?"}[row.build]
        texts = [f"{leg.name}: {leg.text}" for leg in row.legs] or ["no test result"]
        for at, text in enumerate(texts):
            rows.append([row.target, row.arch, built, text] if at == 0 else ["", "", "", text])
    if rows:
        parts.append(_table(["target", "arch", "in the build", "tests"], rows))
    failures = [
        f"FAILED {leg.name}: {f['id']}\n  {f['message']}"
        for leg in report.legs
        for f in leg.failures
    ]
    if failures:
        more = len(failures) - _FAILURES
        shown = failures[:_FAILURES] + ([f"… and {more} more"] if more > 0 else [])
        parts.append("\n".join("\n".join(visible(x) for x in f.split("\n")) for f in shown))
    archs = [
        [a.arch, str(a.kernels), str(a.registers), f"{a.spilling}{'?' if a.unknown else ''}",
         size(a.shared), str(a.low)]
        for a in kernels.by_arch(report.kernels)
    ]  # fmt: skip
    if archs:
        head = [
            "arch",
            "kernels",
            "most registers",
            "that spill",
            "most shared",
            "occupancy < 25 %",
        ]
        parts.append(_table(head, archs, range(1, 6)))
    return parts


def _table(head: list[str], rows: list[list[str]], right: range | tuple[int, ...] = ()) -> str:
    return table([visible(h) for h in head], [[visible(c) for c in r] for r in rows], right=right)
