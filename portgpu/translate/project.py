"""Translation of whole trees: which files, where each goes, what is still up to date."""

from __future__ import annotations

import functools
import hashlib
import json
import multiprocessing
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path

from portgpu import __version__, resources
from portgpu.atomic import replace_file
from portgpu.errors import InputError, OutputError
from portgpu.findings import Edit, Finding, Severity
from portgpu.translate import translate
from portgpu.translate.model import HAS_RUNTIME, Options

SUFFIXES = frozenset(
    (
        ".cu",
        ".cuh",
        ".c",
        ".cc",
        ".cpp",
        ".cxx",
        ".h",
        ".hh",
        ".hpp",
        ".hxx",
        ".inl",
        ".hip",
        ".ipp",
        ".hu",
        ".inc",
        ".tcc",
        ".tpp",
    )
)
MANIFEST = ".portgpu-translate.json"
_QUOTED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\r\n]+)[">]', re.MULTILINE)
_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?:(?P<opens>if|ifdef|ifndef)\b[ \t]*(?P<tested>\w*)|(?P<closes>endif)\b"
    rb'|include[ \t]*["<](?P<header>[^">\r\n]+)[">]|define[ \t]+(?P<macro>\w+))',
    re.MULTILINE,
)
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_OURS = re.compile(r"(?:^|/)portgpu/(?:hip_compat\w*\.h|compat/\w+\.h)\Z")
_POOL_BYTES = 400_000  # below this, starting processes costs more than it saves


@dataclass(slots=True)
class File:
    """One file of the tree: where it comes from and where its translation goes."""

    source: Path
    output: Path
    data: bytes = b""
    includes: dict[str, Path] = field(default_factory=dict)  # include name -> file of the tree


@dataclass(slots=True)
class Outcome:
    """What one file became. `text` is None when the old output is still right."""

    source: Path
    output: Path
    text: bytes | None
    edits: int
    findings: list[Finding]
    shims: frozenset[str]
    changes: list[Edit] = field(default_factory=list)  # empty when restored from a manifest


def collect(
    inputs: Sequence[Path],
    *,
    include_dirs: Sequence[Path] = (),
    exclude: Sequence[str] = (),
    follow: bool = True,
) -> tuple[Path, list[File], list[Finding]]:
    """The common root, and every file to translate: inputs, files of input folders, local headers.

    Raises `InputError` for a path that does not exist or holds no source.
    """
    chosen: dict[Path, None] = {}
    folders = []
    for path in inputs:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder", hint="check the path")
        if path.is_dir():
            folders.append(path.resolve())
            for found in _walk(path.resolve(), exclude):
                chosen[found] = None
        else:
            chosen[path.resolve()] = None
    if not chosen:
        raise InputError(
            f"{', '.join(map(str, inputs))}: no C++ or CUDA sources in there",
            hint=f"sources end in {', '.join(sorted(SUFFIXES))}",
        )
    files: dict[Path, File] = {}
    notes: list[Finding] = []
    queue = list(chosen)
    search = [d.resolve() for d in include_dirs]
    tree = _Tree(folders, exclude)
    while queue:
        path = queue.pop()
        if path in files:
            continue
        file = files[path] = File(path, path, _read(path))
        for name, quoted in includes_of(file.data):
            if _OURS.search(name):
                continue
            header = _resolve(path, name, quoted, search)
            if header is None:
                header = tree.find(name, quoted)
            if header is None:
                continue
            # What is included is source, however it is called.
            if header in chosen or (follow and header not in files):
                queue.append(header)
            file.includes[name] = header
    root = _root(list(files), list(chosen), folders)
    for file in list(files.values()):
        if not file.source.is_relative_to(root):
            del files[file.source]
            notes.append(_outside(file, files, root))
    return root, sorted(files.values(), key=lambda f: f.source), [n for n in notes if n.line]


