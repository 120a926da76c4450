"""Reads the mapping tables and looks names up in both directions."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from portgpu import resources
from portgpu.errors import InternalError, UsageError, nearest

COLUMNS: tuple[str, ...] = (
    "cuda",
    "hip",
    "kind",
    "status",
    "cuda_added",
    "cuda_deprecated",
    "cuda_removed",
    "hip_added",
    "hip_deprecated",
    "hip_removed",
    "adapter",
    "note",
    "verified",
    "roc",
    "finding",
)

# File name -> what it holds, in the order of precedence: when a HIP name stands for several CUDA
# names, reading backwards takes the first family.
FAMILIES: dict[str, str] = {
    "runtime": "CUDA runtime API",
    "errors": "Error codes of the runtime and the driver",
    "device": "Device functions, intrinsics and built-in variables",
    "half": "Half, bfloat16 and fp8 types and functions",
    "complex": "cuComplex",
    "driver": "CUDA driver API",
    "blas": "cuBLAS → hipBLAS (rocBLAS)",
    "blaslt": "cuBLASLt → hipBLASLt",
    "fft": "cuFFT → hipFFT",
    "rand": "cuRAND → hipRAND, host and device",
    "sparse": "cuSPARSE → hipSPARSE (rocSPARSE)",
    "solver": "cuSOLVER → hipSOLVER (rocSOLVER)",
    "dnn": "cuDNN → MIOpen",
    "nccl": "NCCL → RCCL",
    "nvrtc": "NVRTC → hipRTC",
    "nvtx": "NVTX → roctx",
    "cub": "CUB → hipCUB",
    "thrust": "Thrust → rocThrust",
    "cooperative_groups": "Cooperative groups",
    "headers": "Header files",
    "libraries": "Link libraries",
    "flags": "Compiler flags: nvcc → hipcc",
    "cmake": "CMake names",
}

# Families whose keys are not C++ identifiers; each has a table of its own.
_OWN_KEYS = ("headers", "libraries", "flags", "cmake")


class Kind(StrEnum):
    """What a name is."""

    FUNCTION = "function"
    DEVICE_FUNCTION = "device_function"
    TYPE = "type"
    STRUCT = "struct"
    ENUM = "enum"
    MACRO = "macro"
    VARIABLE = "variable"
    NAMESPACE = "namespace"
    HEADER = "header"
    LIBRARY = "library"
    FLAG = "flag"
    CMAKE = "cmake"


class Status(StrEnum):
    """What renaming does to the meaning."""

    SAME = "same"  # renaming is right
    ADAPTER = "adapter"  # rename to the shim in `adapter`
    DIFFERS = "differs"  # renaming needs a diagnostic
    UNSUPPORTED = "unsupported"  # no counterpart
    UNVERIFIED = "unverified"  # not seen in the headers of both vendors


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. Versions are text such as "12.3" or "6.2.0", empty when unknown or never.

    `hip` is empty where nothing stands for the name. `adapter` is the name of the shim in our
    headers that gives CUDA's meaning. `roc` is the rocBLAS, rocSPARSE, … name that lies below the
    hip one. `finding` is the ID to report when the row is `differs` or `unsupported` and the
    general ID does not say enough. `verified` names the header sets in which the row was seen.
    """

    cuda: str
    hip: str
    family: str
    kind: Kind
    status: Status
    note: str = ""
    adapter: str = ""
    finding: str = ""
    cuda_added: str = ""
    cuda_deprecated: str = ""
    cuda_removed: str = ""
    hip_added: str = ""
    hip_deprecated: str = ""
    hip_removed: str = ""
    roc: str = ""
    verified: str = ""

    @property
    def target(self) -> str:
        """What a rewrite puts in the name's place: the adapter, else the HIP name, else ""."""
        return self.adapter or self.hip


class _Rows:
    """Mapping from name to `Entry`; lines are read when asked for, since few are."""

    __slots__ = ("_entries", "_lines", "_shims")

    def __init__(self, shims: Mapping[str, str]) -> None:
        self._shims = shims
        self._lines: dict[str, tuple[str, str]] = {}
        self._entries: dict[str, Entry] = {}

    def add(self, family: str, lines: list[str]) -> None:
        for line in lines:
            self._lines.setdefault(line.partition(",")[0], (family, line))

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def get(self, name: str) -> Entry | None:
        entry = self._entries.get(name)
        if entry is None and name in self._lines:
            family, line = self._lines[name]
            (entry,) = _entries(family, [line], self._shims)
            self._entries[name] = entry
        return entry

    def __getitem__(self, name: str) -> Entry:
        entry = self.get(name)
        if entry is None:
            raise KeyError(name)
        return entry

    def values(self) -> Iterator[Entry]:
        return (self[name] for name in self._lines)


