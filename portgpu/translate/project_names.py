"""What the files of a project tell each other: names that they define, headers that they bring."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from portgpu.findings import Finding
from portgpu.translate import api
from portgpu.translate.manifest import Manifest
from portgpu.translate.model import HAS_RUNTIME
from portgpu.translate.outline import Outline
from portgpu.translate.tree import File


def known_names(files: Sequence[File]) -> dict[Path, frozenset[bytes]]:
    """What a file learns from its own local headers.

    API names that they define as macros are the project's; `HAS_RUNTIME` says that one of them
    brings the runtime's header; macros that paste names together come with their definition, and
    names of the type CUdeviceptr where the file has them.
    """
    outlines = {file.source: file.outline for file in files}
    graph: dict[Path, list[Path]] = {}
    for file in files:
        sure = set(file.outline.sure)
        graph[file.source] = [path for name, path in file.includes.items() if name in sure]
    found: dict[Path, frozenset[bytes]] = {}
    late = _defaults(files, outlines, graph)
    for file in files:
        reached = _reach(file.source, lambda path: graph.get(path, []))
        headers = [outlines[path] for path in reached if path in outlines]
        names = {name.encode() for header in headers for name in header.defines}
        if pastes := {text for header in headers for text in header.pastes}:
            names |= _used((text.encode("utf-8", "surrogateescape") for text in pastes), file.data)
        for address in {name for header in headers for name in header.addresses}:
            if address.removesuffix("()").encode() in file.data:
                names.add(api.ADDRESS + address.encode())
        # Headers that include each other cannot all leave it to the other.
        if file.source not in reached and any(header.runtime for header in headers):
            names.add(HAS_RUNTIME)
        names |= late.get(file.source, set())
        if names:
            found[file.source] = frozenset(names)
    return found


def _defaults(
    files: Sequence[File], outlines: dict[Path, Outline], graph: dict[Path, list[Path]]
) -> dict[Path, set[bytes]]:
    """What `portgpu.translate.defaults` has to do in files whose function templates have defaults
    that the declaration in a local header lacks."""
    data = {file.source: file.data for file in files}
    found: dict[Path, set[bytes]] = {}
    declared = {name for outline in outlines.values() for name in outline.prototypes}
    for file in files:
        late = set(file.outline.defaults)
        outside = {name[2:].strip() for name in late if name.startswith("::")}
        if not late & declared and not outside:
            continue
        if b"__device__" not in file.data and b"__global__" not in file.data:
            continue  # what a host compiler reads too has no such defaults
        wanted = late | outside
        headers = [
            path
            for path in sorted(_reach(file.source, lambda path: graph.get(path, [])))
            if path in outlines
            and path != file.source
            and (
                wanted & set(outlines[path].prototypes)
                or any(name.encode() in data[path] for name in outside)
            )
        ]
        if not headers:
            continue
        from portgpu.source.syntax import Source
        from portgpu.translate import defaults

        here, there = defaults.moves(Source(file.data), [Source(data[path]) for path in headers])
        for path, words in zip([file.source, *headers], [here, *there], strict=True):
            found.setdefault(path, set()).update(words)
    return found


def _used(definitions: Iterable[bytes], data: bytes) -> set[bytes]:
    from portgpu.translate import pasting

    return pasting.used(definitions, data)


def _reach(start: Path, following: Callable[[Path], list[Path]]) -> set[Path]:
    """Every header that a file includes, directly or not."""
    seen: set[Path] = set()
    stack = list(following(start))
    while stack:
        path = stack.pop()
        if path not in seen:
            seen.add(path)
            stack += following(path)
    return seen


def resolved(
    findings: list[Finding], files: Sequence[File], manifest: Manifest | None = None
) -> list[Finding]:
    """Drops what the tree as a whole answers.

    PG1002 for names that any of its files declares, which `manifest` remembers; PG1701 for headers
    that only look like NVIDIA's and are in the tree: `<cuda_helper.h>`.
    """
    findings = _without_own_headers(findings, files)
    unknown = {f.symbol for f in findings if f.id == "PG1002"}
    if not unknown:
        return findings
    text = "\0".join([*sorted(unknown), *(file.outline.digest for file in files)])
    asked = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    if manifest and manifest.asked == asked:
        gone = set(manifest.declared)
    else:
        gone = _declared({name.encode() for name in unknown}, files)
    if manifest:
        manifest.asked, manifest.declared = asked, tuple(sorted(gone))
    return [f for f in findings if f.id != "PG1002" or f.symbol not in gone]


def _without_own_headers(findings: list[Finding], files: Sequence[File]) -> list[Finding]:
    asked = {f.symbol for f in findings if f.id == "PG1701"}
    if not asked:
        return findings
    from portgpu.translate.headers import is_cuda_header

    paths = [f"/{file.source.as_posix()}" for file in files]
    own = {
        name
        for name in asked
        if not is_cuda_header(name) and any(path.endswith(f"/{name}") for path in paths)
    }
    return [f for f in findings if f.id != "PG1701" or f.symbol not in own]


def _declared(unknown: set[bytes], files: Sequence[File]) -> set[str]:
    """The names among `unknown` that a file declares."""
    from portgpu.source.syntax import Source
    from portgpu.translate.declared import Declarations

    declared: set[bytes] = set()
    for file in files:
        open_names = {n for n in unknown - declared if n in file.data}
        if open_names:
            own = Declarations(Source(file.data, str(file.source)))
            declared |= {n for n in open_names if own.anywhere(n)}
    return {name.decode("utf-8", "replace") for name in declared}
