"""Statistics in the words of hipify-clang and hipify-perl: what was converted, by type and API."""

from __future__ import annotations

import csv
import functools
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from portgpu import mapping, resources
from portgpu.mapping import Entry, Kind
from portgpu.source.lexer import Kind as TokenKind
from portgpu.source.syntax import Source
from portgpu.translate.model import Result

_RESIDUE = frozenset(("PG1001", "PG1002", "PG1601", "PG1701"))
_APIS = {
    "runtime": "CUDA RT API",
    "errors": "CUDA RT API",
    "device": "CUDA RT API",
    "half": "CUDA RT API",
    "cooperative_groups": "CUDA RT API",
    "driver": "CUDA Driver API",
    "complex": "cuComplex API",
    "blas": "cuBLAS API",
    "blaslt": "cuBLAS API",
    "rand": "cuRAND API",
    "dnn": "cuDNN API",
    "fft": "cuFFT API",
    "sparse": "cuSPARSE API",
    "solver": "cuSOLVER API",
    "cub": "CUB API",
    "nvrtc": "CUDA RTC API",
    "nccl": "NCCL API",
    "nvtx": "NVTX API",
    "thrust": "Thrust API",
}
_INCLUDED = re.compile(r'[<"]([^<>"]+)[>"]')
_MAIN_HEADERS = frozenset(
    (
        "cuda.h", "cuda_runtime.h", "cublas.h", "cufft.h", "curand.h", "cusparse.h",
        "cusolverDn.h", "cudnn.h", "nvrtc.h", "cub/cub.cuh", "cuComplex.h", "nccl.h",
    )
)  # fmt: skip
_V2_HEADERS = frozenset(("cublas_v2.h", "cusparse_v2.h"))
# For functions newer than the list: the first pattern that a name has.
_BY_NAME = (
    ("coredump", re.compile("Coredump")),
    ("graph", re.compile("Graph|Recapture")),
    ("virtual_memory", re.compile("^cuMem(?:Address|Create|Map|Release|Export|Import|Retain)")),
    ("stream_ordered_memory", re.compile("MemPool|Async$")),
    ("memory", re.compile("Mem|Array")),
    ("texture", re.compile("Tex")),
    ("surface", re.compile("Surf")),
    ("tensor", re.compile("Tensor")),
    ("event", re.compile("Event")),
    ("stream", re.compile("Stream")),
    ("library", re.compile("Library|Kernel")),
    ("execution", re.compile("Launch|Func|Grid|CG")),
    ("device", re.compile("Device|Dev")),
    ("context", re.compile("Ctx")),
    ("error", re.compile("Error|Logs")),
)
LAST_TYPES = (
    "complex", "device_library", "device_function", "device_type", "include",
    "include_cuda_main_header", "include_cuda_main_header_v2", "type", "literal",
    "numeric_literal", "define", "extern_shared", "kernel_launch",
)  # fmt: skip


