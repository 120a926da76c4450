"""Collects the sources part of a report: translates and lints without writing anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from portgpu import config as configuration
from portgpu.errors import OutputError
from portgpu.findings import Edit, Finding
from portgpu.report.model import SourceFile, Sources
from portgpu.translate import project
from portgpu.translate.model import Options
from portgpu.translate.project_names import resolved
from portgpu.translate.tree import collect

# What lint and translate both report: launch bounds, tests of versions and architectures, inline
# PTX, NVIDIA's own functions, device-side launches, texture references, libraries.
_TWINS = {
    "PG2020": "PG1302", "PG2030": "PG1502", "PG2031": "PG1501",
    "PG2040": "PG12", "PG2041": "PG10", "PG2042": "PG1801", "PG2043": "PG1304", "PG2051": "PG1",
}  # fmt: skip
_EDITED = ("PG2040", "PG2041")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to examine, and how."""

    inputs: Sequence[Path]
    options: Options
    include_dirs: Sequence[Path] = ()
    exclude: Sequence[str] = ()
    lint: bool = True
    confidence: str = "likely"
    jobs: int = 0
    cache: Path | None = None


def sources(
    request: Request,
    settings: configuration.Config,
    translating: Progress | None = None,
    linting: Progress | None = None,
) -> Sources:
    """Every source under the inputs, with the edits and findings that concern it.

    Raises `InputError` for an input that is missing, cannot be read, or has no sources.
    """
    root, files, notes = collect(
        request.inputs, include_dirs=request.include_dirs, exclude=request.exclude
    )
    step = None if translating is None else (lambda done, total, _: translating(done, total))
    outcomes = project.run(
        files, request.options, output_root=root, jobs=request.jobs, progress=step
    )
    found = {
        f.source: SourceFile("", f.data, o.changes) for f, o in zip(files, outcomes, strict=True)
    }
    findings = [n for o in outcomes for n in o.findings] + notes
    for finding in resolved(findings, files):
        # What could not be read has findings and no text.
        file = found.setdefault(Path(finding.path), SourceFile("", b""))
        file.findings.append(finding)
    if request.lint:
        for path, its in _lint(request, settings, linting).items():
            if path not in found:
                found[path] = SourceFile("", _read(path))
            found[path].findings += _news(found[path], its)
    base = _base(list(found), root)
    for path, file in found.items():
        file.path = os.path.relpath(path, base).replace(os.sep, "/")
        file.findings = sorted(replace(f, path=file.path) for f in file.findings)
    ordered = sorted(
        found.values(), key=lambda f: (-f.weight, -len(f.findings), -len(f.edits), f.path)
    )
    return Sources(ordered, request.options.to, request.options.warp, request.lint)


def _lint(
    request: Request, settings: configuration.Config, progress: Progress | None
) -> dict[Path, list[Finding]]:
    from portgpu.lint import engine, suppress
    from portgpu.lint.options import Options as LintOptions

    here = Path.cwd()
    options = LintOptions(
        warp=request.options.warp,
        select=tuple(sorted(settings.lint.select)),
        ignore=tuple(sorted(settings.lint.ignore)),
    )
    exclude = [*settings.lint.exclude, *request.exclude]
    exclude += [form.format(g) for g in request.exclude for form in ("*/{}", "*/{}/*", "{}/*")]
    files = engine.collect(request.inputs, exclude, here)
    result = engine.run(
        files, options, root=here, cache=request.cache, jobs=request.jobs, progress=progress
    )
    allowed = suppress.config_entries(settings.lint.allow)
    rank = ["hint", "likely", "certain"]
    found: dict[Path, list[Finding]] = {}
    for finding in suppress.filter_config(result.findings, allowed):
        if finding.id.startswith("PG1"):
            continue  # told by the translator already
        if rank.index(finding.confidence) >= rank.index(request.confidence):
            found.setdefault((here / finding.path).resolve(), []).append(finding)
    return found


def _news(file: SourceFile, linted: Sequence[Finding]) -> list[Finding]:
    """Lint findings that translation has not answered: by an edit, or by a finding of its own."""
    kept = []
    for finding in linted:
        told = _TWINS.get(finding.id, "-")
        same = any(
            n.id.startswith(told)
            and n.line == finding.line
            and (n.id == told or _touch(n, finding))
            for n in file.findings
        )
        edited = finding.id in _EDITED and any(_touch(edit, finding) for edit in file.edits)
        # Translation drops a status on purpose where the source does so.
        dropped = finding.id == "PG2033" and any(
            edit.start <= finding.start <= edit.end and b"(void)" in edit.text
            for edit in file.edits
        )
        if not same and not edited and not dropped:
            kept.append(finding)
    return kept


def _touch(one: Edit | Finding, other: Finding) -> bool:
    return max(one.start, other.start) < min(one.end, other.end)


def _base(paths: Sequence[Path], root: Path) -> Path:
    """The folder that names are relative to: the working folder when it holds all files."""
    here = Path.cwd().resolve()
    if all(p.is_relative_to(here) for p in paths):
        return here
    return Path(os.path.commonpath([root, *(p.parent for p in paths)]))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}", hint="check its permissions") from error
