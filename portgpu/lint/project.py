"""Units (parsed files) and the project they belong to: includes, macros, names across files."""

from __future__ import annotations

import itertools
import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from portgpu.files import read_regular
from portgpu.lint.nodes import Directive, Expr, Function, Macro, Tok, Var
from portgpu.lint.parse_file import Declarations, parse
from portgpu.lint.preprocess import Preprocessor, Scanned, scan
from portgpu.source import LineIndex

_DIALECT = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]portgpu\.h[">]', re.MULTILINE)
_HIP_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]hip/", re.MULTILINE)
_CUDA_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*[<\"](?:cuda|cub/|thrust/|cooperative_groups|mma\.h|nccl|"
    rb"cu(?:blas|dnn|fft|rand))",
    re.MULTILINE,
)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)
_HIP_NAME = re.compile(rb"\bhip(?:[A-Z]\w+|LaunchKernelGGL)\b")
_CUDA_NAME = re.compile(rb"\bcuda[A-Z]\w+\b")
_GPU = re.compile(
    rb"CUDA|__global__|__device__|__shared__|<<<|threadIdx|\bcuda[A-Z_]|\bhip[A-Z_]|__shfl|__ballot|"
    rb"\bpg::|PG_|\bwarp|WARP|__CUDA|cudnn|cublas|cutlass|nvrtc|portgpu\.h"
)


def detect_mode(path: str, data: bytes) -> str:
    """`cuda`, `hip` or `dialect`, from includes, else names, else extension; empty if unsaid."""
    if _DIALECT.search(data):
        return "dialect"
    hip, cuda = _HIP_INCLUDE.search(data), _CUDA_INCLUDE.search(data)
    if hip and not cuda:
        return "hip"
    if cuda:
        return "cuda"
    if path.endswith((".hip", ".hip.cpp", ".hip.h")):
        return "hip"
    hip, cuda = _HIP_NAME.search(data), _CUDA_NAME.search(data)
    return "cuda" if cuda else "hip" if hip else ""


def concerns_gpu(data: bytes) -> bool:
    """Whether a file mentions anything that a rule could look at."""
    return _GPU.search(data) is not None


@dataclass(eq=False)
class Unit:
    """One parsed file. `closure` are the units it includes, directly or not, nearest first."""

    path: str
    data: bytes
    mode: str
    scanned: Scanned
    tokens: list[Tok]
    macros: dict[str, Macro]
    own_macros: list[Macro]
    declarations: Declarations
    closure: list[Unit] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # includes that are not in the project
    amd_names: set[str] = field(default_factory=set)  # what headers for AMD define
    _lines: LineIndex | None = None

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = LineIndex(self.data)
        return self._lines

    @cached_property
    def group_spaces(self) -> set[str]:
        """Short names that a file gives cooperative_groups; empty text for `using namespace`."""
        found = set()
        texts = [t.text for t in self.tokens]
        for index in (i for i, text in enumerate(texts) if text == "namespace"):
            if texts[index + 1 : index + 2] == ["cooperative_groups"] and index:
                found |= {""} if texts[index - 1] == "using" else set()
            elif texts[index + 2 : index + 4] == ["=", "cooperative_groups"]:
                found.add(texts[index + 1])
        return found

    @property
    def directives(self) -> list[Directive]:
        return self.scanned.directives

    def text(self, node: Expr | Tok) -> str:
        """Source text of a node."""
        return self.data[node.start : node.end].decode("latin-1")


