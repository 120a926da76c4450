"""The Markdown of finding pages as HTML: paragraphs, headings, lists, code; all else is text."""

from __future__ import annotations

import re
from html import escape

_SPAN = re.compile(r"``(.+?)``|`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\((#[\w-]+)\)")
_ITEM = re.compile(r"(?:[-*]|(\d+)\.) +")


def to_html(text: str, heading: int = 4) -> str:
    """HTML of a page's body; its `##` becomes a heading of level `heading`."""
    out: list[str] = []
    block: list[str] = []
    lines = iter([*text.splitlines(), ""])
    for line in lines:
        if line.startswith("```"):
            _close(block, out)
            code = []
            for inner in lines:
                if inner.startswith("```"):
                    break
                code.append(inner)
            out.append(f'<pre tabindex="0"><code>{escape(chr(10).join(code))}</code></pre>')
        elif line.startswith("#"):
            _close(block, out)
            level = min(heading + max(len(line) - len(line.lstrip("#")) - 2, 0), 6)
            out.append(f"<h{level}>{_inline(line.lstrip('#').strip())}</h{level}>")
        elif not line.strip():
            _close(block, out)
        elif _ITEM.match(line) and block and not _ITEM.match(block[0]):
            # A list may follow its sentence without an empty line.
            if line[0] in "-*":
                _close(block, out)
            block.append(line)
        else:
            block.append(line)
    _close(block, out)
    return "\n".join(out)


def _close(block: list[str], out: list[str]) -> None:
    if not block:
        return
    if first := _ITEM.match(block[0]):
        items: list[str] = []
        for line in block:
            if match := _ITEM.match(line):
                items.append(line[match.end() :])
            else:
                items[-1] += " " + line.strip()
        name = "ol" if first[1] else "ul"
        out.append(f"<{name}>" + "".join(f"<li>{_inline(i)}</li>" for i in items) + f"</{name}>")
    else:
        out.append(f"<p>{_inline(' '.join(line.strip() for line in block))}</p>")
    block.clear()


def _inline(text: str) -> str:
    parts = []
    at = 0
    for match in _SPAN.finditer(text):
        parts.append(escape(text[at : match.start()]))
        double, code, strong, label, target = match.groups()
        if double is not None or code is not None:
            parts.append(f"<code>{escape((double or code).strip())}</code>")
        elif strong is not None:
            parts.append(f"<strong>{_inline(strong)}</strong>")
        else:
            parts.append(f'<a href="{escape(target)}">{_inline(label)}</a>')
        at = match.end()
    return "".join([*parts, escape(text[at:])])