class _Tree:
    """The files of the input folders by the end of their path, for includes through a `-I`."""

    def __init__(self, folders: Sequence[Path], exclude: Sequence[str]) -> None:
        self._folders = folders
        self._exclude = exclude

    @functools.cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for folder in self._folders:
            for path in _walk(folder, self._exclude, every=True):
                found.setdefault(path.name, []).append(path)
        return found

    def find(self, name: str, quoted: bool) -> Path | None:
        """The one file that `#include <name>` can mean; None when there are several or none."""
        from portgpu.translate.headers import is_cuda_header, looks_cuda

        if not self._folders or is_cuda_header(name) or (looks_cuda(name) and not quoted):
            return None
        last = name.rpartition("/")[2]
        if last == name and "." + name.rpartition(".")[2] in SUFFIXES:
            return None  # "utils.h" says too little
        found = self._by_name.get(last)
        if not found:
            return None
        parts = Path(name).parts
        same = [p for p in found if p.parts[-len(parts) :] == parts]
        return same[0] if len(same) == 1 else None


def _root(files: list[Path], chosen: list[Path], folders: list[Path]) -> Path:
    """A single input folder is the root; otherwise the deepest folder that holds everything."""
    if folders and all(any(c.is_relative_to(f) for f in folders) for c in chosen):
        return Path(os.path.commonpath(folders))
    return Path(os.path.commonpath([f.parent for f in files]))


def _outside(header: File, files: dict[Path, File], root: Path) -> Finding:
    for file in files.values():
        for name, target in file.includes.items():
            if target == header.source:
                at = file.data.find(name.encode())
                line = file.data.count(b"\n", 0, at) + 1
                column = at - (file.data.rfind(b"\n", 0, at) + 1) + 1
                return Finding(
                    str(file.source),
                    line,
                    column,
                    "PG1703",
                    Severity.WARNING,
                    f"{name} lies outside {root} and was not translated",
                    hint=f"give {os.path.commonpath([root, header.source.parent])} as the input",
                    start=at,
                    end=at + len(name),
                    symbol=name,
                )
    return Finding("", 0, 0, "PG1703", Severity.WARNING, "")


def _walk(folder: Path, exclude: Sequence[str], every: bool = False) -> Iterable[Path]:
    """Sources below a folder, or every file; hidden folders and what is excluded left out."""
    for top, dirs, names in os.walk(folder):
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and not _excluded(d, exclude))
        for name in sorted(names):
            path = Path(top, name)
            relative = path.relative_to(folder).as_posix()
            if (
                (every or path.suffix.lower() in SUFFIXES)
                and not _OURS.search(relative)
                and not _excluded(relative, exclude)
            ):
                yield path


def _excluded(name: str, exclude: Sequence[str]) -> bool:
    return any(fnmatch(name, p) or fnmatch(Path(name).name, p) for p in exclude)


def includes_of(data: bytes) -> list[tuple[str, bool]]:
    """(name, quoted) of every include, by a plain search (comments are not told apart)."""
    return [(m[2].decode("utf-8", "surrogateescape"), m[1] == b'"') for m in _QUOTED.finditer(data)]


def _resolve(includer: Path, name: str, quoted: bool, search: Sequence[Path]) -> Path | None:
    # Plain strings: most names are no local header, and a path object costs more than the question.
    folders = [str(folder) for folder in search]
    for folder in [str(includer.parent), *folders] if quoted else folders:
        candidate = os.path.normpath(f"{folder}/{name}")
        if os.path.isfile(candidate):  # noqa: PTH113
            return Path(os.path.realpath(candidate))
    return None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", hint="check its permissions") from error


def relative_compat(options: Options, output: Path, root: Path) -> Options:
    """`options` with the compat include written from the output's folder."""
    if options.compat is None:
        return options
    up = os.path.relpath(root, output.parent).replace(os.sep, "/")
    return replace(options, compat=options.compat if up == "." else f"{up}/{options.compat}")


