"""Fills a target's project folder: translated sources, their headers, the dialect's headers.

The layout below `src/` is that of the original tree, so relative includes keep working. Headers are
found by following `#include` from the sources; what lies outside the tree is used where it is.
"""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from portgpu.build import files, language
from portgpu.build.model import Plan, Staged
from portgpu.errors import OutputError
from portgpu.translate import Options, project
from portgpu.translate.outline import outline
from portgpu.translate.tree import File


def gather(plan: Plan, links: dict[Path, Path] | None = None) -> list[File]:
    """Sources and all headers of the tree that they include, directly or not.

    `links` gets the links that include paths go through: link in the tree -> what it leads to.
    """
    found: dict[Path, File] = {}
    queue = [source.path for source in plan.sources]
    while queue:
        path = queue.pop()
        if path in found:
            continue
        try:
            data = path.read_bytes()
        except OSError as error:
            raise OutputError(
                f"{path}: {error.strerror}", hint="check that it can be read"
            ) from error
        copy = plan.project / "src" / path.relative_to(plan.root)
        file = found[path] = File(path, copy, data, outline(data))
        for name, place in _included(file, plan.include_dirs):
            header = place.resolve()
            if links is not None and place != header:
                links.update(_links(place, plan.root))
            if header.is_relative_to(plan.root):
                file.includes[name] = header
                queue.append(header)
    return list(found.values())


def _included(file: File, include_dirs: Sequence[Path]) -> Iterable[tuple[str, Path]]:
    for name, quoted, _ in file.outline.includes:
        for folder in [file.source.parent, *include_dirs] if quoted else include_dirs:
            candidate = Path(os.path.normpath(folder / name))
            if candidate.is_file():
                yield name, candidate
                break


def _links(place: Path, root: Path) -> Iterable[tuple[Path, Path]]:
    """The links on the way from the root to a file."""
    if place.is_relative_to(root):
        at = root
        for part in place.relative_to(root).parts:
            at /= part
            if at.is_symlink():
                yield at, at.resolve()
                # What comes behind it is a matter of the place that it leads to.
                rest = place.relative_to(at)
                yield from _links(at.resolve() / rest, root)
                return


def fill(plan: Plan) -> Staged:
    """Write sources and headers into the project folder; unchanged files are not touched."""
    staged = Staged()
    originals = gather(plan, staged.links)
    staged.kinds = language.kinds(plan.target, [s.path for s in plan.sources], originals)
    staged.has_kernels = any(b"__global__" in file.data for file in originals)
    if plan.route == "headers":
        _stay(plan, staged, originals)
    else:
        _rewrite(plan, staged, originals)
    _render_headers(plan, staged)
    return staged


def _stay(plan: Plan, staged: Staged, originals: Sequence[File]) -> None:
    """The sources stay where they are; headers stand in for CUDA's."""
    from portgpu.headers.shadow import render_shadow

    known = {file.source: file for file in originals}
    staged.content = {file.source: files.digest(file.data) for file in originals}
    keys = set()
    for source in plan.sources:
        # What Ninja sees of a source's content: its time alone may not tell.
        read = language.closure(source.path, known)
        key = "\n".join(f"{staged.content[f.source]} {f.source}" for f in read)
        files.write(plan.content_key(source), key.encode())
        keys.add(plan.content_key(source))
    files.remove_others(plan.project / "src", keys)
    shadow = plan.project / "shadow"
    staged.shadow = render_shadow(plan.target, shadow)
    files.remove_others(shadow, set(staged.shadow))


def _rewrite(plan: Plan, staged: Staged, originals: Sequence[File]) -> None:
    options = Options(
        to=plan.target,
        warp=plan.warp,
        launches=plan.translate["launches"],
        hip_version=plan.translate["hip_version"],
        allow=tuple(plan.translate["allow"]),
    )
    folder = plan.project / "src"
    outcomes = project.run(originals, options, output_root=folder, labels=_shown)
    compat = False
    for original, outcome in zip(originals, outcomes, strict=True):
        text = original.data if outcome.text is None else outcome.text
        compat = compat or project.uses_compat(text)
        files.write(original.output, text)
        staged.files[original.output] = original.source
        staged.content[original.source] = files.digest(original.data)
        staged.findings += outcome.findings
        moved = moved_lines(original.data, text)
        if moved:
            staged.lines[str(original.output)] = moved
    keep = set(staged.files)
    if compat:
        project.copy_compat(folder)
        keep |= set((folder / "portgpu").rglob("*.h"))
    for link, leads_to in staged.links.items():
        place = folder / link.relative_to(plan.root)
        inside = leads_to.is_relative_to(plan.root)
        there = folder / leads_to.relative_to(plan.root) if inside else leads_to
        files.link(place, there, relative=inside)
        keep.add(place)
    files.remove_others(folder, keep)
    files.clear(plan.project / "shadow")


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
    if plan.route == "headers":
        staged.include_dirs += plan.include_dirs
        return
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


def moved_lines(data: bytes, text: bytes) -> list[tuple[int, int]]:
    """Breakpoints `(line in the copy, lines to subtract)`; empty when no line moved."""
    if data.count(b"\n") == text.count(b"\n"):
        return []
    before, after = data.split(b"\n"), text.split(b"\n")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    moved: list[tuple[int, int]] = []
    for old, new, _ in matcher.get_matching_blocks():
        shift = new - old
        if shift != (moved[-1][1] if moved else 0):
            moved.append((new + 1, shift))
    return moved
