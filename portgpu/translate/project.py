"""Translation of whole trees: on all cores, and only what is not up to date."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from portgpu import resources
from portgpu.atomic import write
from portgpu.translate import translate
from portgpu.translate.manifest import Manifest, file_key
from portgpu.translate.model import Options
from portgpu.translate.project_names import known_names
from portgpu.translate.tree import File, Outcome

_POOL_BYTES = 400_000  # below this, starting processes costs more than it saves


def run(
    files: Sequence[File],
    options: Options,
    *,
    output_root: Path,
    labels: Callable[[Path], str] = str,
    manifest: Manifest | None = None,
    jobs: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Outcome]:
    """Translates all files, on all cores when there is enough to do.

    With `manifest`, a file is left alone when its content, the options and its output are those of
    the run that wrote the manifest. Findings name a file by its `labels`.
    """
    known = known_names(files)
    key = manifest.options_key(options) if manifest else ""
    outcomes: dict[Path, Outcome] = {}
    work: list[_Work] = []
    for file in files:
        names = known.get(file.source, frozenset()) | options.known
        label = labels(file.source)
        own_key = file_key(file, key, names) if manifest else ""
        if manifest and (old := manifest.restore(file, own_key, label)):
            outcomes[file.source] = old
            continue
        own = replace(relative_compat(options, file.output, output_root), known=names)
        work.append(_Work(file, own, label, own_key))
    for done, outcome in enumerate(_translated(work, jobs or os.cpu_count() or 1), start=1):
        outcomes[outcome.source] = outcome
        if progress:
            progress(done, len(work), outcome.source.name)
    return [outcomes[f.source] for f in files]


class _Work(NamedTuple):
    file: File
    options: Options
    label: str
    key: str


def _translated(work: list[_Work], jobs: int) -> Iterator[Outcome]:
    if jobs == 1 or sum(len(w.file.data) for w in work) < _POOL_BYTES:
        yield from map(_one, work)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    work.sort(key=lambda w: -len(w.file.data))
    context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(_one, work, chunksize=max(1, len(work) // (jobs * 8)))


def _one(work: _Work) -> Outcome:
    file, options, label, key = work
    result = translate(file.data, label, options, frozenset(file.includes))
    return Outcome(
        file.source,
        file.output,
        result.text,
        len(result.edits),
        result.findings,
        result.shims,
        result.edits,
        key,
    )


def relative_compat(options: Options, output: Path, root: Path) -> Options:
    """`options` with the compat include written from the output's folder."""
    if options.compat is None:
        return options
    up = os.path.relpath(root, output.parent).replace(os.sep, "/")
    return replace(options, compat=options.compat if up == "." else f"{up}/{options.compat}")


def save(
    files: Sequence[File], outcomes: Sequence[Outcome], manifest: Manifest, options: Options
) -> None:
    """Writes changed outputs, our headers when used, and the manifest."""
    for outcome in outcomes:
        if outcome.text is not None:
            write(outcome.output, outcome.text, like=outcome.source)
    if any(o.text is not None for o in outcomes) or len(outcomes) != len(manifest.entries):
        manifest.save(files, outcomes)
    if options.compat and any(o.text is None or uses_compat(o.text) for o in outcomes):
        copy_compat(manifest.folder)


def uses_compat(text: bytes) -> bool:
    """Whether a translation includes one of our compat headers."""
    return b"portgpu/hip_compat" in text


def copy_compat(folder: Path) -> None:
    """Puts `portgpu/hip_compat*.h` into a folder, for translations that include them."""
    source = resources.templates("compat")
    for path in sorted(source.rglob("*.h")):
        write(folder / path.relative_to(source), path.read_bytes())
