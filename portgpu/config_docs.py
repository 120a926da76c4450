"""Writes the key table of docs/config.md from the model in `portgpu.config`.

`python -m portgpu.config_docs docs/config.md` brings the page up to date; a test keeps it so.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from portgpu.config_model import LISTS, MODELS, SECTIONS, Target


def reference() -> str:
    """The key table of docs/config.md, as Markdown."""
    out = []
    shown: set[type[Any]] = set()
    sections = [(f"[{section}]", MODELS[name]) for section, name in SECTIONS.items()]
    sections += [(f"[[{section}]]", model) for section, (_, model) in LISTS.items()]
    for section, model in sections:
        if model in shown:
            continue
        shown.add(model)
        title = (
            "`[target.cuda]`, `[target.rocm]`, `[target.cpu]`"
            if model is Target
            else f"`{section}`"
        )
        out += [f"### {title}", "", "| key | type | default | environment | meaning |"]
        out.append("|---|---|---|---|---|")
        for spec in fields(model):
            kind = {
                "list": "list of strings",
                "int": "number",
                "number": "number",
                "path": "path",
            }.get(spec.metadata["kind"], "string")
            value = spec.default if spec.default is not MISSING else spec.default_factory()  # type: ignore[operator]
            shown_value = "" if value in ("", ()) else f"`{_toml(value)}`"
            env = str(spec.metadata["env"])
            env_text = f"`{env.replace('{TARGET}', '<TARGET>')}`" if env else ""
            doc = spec.metadata["doc"]
            choices = spec.metadata["choices"]
            if choices and not all(f"`{choice}`" in doc for choice in choices):
                doc += " One of " + ", ".join(f"`{choice}`" for choice in choices) + "."
            out.append(f"| `{spec.name}` | {kind} | {shown_value} | {env_text} | {doc} |")
        out.append("")
    return "\n".join(out)


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{v}"' for v in value) + "]"
    return f"{value:g}" if isinstance(value, int | float) else f'"{value}"'


def write_reference(page: Path) -> None:
    """Put `reference()` between the marks of docs/config.md."""
    begin, end = "<!-- keys: begin -->\n", "<!-- keys: end -->"
    text = page.read_text(encoding="utf-8")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    page.write_text(head + begin + reference().rstrip() + "\n" + end + tail, encoding="utf-8")


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