@functools.cache
def _groups() -> dict[str, list[str]]:
    path = resources.data("translate", "hipify_groups.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["group"]: row["names"].split() for row in csv.DictReader(file)}


@functools.cache
def _group_of() -> dict[str, str]:
    return {name: group for group, names in _groups().items() for name in names}


@functools.cache
def types() -> tuple[str, ...]:
    """All types of references in the order in which both tools print them."""
    first = [g for g in _groups() if g != "thread"]
    return (*first, "thread", *LAST_TYPES)


def type_of(entry: Entry) -> str:
    """The type of reference that HIPIFY counts a row under."""
    if entry.family == "complex":
        return "complex"
    if entry.kind is Kind.HEADER:
        if entry.cuda in _V2_HEADERS:
            return "include_cuda_main_header_v2"
        return "include_cuda_main_header" if entry.cuda in _MAIN_HEADERS else "include"
    if entry.family == "half" and entry.kind in (Kind.TYPE, Kind.STRUCT):
        return "device_type"
    if entry.kind in (Kind.TYPE, Kind.STRUCT):
        return "type"
    if entry.kind is Kind.ENUM:
        return "numeric_literal"
    if entry.kind in (Kind.MACRO, Kind.NAMESPACE):
        return "define"
    if entry.kind in (Kind.DEVICE_FUNCTION, Kind.VARIABLE):
        return "device_library" if entry.family == "rand" else "device_function"
    if entry.family in ("runtime", "driver", "errors"):
        known = _group_of().get(entry.cuda)
        return known or next((g for g, p in _BY_NAME if p.search(entry.cuda)), "device")
    return "library"


def is_device_function(name: str) -> bool:
    """Whether the tables have the name as a function of device code."""
    entry = mapping.load().get(name)
    return entry is not None and entry.kind is Kind.DEVICE_FUNCTION


@dataclass
class Counts:
    """What one file, or all of them, gave."""

    name: str
    converted: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # type, API, CUDA
    left: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)  # CUDA's name, HIP's
    replaced_bytes: int = 0
    bytes: int = 0
    changed_lines: set[tuple[str, int]] = field(default_factory=set)
    lines: int = 0
    warnings: int = 0
    seconds: float = 0.0

    def add(self, other: Counts) -> None:
        self.converted += other.converted
        self.left += other.left
        self.pairs += other.pairs
        self.replaced_bytes += other.replaced_bytes
        self.bytes += other.bytes
        self.changed_lines |= other.changed_lines
        self.lines += other.lines
        self.warnings += other.warnings
        self.seconds += other.seconds


def count(name: str, data: bytes, result: Result, started: float) -> Counts:
    """Counts of one translated file. `started` is `time.perf_counter()` of before."""
    source = Source(data, name)
    counts = Counts(name, bytes=len(data), lines=data.count(b"\n"))
    counts.lines += not data.endswith(b"\n") and bool(data)
    for edit in result.edits:
        counts.replaced_bytes += edit.end - edit.start
        counts.changed_lines.add((name, source.lines.position(edit.start)[0]))
        old = data[edit.start : edit.end]
        kind, api, text = _reference(old.decode("utf-8", "replace"))
        if kind:
            counts.converted[kind, api, text] += 1
            new = edit.text.decode("utf-8", "replace")
            included = _INCLUDED.search(new)
            counts.pairs[text, included[1] if included else new] += 1
    for finding in result.findings:
        counts.warnings += finding.severity.value != "note"
        if finding.id in _RESIDUE:
            kind, api, text = _reference(finding.symbol)
            counts.left[kind or "type", api or "CUDA RT API", text or finding.symbol] += 1
    converted = any(b"hipLaunchKernelGGL(" in edit.text for edit in result.edits)
    for i in source.places.get(b"<<<", ()) if converted else ():
        if source.code[i][0] == TokenKind.PUNCT:
            kernel = _kernel_name(source, i)
            if kernel:
                counts.converted["kernel_launch", "CUDA RT API", kernel] += 1
    counts.seconds = time.perf_counter() - started
    return counts


def _kernel_name(source: Source, i: int) -> str:
    j = i - 1
    if source.word(j) == b">":
        opener = source.template_open(j)
        j = opener - 1 if opener is not None else -1
    return source.text[j].decode("utf-8", "replace") if source.is_ident(j) else ""


def _reference(old: str) -> tuple[str, str, str]:
    """(type, API, CUDA name) of a replaced text; empty texts when it is no name."""
    tables = mapping.load()
    text = old
    if old.lstrip().startswith("#"):
        text = re.sub(r'.*[<"]([^>"]*)[>"].*', r"\1", old, flags=re.DOTALL)
        entry = tables.headers.get(text)
        if entry is None:
            return "include", "CUDA RT API", text
    else:
        entry = tables.get(old)
    if entry is None:
        return "", "", ""
    family = entry.family if entry.kind is not Kind.HEADER else _header_family(text)
    return type_of(entry), _APIS.get(family, "CUDA RT API"), text