class Tables:
    """All families. Names are looked up exactly; one name has one row."""

    def __init__(self, folder: Path, shims: Mapping[str, str] | None = None) -> None:
        """Reads the CSV files in `folder`. `shims` (CUDA name -> adapter) win over the rows."""
        self._shims = shims or {}
        self._lines: dict[str, list[str]] = {}
        self.names = _Rows(self._shims)  # C and C++ identifiers
        self.headers = _Rows(self._shims)  # as written between <> or ""
        self.libraries = _Rows(self._shims)  # as written after -l
        self.flags = _Rows(self._shims)  # nvcc's spelling, value left off
        self.cmake = _Rows(self._shims)  # variables, targets, commands, languages
        for family in FAMILIES:
            path = folder / f"{family}.csv"
            lines = self._lines[family] = _read(path) if path.exists() else []
            own = getattr(self, family) if family in _OWN_KEYS else self.names
            own.add(family, lines)

    @property
    def families(self) -> dict[str, str]:
        """Family -> its title."""
        return dict(FAMILIES)

    def get(self, cuda_name: str) -> Entry | None:
        """The row of a CUDA identifier, or None. Headers, libraries and flags have own tables."""
        return self.names.get(cuda_name)

    def find(self, name: str) -> list[Entry]:
        """Every row whose CUDA, HIP, roc or adapter name is `name`, in any family."""
        forward = [
            rows[name]
            for rows in (self.names, self.headers, self.libraries, self.flags, self.cmake)
            if name in rows
        ]
        return forward + [e for e in self._backward.get(name, []) if e not in forward]

    def reverse(self, hip_name: str) -> Entry | None:
        """The row to use when `hip_name` (or an adapter) is turned back into CUDA, or None."""
        return self.reverse_names.get(hip_name)

    def family(self, family: str) -> list[Entry]:
        """All rows of one family; raises `UsageError` for an unknown one."""
        if family not in self._lines:
            raise UsageError(
                f"no mapping family is called {family!r}",
                hint=nearest(family, list(FAMILIES)) or f"families: {', '.join(FAMILIES)}",
            )
        return list(_entries(family, self._lines[family], self._shims))

    @functools.cached_property
    def reverse_names(self) -> dict[str, Entry]:
        """HIP identifier -> the one row that reads it backwards.

        Among several CUDA names the living ones win over removed ones, rows that mean the same
        over rows that differ, then the order of `FAMILIES`, then the runtime's error codes over the
        driver's, then leading underscores and "_t" as on the HIP side, then the same words behind
        the prefix, then the shorter name.
        """
        best: dict[str, Entry] = {}
        order = {family: index for index, family in enumerate(FAMILIES)}

        def rank(entry: Entry) -> tuple[bool, bool, int, bool, bool, bool, bool, int, str]:
            return (
                bool(entry.cuda_removed),
                entry.status not in (Status.SAME, Status.ADAPTER),
                order[entry.family],
                entry.family == "errors" and not entry.cuda.startswith("cuda"),
                entry.cuda.startswith("_") != entry.hip.startswith("_"),
                entry.cuda.endswith("_t") != entry.hip.endswith("_t"),
                entry.cuda.partition("_")[2] != entry.hip.partition("_")[2],
                len(entry.cuda),
                entry.cuda,
            )

        for hip, entries in self._backward.items():
            usable = [
                e
                for e in entries
                if e.family not in _OWN_KEYS
                and hip in (e.hip, e.adapter)
                and e.status is not Status.UNSUPPORTED
            ]
            if usable:
                best[hip] = min(usable, key=rank)
        return best

    @functools.cached_property
    def _backward(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for family in self._lines:
            for entry in self.family(family):
                for name in {entry.hip, entry.roc, entry.adapter} - {""}:
                    found.setdefault(name, []).append(entry)
        return found


@functools.cache
def load() -> Tables:
    """The tables that come with portgpu. Raises `InternalError` for a damaged file.

    The functions of our compat header (`portgpu/data/translate/compat.csv`) are adapters.
    """
    return Tables(resources.data("mapping"), shims())


def shims() -> dict[str, str]:
    """CUDA name -> what has its meaning on AMD: a name of our compat header, or an expression."""
    with resources.data("translate", "compat.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {
            row["cuda"]: row["shim"] if row["kind"] == "text" else f"pg_compat::{row['shim']}"
            for row in rows
            if row["kind"] in ("call", "warp") or (row["kind"] == "text" and "(" in row["shim"])
        }


@functools.cache
def hip_only() -> dict[str, tuple[str, str]]:
    """HIP names that no row stands for -> (the CUDA name of another spelling or "", a note)."""
    path = resources.data("translate", "hip_only.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["hip"]: (row["cuda"], row["note"]) for row in csv.DictReader(file)}


def _read(path: Path) -> list[str]:
    """The lines of a file. One is one row, and its first cell stands without quotes."""
    header, *lines = path.read_text(encoding="utf-8").split("\n")
    if header != ",".join(COLUMNS):
        raise _damaged(f"{path}: the columns are not {', '.join(COLUMNS)}")
    return [line for line in lines if line]


def _entries(family: str, lines: list[str], shims: Mapping[str, str]) -> Iterator[Entry]:
    for row in csv.reader(lines):
        if len(row) != len(COLUMNS):
            raise _damaged(f"{family}.csv: a row has not {len(COLUMNS)} columns: {','.join(row)}")
        adapter = shims.get(row[0], "")
        yield Entry(
            cuda=row[0],
            hip=row[1],
            family=family,
            kind=Kind(row[2]),
            status=Status.ADAPTER if adapter else Status(row[3]),
            cuda_added=row[4],
            cuda_deprecated=row[5],
            cuda_removed=row[6],
            hip_added=row[7],
            hip_deprecated=row[8],
            hip_removed=row[9],
            adapter=adapter or row[10],
            note=row[11],
            verified=row[12],
            roc=row[13],
            finding=row[14],
        )


def _damaged(message: str) -> InternalError:
    return InternalError(
        message, hint="reinstall portgpu: python -m pip install --force-reinstall portgpu"
    )
