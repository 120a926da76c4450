"""Findings as one self-contained HTML page: no network, light and dark, keyboard friendly."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from typing import Any

from portgpu import __version__
from portgpu.findings import Finding, Severity, pages
from portgpu.output.sources import Sources

_STYLE = """
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#57606a;--line:#d0d7de;--code:#f6f8fa;
--error:#b3261e;--warning:#8a4b00;--note:#0a5ea8;--mark:#fff1c2}
@media (prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--soft:#9aa4af;--line:#30363d;
--code:#161b22;--error:#ff8a80;--warning:#f0b060;--note:#7cc0ff;--mark:#4d3f00}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);margin:0 auto;
padding:1.5rem;max-width:70rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;overflow-wrap:anywhere;margin-top:2rem}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid var(--line);
text-align:left;vertical-align:top}
article{border-top:1px solid var(--line);padding:.6rem 0}article p{margin:.2rem 0}
pre{background:var(--code);padding:.5rem;overflow-x:auto;margin:.4rem 0;font-size:.875rem}
mark{background:var(--mark);color:inherit}.soft{color:var(--soft)}
.error{color:var(--error)}.warning{color:var(--warning)}.note{color:var(--note)}
.level{font-weight:700}a{color:var(--note)}
"""


def render(
    findings: Sequence[Finding],
    sources: Sources,
    *,
    command: str,
    checked: int | None,
    **_: Any,
) -> str:
    from portgpu.output import summary

    title = html.escape(f"{command}: {summary(findings, checked)}")
    body = [f"<h1>{html.escape(command)}</h1><p>{html.escape(summary(findings, checked))}</p>"]
    if findings:
        body.append(_table(findings))
    seen: set[str] = set()
    for path, group in itertools.groupby(findings, key=lambda f: f.path):
        body.append(f"<section><h2>{html.escape(path)}</h2>")
        for finding in group:
            body.append(_article(finding, sources, anchor=finding.id not in seen))
            seen.add(finding.id)
        body.append("</section>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + f'\n</main><footer class="soft"><p>portgpu {__version__}</p></footer></body></html>\n'
    )


def _table(findings: Sequence[Finding]) -> str:
    rows = []
    for identifier in sorted({f.id for f in findings}):
        members = [f for f in findings if f.id == identifier]
        page = pages().get(identifier)
        title = html.escape(page.title if page else "")
        worst = min((f.severity for f in members), key=list(Severity).index)
        rows.append(
            f'<tr><th scope="row"><a href="#{identifier}">{identifier}</a></th>'
            f'<td class="{worst.value}">{worst.value}</td><td>{len(members)}</td>'
            f"<td>{title}</td></tr>"
        )
    head = "<tr>" + "".join(f'<th scope="col">{h}</th>' for h in ("ID", "level", "count", "what"))
    return f"<table><thead>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _article(finding: Finding, sources: Sources, anchor: bool) -> str:
    column = sources.column(finding.path, finding.line, finding.column)
    source = sources.text(finding.path, finding.line)
    end_line, end_byte = sources.end(finding)
    end = len(source) + 1
    if end_line == finding.line:
        end = sources.column(finding.path, end_line, end_byte)
    left, middle, right = source[: column - 1], source[column - 1 : end - 1], source[end - 1 :]
    excerpt = f"{html.escape(left)}<mark>{html.escape(middle)}</mark>{html.escape(right)}"
    level = finding.severity.value
    parts = [
        f'<article id="{finding.id}">' if anchor else "<article>",
        f'<p><span class="level {level}">{level}</span> '
        f'<span class="soft">{finding.line}:{column}</span> {html.escape(finding.message)} '
        f'<span class="soft">[{finding.id}, {html.escape(finding.confidence)}]</span></p>',
        f"<pre>{finding.line:>6}  {excerpt}</pre>" if source.strip() else "",
        f'<p class="soft">{html.escape(finding.hint)}</p>' if finding.hint else "",
        "</article>",
    ]
    return "".join(parts)