def run(
    files: Sequence[File],
    options: Options,
    *,
    output_root: Path,
    labels: Callable[[Path], str] = str,
    cached: dict[str, dict[str, object]] | None = None,
    jobs: int = 0,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Outcome]:
    """Translates all files, on all cores when there is enough to do.

    `cached` is a manifest's entries: a file whose content and options are unchanged and whose
    output is still there is not translated again.
    """
    known = known_names(files)
    key = options_key(options)
    outcomes: dict[Path, Outcome] = {}
    work: list[tuple[File, Options, str, frozenset[str]]] = []
    for file in files:
        names = known.get(file.source, frozenset()) | options.known
        old = (cached or {}).get(str(file.output.relative_to(output_root)))
        if old and old["key"] == _file_key(file, key, names) and _same(file.output, old["output"]):
            outcomes[file.source] = _restore(file, old)
            continue
        own = replace(relative_compat(options, file.output, output_root), known=names)
        work.append((file, own, labels(file.source), frozenset(file.includes)))
    jobs = jobs or os.cpu_count() or 1
    done = 0
    if jobs > 1 and sum(len(w[0].data) for w in work) > _POOL_BYTES:
        work.sort(key=lambda w: -len(w[0].data))
        context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
        with ProcessPoolExecutor(jobs, mp_context=context) as pool:
            chunk = max(1, len(work) // (jobs * 8))
            for outcome in pool.map(_one, work, chunksize=chunk):
                outcomes[outcome.source] = outcome
                done += 1
                if progress:
                    progress(done, len(work), outcome.source.name)
    else:
        for item in work:
            outcome = _one(item)
            outcomes[outcome.source] = outcome
            done += 1
            if progress:
                progress(done, len(work), outcome.source.name)
    return [outcomes[f.source] for f in files]


def _one(item: tuple[File, Options, str, frozenset[str]]) -> Outcome:
    file, options, label, local = item
    result = translate(file.data, label, options, local)
    return Outcome(
        file.source,
        file.output,
        result.text,
        len(result.edits),
        result.findings,
        result.shims,
        result.edits,
    )


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


class Manifest(dict[str, dict[str, object]]):
    """What an earlier run wrote: an entry per output.

    `declared` are the unknown names that the tree declared, for the names and files of `asked`.
    """

    asked: str = ""
    declared: tuple[str, ...] = ()
    stored: str = ""  # `asked` as the file on disk has it


def resolved(
    findings: list[Finding], files: Sequence[File], manifest: Manifest | None = None
) -> list[Finding]:
    """Drops PG1002 for names that any file of the tree declares; remembers them in `manifest`."""
    unknown = {f.symbol for f in findings if f.id == "PG1002"}
    if not unknown:
        return findings
    manifest = Manifest() if manifest is None else manifest
    digest = hashlib.blake2b("\0".join(sorted(unknown)).encode(), digest_size=16)
    for file in files:
        digest.update(b"%d\0" % len(file.data) + file.data)
    if manifest.asked != digest.hexdigest():
        manifest.asked = digest.hexdigest()
        manifest.declared = tuple(sorted(_declared({n.encode() for n in unknown}, files)))
    gone = set(manifest.declared)
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


@functools.cache
def _tables_digest() -> str:
    """Identity of the translator and its tables: a new version translates everything again."""
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    code = Path(__file__).resolve().parent
    for folder in (code, resources.data("mapping"), resources.data("translate")):
        for path in sorted(folder.glob("*.*")):
            stat = path.stat()
            digest.update(f"{path.name}:{stat.st_size}:{stat.st_mtime_ns};".encode())
    return digest.hexdigest()


def options_key(options: Options) -> str:
    values = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in asdict(options).items()}
    values.pop("known")
    return hashlib.blake2b(
        (_tables_digest() + json.dumps(values, sort_keys=True, default=str)).encode(),
        digest_size=16,
    ).hexdigest()