@dataclass
class Names:
    """What a unit can see by unqualified name; more than one entry means ambiguous."""

    functions: dict[str, list[tuple[Unit, Function]]] = field(default_factory=dict)
    values: dict[str, list[Expr | int]] = field(default_factory=dict)
    variables: dict[str, list[Var]] = field(default_factory=dict)
    fields: dict[str, list[Var]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    records: set[str] = field(default_factory=set)
    layouts: dict[str, list[Var]] = field(default_factory=dict)  # fields of structs, not of unions
    constants: dict[str, int | None] = field(default_factory=dict)  # values worked out so far
    masks: dict[str, bool] = field(default_factory=dict)  # functions that return lane masks


class Project:
    """Files that can include each other. Parses each file once and remembers it."""

    def __init__(self, files: Iterable[str], mode: str = "auto", root: Path | None = None) -> None:
        self.root = root or Path()
        self.mode = mode
        self._by_name: dict[str, list[str]] = {}
        for path in files:
            self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._units: dict[tuple[str, str], Unit | None] = {}
        self._modes: dict[str, str] = {}
        self._open: set[str] = set()
        self._defined: dict[tuple[str, str], list[tuple[Names, Function]]] = {}
        self.asked: set[str] = set()  # names that were looked for in all files
        self._data: dict[str, bytes] = {}

    def give(self, path: str, data: bytes) -> None:
        """Use `data` for `path` instead of what is on disk."""
        self._data[path] = data
        names = self._by_name.setdefault(posixpath.basename(path), [])
        if path not in names:
            names.append(path)

    def read(self, path: str) -> bytes:
        if path not in self._data:
            self._data[path] = read_regular(self.root / path)
        return self._data[path]

    def resolve(self, includer: str, name: str) -> str | None:
        """The project file that `#include "name"` in `includer` means, or None.

        `name` holds the bytes of the source, one character each.
        """
        name = os.fsdecode(name.encode("latin-1", "replace"))
        near = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
        candidates = self._by_name.get(posixpath.basename(name), [])
        if near in candidates:
            return near
        tail = posixpath.normpath(name).lstrip("./")
        fitting = [p for p in candidates if p == tail or p.endswith("/" + tail)]
        if not fitting:
            return None
        # The closest one in the tree: most leading path parts in common.
        return max(fitting, key=lambda p: (_shared(p, includer), -len(p)))

    def definitions(self, declared: Function, unit: Unit) -> list[tuple[Names, Function]]:
        """Definitions in other files of a device function that `unit` only declares."""
        self.asked.add(declared.name)
        key = (declared.name, unit.mode)
        if key not in self._defined:
            call = re.compile(rb"\b%s\s*\(" % re.escape(declared.name.encode("latin-1")))
            found = self._defined[key] = []
            for path in self._paths():
                try:
                    if not call.search(self.read(path)):
                        continue
                    other = self.unit(path, unit.mode)
                except OSError:
                    continue
                names = self.names(other)
                found += [
                    (names, f)
                    for f in other.declarations.functions
                    if f.name == declared.name and f.device and f.body is not None
                    if "static" not in f.quals
                ]
        return [(names, f) for names, f in self._defined[key] if _arity(f) == _arity(declared)]

    def _paths(self) -> list[str]:
        return sorted({p for paths in self._by_name.values() for p in paths})

    def unit(self, path: str, mode: str | None = None) -> Unit:
        """The parsed file; raises `OSError` when it cannot be read."""
        data = self.read(path)
        if mode is None:
            mode = self.mode if self.mode != "auto" else self._detect(path) or "cuda"
        key = (path, mode)
        found = self._units.get(key)
        if found is None:
            found = self._units[key] = self._parse(path, data, mode)
        return found

    def _detect(self, path: str) -> str:
        """What a file is written in: it says so itself, or the headers that it includes do."""
        known = self._modes.get(path)
        if known is None:
            self._modes[path] = ""  # of headers that include each other
            data = self.read(path)
            known = detect_mode(path, data)
            for name in () if known else _INCLUDE.findall(data):
                target = self.resolve(path, name.decode("latin-1"))
                near = posixpath.normpath(
                    posixpath.join(posixpath.dirname(path), os.fsdecode(name))
                )
                if target is None or (b".." in name and target != near):
                    continue  # not the header that is meant
                try:
                    known = self._detect(target)
                except OSError:
                    continue
                if known:
                    break
            self._modes[path] = known
        return known

    def _parse(self, path: str, data: bytes, mode: str) -> Unit:
        self._open.add(path)
        scanned = scan(data)
        macros: dict[str, Macro] = dict(_KNOWN_MACROS)
        closure: list[Unit] = []
        missing: list[str] = []

        def include(name: str) -> None:
            target = self.resolve(path, name)
            if target is None:
                missing.append(name)
            if target is None or target in self._open:
                return
            try:
                header = self.unit(target, mode)
            except OSError:
                return
            closure.extend(u for u in [header, *header.closure] if u not in known)
            known.update([header, *header.closure])
            macros.update(header.macros)

        known: set[Unit] = set()
        processor = Preprocessor(mode, macros, path, include)
        tokens = processor.run(scanned)
        amd_names = self._amd_names(path, scanned) if mode == "cuda" else set()
        amd_names |= processor.left_out
        for header in closure:
            amd_names |= header.amd_names
        self._open.discard(path)
        declarations = parse(tokens)
        return Unit(
            path,
            data,
            mode,
            scanned,
            tokens,
            macros,
            processor.own,
            declarations,
            closure,
            missing,
            amd_names,
        )

    def _amd_names(self, path: str, scanned: Scanned) -> set[str]:
        """Functions and macros of headers that only another vendor's build includes."""
        found: set[str] = set()
        for name, directive in scanned.includes:
            target = None if directive.active else self.resolve(path, name)
            if target is None or target in self._open:
                continue
            try:
                header = self.unit(target, "hip")
            except OSError:
                continue
            for unit in [header, *header.closure]:
                found.update(f.name for f in unit.declarations.functions)
                found.update(m.name for m in unit.own_macros)
        return found

    def names(self, unit: Unit) -> Names:
        """What `unit` can see, its own declarations and those of its closure."""
        names = Names()
        for source in [unit, *unit.closure]:
            out = source.declarations
            for function in out.functions:
                known = names.functions.setdefault(function.name, [])
                known.append((source, function))
            for alias, text in out.types.items():
                names.types.setdefault(alias, text)
            for name, value in out.enumerators.items():
                names.values.setdefault(name, []).append(value)
            for var in out.globals:
                names.variables.setdefault(var.name, []).append(var)
            for record, fields in out.fields.items():
                names.records.add(record)
                if record not in out.unions:
                    held = [v for v in fields if not v.quals & {"static", "constexpr"}]
                    names.layouts.setdefault(record, held)
                for var in fields:
                    names.fields.setdefault(var.name, []).append(var)
            for var in [*out.globals, *(v for fs in out.fields.values() for v in fs)]:
                if var.init is not None and var.quals & {"const", "constexpr"}:
                    names.values.setdefault(var.name, []).append(var.init)
        return names


def _arity(function: Function) -> int:
    """Number of parameters; `(void)` has none."""
    return sum(p.type.strip() != "void" for p in function.params)


def _shared(left: str, right: str) -> int:
    """How many leading folders two paths have in common."""
    pairs = zip(left.split("/"), right.split("/"), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], pairs))


def _known_macros() -> dict[str, Macro]:
    """Statement macros of widely used libraries whose headers are rarely at hand."""
    loop = (
        "for (%s i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)"
    )
    text = "\n".join(
        [
            f"#define CUDA_KERNEL_LOOP(i, n) {loop % 'int'}",
            f"#define CUDA_1D_KERNEL_LOOP(i, n) {loop % 'int'}",
            f"#define CUDA_KERNEL_LOOP_TYPE(i, n, type) {loop % 'type'}",
            f"#define CUDA_1D_KERNEL_LOOP_T(i, n, type) {loop % 'type'}",
        ]
    )
    macros: dict[str, Macro] = {}
    Preprocessor("cuda", macros).run(scan(text.encode()))
    return macros


_KNOWN_MACROS = _known_macros()
