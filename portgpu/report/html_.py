"""The report as one HTML page that needs no other file and no network.

Views and the kernel table travel as compressed JSON and become rows when they are opened, so that
a project of hundreds of files loads at once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import Any

import jinja2
from markupsafe import Markup

from portgpu import __version__, resources
from portgpu.findings import Severity, pages
from portgpu.report import charts, kernels, markup, model, views
from portgpu.report.model import Report, SourceFile

_FULL_BYTES = 24_000_000  # sources beyond this are shown around edits and findings only
_AROUND = 12  # lines
_FAILURES = 100


def render(report: Report) -> str:
    """The page; the same report gives the same bytes."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates("report")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = views.visible
    environment.filters["thousands"] = lambda n: f"{n:,}".replace(",", "\u202f")
    environment.filters["number"] = charts.number
    script = resources.templates("report", "script.js").read_text(encoding="utf-8")
    style = resources.templates("report", "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        report=report,
        version=__version__,
        script=script,
        style=style,
        script_hash=digest,
        severities=list(Severity),
        **_sources(report),
        **_results(report),
    )


def pack(data: Any) -> str:
    """JSON, deflated, in base64: text that no HTML parser can take for markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def _sources(report: Report) -> dict[str, Any]:
    if report.sources is None:
        return {"ids": [], "pages": [], "groups": [], "same": [], "shares": []}
    files = report.sources.files
    shown = [f for f in files if f.edits or f.findings]
    around = _AROUND if sum(len(f.data) for f in shown) > _FULL_BYTES else None
    entries = {id(f): _entry(f, n, around) for n, f in enumerate(shown, 1)}
    ids = model.by_id(report.sources.findings)
    known = pages()
    groups = []
    for state, name, note in (
        ("look", "Need a look", "errors or warnings"),
        ("edited", "Translated", "edits, and nothing left to do but notes"),
        ("same", "As they are, with notes", "no edit"),
    ):
        own = [entries[id(f)] for f in shown if f.state == state]
        if own:
            groups.append({"state": state, "name": name, "note": note, "files": own})
    return {
        "ids": ids,
        "titles": {i.id: known[i.id].title if i.id in known else "" for i in ids},
        "pages": [
            {"id": p.id, "title": p.title, "body": Markup(markup.to_html(p.body))}
            for p in (known[name] for name in sorted(i.id for i in ids) if name in known)
        ],
        "groups": groups,
        "same": [f for f in files if not f.edits and not f.findings],
        "shares": shares(files),
        "cut": around,
    }


def shares(files: list[SourceFile]) -> list[dict[str, Any]]:
    """Files and lines in each state; the widths of the bar add up to 100."""
    lines = sum(f.lines for f in files) or 1
    found = []
    for state, name in (
        ("same", "as they are"),
        ("edited", "translated, nothing left to do"),
        ("look", "need a look"),
    ):
        own = [f for f in files if f.state == state]
        count = sum(f.lines for f in own)
        found.append(
            {
                "state": state,
                "name": name,
                "files": len(own),
                "lines": count,
                "width": round(100 * count / lines, 2),
            }
        )
    return found


def _entry(file: SourceFile, number: int, around: int | None) -> dict[str, Any]:
    return {
        "number": number,
        "path": views.visible(file.path),
        "counts": [(s.value, file.count(s)) for s in Severity if file.count(s)],
        "edits": len(file.edits),
        "ids": " ".join(sorted({f.id for f in file.findings})),
        "blob": pack(views.view(file, around)),
    }


def _results(report: Report) -> dict[str, Any]:
    rows = kernels.rows(report.kernels)
    ops: dict[str, list[dict[str, Any] | None]] = {}
    for at, leg in enumerate(report.legs):
        for op in leg.ops:
            ops.setdefault(op["op"], [None] * len(report.legs))[at] = op
    failures = [(leg, f) for leg in report.legs for f in leg.failures]
    return {
        "matrix": model.matrix(report.builds, report.legs),
        "ops": ops,
        "failures": failures[:_FAILURES],
        "more_failures": max(len(failures) - _FAILURES, 0),
        "kernel_archs": kernels.by_arch(report.kernels),
        "kernel_columns": kernels.COLUMNS,
        "kernel_count": len(rows),
        "kernel_blob": pack(rows) if rows else "",
        "charts": [
            {
                "bench": bench,
                "svg": Markup(charts.svg(bench, f"chart-{n}")),
                "legend": Markup(charts.legend(bench.series)),
            }
            for n, bench in enumerate(report.benches, 1)
        ],
    }
