"""What the files of a project tell each other: names that they define, headers that they bring."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from portgpu.findings import Finding
from portgpu.translate.manifest import Manifest
from portgpu.translate.model import HAS_RUNTIME
from portgpu.translate.tree import File, includes_of

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?:(?P<opens>if|ifdef|ifndef)\b[ \t]*(?P<tested>\w*)|(?P<closes>endif)\b"
    rb'|include[ \t]*["<](?P<header>[^">\r\n]+)[">]|define[ \t]+(?P<macro>\w+))',
    re.MULTILINE,
)
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def known_names(files: Sequence[File]) -> dict[Path, frozenset[bytes]]:
    """What a file learns from its own local headers.

    API names that they define as macros are the project's; `HAS_RUNTIME` says that one of them
    brings the runtime's header.
    """
    from portgpu.translate import api

    api_names = api.forward().keys() | api.shims().keys()
    defines: dict[Path, set[bytes]] = {}
    for file in files:
        written = {m for m in _DEFINE.findall(file.data) if m in api_names}
        defines[file.source] = written & _unconditional(file.data)[1] if written else written
    runtime = {f.source for f in files if _brings_runtime(f)}
    graph: dict[Path, list[Path]] = {}
    for file in files:
        if runtime or any(defines.values()):
            sure = _unconditional(file.data)[0] if file.includes else set()
            graph[file.source] = [path for name, path in file.includes.items() if name in sure]
    found: dict[Path, frozenset[bytes]] = {}
    for file in files:
        reached = _reach(file.source, lambda path: graph.get(path, []))
        names: set[bytes] = set().union(*(defines.get(p, set()) for p in reached))
        # Headers that include each other cannot all leave it to the other.
        if reached & runtime and file.source not in reached:
            names.add(HAS_RUNTIME)
        if names:
            found[file.source] = frozenset(names)
    return found


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


def _brings_runtime(file: File) -> bool:
    """Whether a header's translation includes the runtime, itself or by what it needs."""
    from portgpu.translate.headers import brings_runtime

    if b"__global__" in file.data or b"__device__" in file.data:
        return True
    return any(brings_runtime(name) for name, _ in includes_of(file.data))


def _unconditional(data: bytes) -> tuple[set[str], set[bytes]]:
    """Include names and macro names outside of any `#if`, an include guard aside."""
    includes: set[str] = set()
    defines: set[bytes] = set()
    depth = 0
    lines = list(_DIRECTIVE.finditer(data))
    guarded = (
        len(lines) > 1
        and lines[0]["opens"] == b"ifndef"
        and lines[0]["tested"] == lines[1]["macro"]
    )
    for line in lines:
        if line["opens"]:
            depth += 1
        elif line["closes"]:
            depth -= 1
        elif depth <= int(guarded):
            if line["macro"]:
                defines.add(line["macro"])
            else:
                includes.add(line["header"].decode("utf-8", "surrogateescape"))
    return includes, defines


def resolved(
    findings: list[Finding], files: Sequence[File], manifest: Manifest | None = None
) -> list[Finding]:
    """Drops PG1002 for names that any file of the tree declares; remembers them in `manifest`."""
    unknown = {f.symbol for f in findings if f.id == "PG1002"}
    if not unknown:
        return findings
    digest = hashlib.blake2b("\0".join(sorted(unknown)).encode(), digest_size=16)
    for file in files:
        digest.update(b"%d\0" % len(file.data) + file.data)
    asked = digest.hexdigest()
    if manifest and manifest.asked == asked:
        gone = set(manifest.declared)
    else:
        gone = _declared({name.encode() for name in unknown}, files)
    if manifest:
        manifest.asked, manifest.declared = asked, tuple(sorted(gone))
    return [f for f in findings if f.id != "PG1002" or f.symbol not in gone]


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