def _header_family(name: str) -> str:
    for stem, family in (
        ("cublas", "blas"), ("cufft", "fft"), ("curand", "rand"), ("cusparse", "sparse"),
        ("cusolver", "solver"), ("cudnn", "dnn"), ("nvrtc", "nvrtc"), ("cub/", "cub"),
        ("cuComplex", "complex"), ("nccl", "nccl"), ("thrust/", "thrust"), ("nv", "nvtx"),
    ):  # fmt: skip
        if name.startswith(stem):
            return family
    return "driver" if name == "cuda.h" else "runtime"


def perl(counts: Counts) -> str:
    """hipify-perl's statistics of a file, or of all of them: what each name became."""
    rows: list[tuple[str, object]] = [
        ("CONVERTED refs count", counts.pairs.total()),
        ("TOTAL lines of code", counts.lines),
        ("WARNINGS", counts.warnings),
    ]
    text = f"\n[HIPIFY] info: file '{counts.name}' statistics:\n" + _rows(rows, "")
    if counts.pairs:
        names = [(f"{old} => {new}", number) for (old, new), number in sorted(counts.pairs.items())]
        text += "[HIPIFY] info: CONVERTED refs by names:\n" + _rows(names, "")
    return text


def clang(counts: Counts, *, separator: str = "") -> str:
    """hipify-clang's statistics of a file; with a `separator` the lines of its CSV file."""
    converted, left = counts.converted.total(), counts.left.total()
    changed = len(counts.changed_lines)
    rows: list[tuple[str, object]] = [
        ("CONVERTED refs count", converted),
        ("UNCONVERTED refs count", left),
        ("CONVERSION %", _percent(converted, converted + left, 100.0)),
        ("REPLACED bytes", counts.replaced_bytes),
        ("TOTAL bytes", counts.bytes),
        ("CHANGED lines of code", changed),
        ("TOTAL lines of code", counts.lines),
        ("CODE CHANGED (in bytes) %", _percent(counts.replaced_bytes, counts.bytes, 0.0)),
        ("CODE CHANGED (in lines) %", _percent(changed, counts.lines, 0.0)),
        ("TIME ELAPSED s", f"{counts.seconds:.2f}"),
    ]
    head = f"file '{counts.name}' statistics:"
    text = f"\n{head}\n" if separator else f"\n[HIPIFY] info: {head}\n"
    text += _rows(rows, separator)
    for label, found in (("CONVERTED", counts.converted), ("UNCONVERTED", counts.left)):
        if not found:
            continue
        for title, short, index, order in (
            ("refs by type", "CUDA ref type", 0, types()),
            ("refs by API", "CUDA API", 1, tuple(dict.fromkeys(_APIS.values()))),
            ("refs by names", "CUDA ref name", 2, ()),
        ):
            by = Counter(key[index] for key in found.elements())
            names: Sequence[str] = [n for n in order if by[n]] or sorted(by)
            text += (
                f"\n{short}{separator}Count\n"
                if separator
                else f"[HIPIFY] info: {label} {title}:\n"
            )
            text += _rows([(n, by[n]) for n in names], separator)
    return text


def clang_total(files: Sequence[Counts], *, separator: str = "") -> str:
    """What hipify-clang adds below the statistics of all files."""
    head = "TOTAL statistics:"
    text = f"\n{head}\n" if separator else f"\n[HIPIFY] info: {head}\n"
    rows: list[tuple[str, object]] = [
        ("CONVERTED files", sum(bool(c.changed_lines) for c in files)),
        ("PROCESSED files", len(files)),
    ]
    return text + _rows(rows, separator)


def _percent(part: int, whole: int, default: float) -> str:
    return f"{100.0 * part / whole if whole else default:.1f}"


def _rows(rows: Iterable[tuple[str, object]], separator: str) -> str:
    if separator:
        return "".join(f"{name}{separator}{value}\n" for name, value in rows)
    return "".join(f"  {name}: {value}\n" for name, value in rows)
