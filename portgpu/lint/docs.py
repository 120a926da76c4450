"""Writes the finding pages of all rules: `python -m portgpu.lint.docs [--check]`.

The rules are the source; `portgpu/data/findings/PG2*.md` is generated from them, so that
`portgpu explain` needs no rule to be imported.
"""

from __future__ import annotations

import sys
from pathlib import Path

from portgpu import resources
from portgpu.lint.rule import Example, Rule
from portgpu.lint.rules import all_rules

_ENGINE = {
    "PG2000": (
        "A rule could not examine a file",
        "warning",
        "A rule of the linter failed on this file; all other rules have examined it. It is a fault "
        "of portgpu.\nRun again with `PORTGPU_DEBUG=1` and report the traceback.\n",
    ),
    "PG2099": (
        "Suppression comment without a reason",
        "warning",
        "A comment `portgpu: allow PGnnnn` has no reason behind the ID, or names an ID that does "
        "not exist.\nWrite why the code is right: `// portgpu: allow PG2003 all blocks have 32 "
        "threads`. It holds for its\nown line and the next one; `portgpu: allow-file` holds for "
        "the whole file.\n",
    ),
}


def pages() -> dict[str, str]:
    """File name -> text of every PG2 page."""
    found = {
        f"{identifier}.md": _page(title, severity, body)
        for identifier, (title, severity, body) in _ENGINE.items()
    }
    for rule in all_rules():
        found[f"{rule.id}.md"] = _page(rule.title, rule.severity.value, _body(rule))
    return found


def _page(title: str, severity: str, body: str) -> str:
    return f'+++\ntitle = "{title}"\nseverity = "{severity}"\n+++\n{body}'


def _body(rule: Rule) -> str:
    parts = [rule.explain.strip() + "\n"]
    about = f"Confidence: {rule.confidence}."
    if rule.width:
        about += " In CUDA sources a note, unless `--warp native` is given."
    if any(e.fixed is not None for e in rule.invalid):
        about += " `portgpu lint --fix` can change it."
    parts.append(about + "\n")
    parts.append("## Reported\n")
    parts += [_example(e) for e in rule.invalid]
    if any(e.fixed is not None for e in rule.invalid):
        parts.append("## After --fix\n")
        parts += [_code(e.fixed_text or "", e.mode) for e in rule.invalid if e.fixed is not None]
    if rule.valid:
        parts.append("## Not reported\n")
        parts += [_example(e) for e in rule.valid]
    return "\n".join(parts)


def _example(example: Example) -> str:
    note = (
        "With `--warp native`:\n\n" if example.warp == "native" and example.mode == "cuda" else ""
    )
    return note + _code(example.text, "cmake" if example.path.endswith(".txt") else "cuda")


def _code(text: str, language: str) -> str:
    return f"```{'cmake' if language == 'cmake' else 'cuda'}\n{text.rstrip()}\n```\n"


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` say which are not up to date; returns the exit code."""
    folder: Path = resources.data("findings")
    wanted = pages()
    existing = {p.name for p in folder.glob("PG2*.md")}
    stale = sorted(
        name
        for name in {*wanted, *existing}
        if name not in wanted
        or name not in existing
        or (folder / name).read_text(encoding="utf-8") != wanted[name]
    )
    if "--check" in arguments:
        for name in stale:
            print(f"{name} is not what the rules say; run python -m portgpu.lint.docs")
        return 1 if stale else 0
    for name in stale:
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
