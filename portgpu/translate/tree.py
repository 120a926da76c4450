"""The files of a tree that belong to a translation: inputs, and the local headers they include."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from portgpu.errors import InputError
from portgpu.files import is_lock, read_regular, reason, unreadable
from portgpu.findings import Edit, Finding, page
from portgpu.source.lines import LineIndex
from portgpu.translate.outline import Outline, Outliner, outline

_SUFFIXES = ".cu .cuh .c .cc .cpp .cxx .h .hh .hpp .hxx .inl .hip .ipp .hu .inc .tcc .tpp"
SUFFIXES = frozenset(_SUFFIXES.split())
MANIFEST = ".portgpu-translate.json"  # in every folder of translations
# Headers of compilers, AMD and NVIDIA, which some programs put in quotes.
_OTHERS = re.compile(
    r"(?:hip|roc|rccl|miopen|thrust|cub|cuda|cooperative_groups|sys|nvtx3?|portgpu)[\w.-]*/"
    r"|(?:hip|roc|rccl|cu|nv|omp|mpi)\w*\.h(?:pp)?\Z"
    r"|(?:assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|memory|malloc|setjmp"
    r"|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|strings|time|unistd|getopt|dlfcn"
    r"|fcntl|pthread|vector_types|vector_functions|device_\w+|driver_types|channel_descriptor"
    r"|math_\w+|library_types|host_defines|sm_\w+|texture_\w+|surface_\w+|builtin_types|mma)\.h\Z"
    r"|\w+\Z"
)
_OURS = re.compile(r"(?:^|/)portgpu/(?:hip_compat\w*\.h|compat/\w+\.h)\Z")


@dataclass(slots=True)
class File:
    """One file of the tree: where it comes from and where its translation goes."""

    source: Path
    output: Path
    data: bytes
    outline: Outline
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
    key: str = ""  # what it depends on, for the manifest


def collect(
    inputs: Sequence[Path],
    *,
    include_dirs: Sequence[Path] = (),
    exclude: Sequence[str] = (),
    skip: Sequence[Path] = (),
    follow: bool = True,
    outliner: Outliner = outline,
    missing: bool = False,
) -> tuple[Path, list[File], list[Finding]]:
    """The common root, and every file to translate: inputs, files of input folders, local headers.

    Folders in `skip`, and those that an earlier translation wrote, are no input. What cannot be
    read below a folder is a finding, and so are quoted headers that are nowhere, if these `missing`
    ones are asked for. Raises `InputError` for a path that does not exist, cannot be
    read, or holds no source.
    """
    chosen: dict[Path, None] = {}
    folders = []
    given: set[Path] = set()
    for path in inputs:
        if not os.path.lexists(path):
            raise InputError(f"{path}: no such file or folder", hint="check the path")
        real = Path(os.path.realpath(path))
        if path.is_dir():
            folders.append(real)
            chosen |= dict.fromkeys(_walk(real, exclude, skip))
        else:
            given.add(real)
            chosen[real] = None
    if not chosen:
        raise InputError(
            f"{', '.join(map(str, inputs))}: no C++ or CUDA sources in there",
            hint=f"sources end in {', '.join(sorted(SUFFIXES))}",
        )
    files: dict[Path, File] = {}
    notes: list[Finding] = []
    queue = list(chosen)
    nowhere: dict[str, File] = {}
    tree = _Tree(folders, [d.resolve() for d in include_dirs], exclude)
    while queue:
        path = queue.pop()
        if path in files:
            continue
        try:
            data = read_regular(path)
        except OSError as error:
            if path in given:
                raise InputError(
                    f"{path}: {reason(error, path)}", hint="check the path and its permissions"
                ) from error
            notes.append(unreadable(str(path), path, error))
            continue
        file = files[path] = File(path, path, data, outliner(data))
        folder = str(path.parent)
        for name, quoted, vendor in file.outline.includes:
            header = None
            if not _OURS.search(name):
                header = tree.resolve(folder, name, quoted) or tree.guess(name, vendor)
            if header is None:
                if quoted and not vendor and not _OTHERS.match(name) and not _OURS.search(name):
                    first = nowhere.get(name, file)
                    nowhere[name] = min(first, file, key=lambda f: f.source)
                continue
            # What is included is source, however it is called.
            if header in chosen or (follow and header not in files):
                queue.append(header)
            file.includes[name] = header
    if missing:
        notes += [_not_found(file, name) for name, file in nowhere.items()]
    root = _root(list(files), list(chosen), folders)
    for file in list(files.values()):
        if not file.source.is_relative_to(root):
            del files[file.source]
            notes += _outside(file, files, root)
    return root, sorted(files.values(), key=lambda f: f.source.parts), notes


class _Tree:
    """Where the files are that includes name."""

    def __init__(
        self, folders: Sequence[Path], search: Sequence[Path], exclude: Sequence[str]
    ) -> None:
        self._folders = folders
        self._search = [str(folder) for folder in search]
        self._exclude = exclude
        self._places: dict[str, Path | None] = {}

    def resolve(self, folder: str, name: str, quoted: bool) -> Path | None:
        """The file that an include in `folder` finds there or in the folders of `-I`."""
        for place in [folder, *self._search] if quoted else self._search:
            # Plain strings: most names are no local header, and a path object costs more than
            # the question.
            at = f"{place}/{name}"
            if at not in self._places:
                there = os.path.isfile(os.path.normpath(at))  # noqa: PTH113
                self._places[at] = Path(os.path.realpath(at)) if there else None
            if found := self._places[at]:
                return found
        return None

    @functools.cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for folder in self._folders:
            for path in _walk(folder, self._exclude, (), every=True):
                found.setdefault(path.name, []).append(path)
        return found

    def guess(self, name: str, vendor: bool) -> Path | None:
        """The one file below the inputs that an include can mean through a `-I` that we lack.

        None when there are several or none, and for headers of the `vendor`.
        """
        if not self._folders or vendor:
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


def _outside(header: File, files: dict[Path, File], root: Path) -> Iterator[Finding]:
    """Says so where the first file that stays includes the header."""
    for file in files.values():
        for name, target in file.includes.items():
            if target == header.source:
                common = os.path.commonpath([root, header.source.parent])
                yield _about(
                    file,
                    name,
                    "PG1703",
                    f"{name} lies outside {root} and was not translated",
                    f"give {common} as the input",
                )
                return


def _not_found(file: File, name: str) -> Finding:
    return _about(
        file,
        name,
        "PG1705",
        f"{name} was not found: neither it nor what it includes was translated",
        "give its folder with -I, or in include_dirs of portgpu.toml",
    )


def _about(file: File, name: str, finding_id: str, message: str, hint: str) -> Finding:
    """A finding where the file includes `name`."""
    spelt = name.encode("utf-8", "surrogateescape")
    written = re.search(rb'#[ \t]*include[ \t]*["<]' + re.escape(spelt), file.data)
    at = written.end() - len(spelt) if written else 0
    line, column = LineIndex(file.data).position(at)
    return Finding(
        str(file.source),
        line,
        column,
        finding_id,
        page(finding_id).severity,
        message,
        hint=hint,
        start=at,
        end=at + len(spelt),
        symbol=name,
    )


def _walk(
    folder: Path, exclude: Sequence[str], skip: Sequence[Path], every: bool = False
) -> Iterator[Path]:
    """Sources below a folder, or every file; hidden folders and what is excluded left out."""
    cut = len(str(folder)) + (folder != Path(folder.anchor))
    for top, dirs, names in os.walk(folder):
        if MANIFEST in names and len(top) > cut:
            dirs.clear()
            continue  # what an earlier run wrote
        dirs[:] = sorted(
            d
            for d in dirs
            if not d.startswith(".") and not _excluded(d, exclude) and Path(top, d) not in skip
        )
        for name in sorted(names):
            # Strings again: a large tree holds many files that are no source.
            relative = os.path.join(top, name)[cut:]  # noqa: PTH118
            if (
                (every or os.path.splitext(name)[1].lower() in SUFFIXES)  # noqa: PTH122
                and not is_lock(name)
                and not _OURS.search(relative)
                and not _excluded(relative, exclude)
            ):
                yield Path(top, name)


def _excluded(name: str, exclude: Sequence[str]) -> bool:
    return any(fnmatch(name, p) or fnmatch(Path(name).name, p) for p in exclude)