def _file_key(file: File, key: str, names: frozenset[bytes]) -> str:
    digest = hashlib.blake2b(key.encode(), digest_size=16)
    digest.update(b"\0".join(sorted(names)) + b"\0\0")
    digest.update("\0".join(sorted(file.includes)).encode("utf-8", "surrogateescape"))
    digest.update(file.data)
    return digest.hexdigest()


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _same(output: Path, wanted: object) -> bool:
    try:
        return _hash(output.read_bytes()) == wanted
    except OSError:
        return False


def _restore(file: File, old: dict[str, object]) -> Outcome:
    findings = []
    for raw in old["findings"]:  # type: ignore[attr-defined]
        raw = dict(raw)
        raw["severity"] = Severity(raw["severity"])
        raw["fix"] = tuple(Edit(a, b, t.encode("latin-1")) for a, b, t in raw.get("fix", ()))
        findings.append(Finding(**raw))
    edits = old["edits"]
    assert isinstance(edits, int)
    shims = old["shims"]
    assert isinstance(shims, list)
    return Outcome(file.source, file.output, None, edits, findings, frozenset(shims))


def load_manifest(folder: Path) -> Manifest:
    """An earlier run's manifest; empty when there is none that can be read."""
    try:
        loaded = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(loaded["files"] if loaded.get("version") == 1 else {})
        manifest.asked = manifest.stored = str(loaded.get("asked", ""))
        manifest.declared = tuple(loaded.get("declared", ()))
        return manifest
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Manifest()


def save(
    outcomes: Sequence[Outcome], files: Sequence[File], folder: Path, options: Options,
    old: Manifest,
) -> int:  # fmt: skip
    """Writes changed outputs, our headers when used, and the manifest; returns files written."""
    changed = any(outcome.text is not None for outcome in outcomes)
    known = known_names(files) if changed else {}
    key = options_key(options)
    by_source = {f.source: f for f in files}
    entries: dict[str, dict[str, object]] = {}
    written = 0
    for outcome in outcomes:
        file = by_source[outcome.source]
        name = str(outcome.output.relative_to(folder))
        if outcome.text is None:
            entries[name] = old[name]
            continue
        written += write(outcome.output, outcome.text, like=outcome.source)
        entries[name] = {
            "source": str(outcome.source),
            "key": _file_key(file, key, known.get(file.source, frozenset()) | options.known),
            "output": _hash(outcome.text),
            "edits": outcome.edits,
            "shims": sorted(outcome.shims),
            "findings": [_plain(f) for f in outcome.findings],
        }
    if entries != old or old.asked != old.stored:
        rest = {"asked": old.asked, "declared": old.declared} if old.asked else {}
        text = json.dumps({"version": 1, **rest, "files": entries}, indent=0)
        write(folder / MANIFEST, text.encode())
    if options.compat and any(o.text is None or uses_compat(o.text) for o in outcomes):
        copy_compat(folder)
    return written


def _plain(finding: Finding) -> dict[str, object]:
    values = asdict(finding)
    values["severity"] = str(finding.severity)
    values["fix"] = [(e.start, e.end, e.text.decode("latin-1")) for e in finding.fix]
    return values


def uses_compat(text: bytes) -> bool:
    """Whether a translation includes one of our compat headers."""
    return b"portgpu/hip_compat" in text


def copy_compat(folder: Path) -> None:
    """Puts `portgpu/hip_compat*.h` into a folder, for translations that include them."""
    source = resources.templates("compat")
    for path in sorted(source.rglob("*.h")):
        write(folder / path.relative_to(source), path.read_bytes())


def write(path: Path, data: bytes, like: Path | None = None) -> bool:
    """Writes a file in one step, unless it holds these bytes already. Returns whether it wrote.

    Raises `OutputError` when the folder or file cannot be written.
    """
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data, None if like is None else stat.S_IMODE(like.stat().st_mode))
    except OSError as error:
        raise OutputError(
            f"{path}: {error.strerror}", hint="check that the folder exists and is writable"
        ) from error
    return True
