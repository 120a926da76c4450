"""Fills a target's project folder: translated sources, their headers, the dialect's headers.

The layout below `src/` is that of the original tree, so relative includes keep working. Headers are
found by following `#include` from the sources; what lies outside the tree is used where it is.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portgpu.build import files
from portgpu.build.model import Plan, SourceFile
from portgpu.errors import OutputError
from portgpu.findings import Edit, Finding, Severity

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)


@dataclass(slots=True)
class Staged:
    """What was staged: originals with their copies, findings, and where lines moved."""

    files: dict[Path, Path] = field(default_factory=dict)  # copy -> original
    content: dict[Path, str] = field(default_factory=dict)  # original -> digest of what was read
    findings: list[Finding] = field(default_factory=list)
    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # copy -> breakpoints
    runtime: list[Path] = field(default_factory=list)  # sources that came with the headers
    include_dirs: list[Path] = field(default_factory=list)


def gather(plan: Plan) -> list[SourceFile]:
    """Sources and all headers of the tree that they include, directly or not."""
    found = {source.path: source for source in plan.sources}
    queue = list(found)
    while queue:
        path = queue.pop()
        try:
            data = path.read_bytes()
        except OSError as error:
            raise OutputError(
                f"{path}: {error.strerror}", hint="check that it can be read"
            ) from error
        for header in _included(data, path, plan.include_dirs):
            if header not in found and header.is_relative_to(plan.root):
                found[header] = SourceFile(header, header.relative_to(plan.root).as_posix())
                queue.append(header)
    return list(found.values())


def _included(data: bytes, path: Path, include_dirs: Sequence[Path]) -> Iterable[Path]:
    for match in _INCLUDE.finditer(data):
        name = match[2].decode("utf-8", "replace")
        folders = [path.parent, *include_dirs] if match[1] == b'"' else list(include_dirs)
        for folder in folders:
            candidate = (folder / name).resolve()
            if candidate.is_file():
                yield candidate
                break


def fill(plan: Plan) -> Staged:
    """Write sources and headers into the project folder; unchanged files are not touched."""
    from portgpu.translate import Options, translate

    options = Options(
        to=plan.target,
        warp=plan.warp,
        launches=plan.translate["launches"],
        hip_version=plan.translate["hip_version"],
        allow=tuple(plan.translate["allow"]),
    )
    staged = Staged()
    for source in gather(plan):
        data = source.path.read_bytes()
        result = translate(data, _shown(source.path), options)
        copy = plan.project / "src" / source.relative
        files.write(copy, result.text)
        staged.files[copy] = source.path
        staged.content[source.path] = files.digest(data)
        staged.findings += result.findings
        moved = _moved_lines(data, result.edits)
        if moved:
            staged.lines[str(copy)] = moved
    files.remove_others(plan.project / "src", set(staged.files))
    _render_headers(plan, staged)
    return staged


def _render_headers(plan: Plan, staged: Staged) -> None:
    from portgpu import headers

    include = plan.project / "include"
    plan.folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".headers-", dir=plan.folder))
    try:
        headers.render(plan.target, scratch)
        files.sync_tree(scratch, include)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    staged.runtime = sorted(include.rglob("*.cpp"))
    staged.include_dirs = [include]
    staged.include_dirs += [path for path in sorted(include.rglob("shadow")) if path.is_dir()]
    for folder in plan.include_dirs:
        if folder.is_relative_to(plan.root):
            staged.include_dirs.append(plan.project / "src" / folder.relative_to(plan.root))
    # Last resort for headers that no scan can see, such as `#include MACRO`.
    staged.include_dirs += [plan.project / "src", *plan.include_dirs]


def _shown(path: Path) -> str:
    """A path for people: relative to the working folder when it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _moved_lines(data: bytes, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Breakpoints `(line in the copy, lines to subtract)`; empty when no line moved."""
    moved: list[tuple[int, int]] = []
    shift = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        before = data.count(b"\n", edit.start, edit.end)
        after = edit.text.count(b"\n")
        if before != after:
            line = data.count(b"\n", 0, edit.start) + 1 + shift
            shift += after - before
            moved.append((line + after, shift))
    return moved


def original_place(staged_lines: dict[str, list[tuple[int, int]]], copy: str, line: int) -> int:
    """The line of the original file that a line of the copy came from."""
    points = staged_lines.get(copy, [])
    at = bisect_right(points, (line, 1 << 60)) - 1
    return max(1, line - points[at][1]) if at >= 0 else line


def errors_in(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that forbid a build."""
    return [finding for finding in findings if finding.severity is Severity.ERROR]
