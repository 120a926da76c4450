"""What a report is made of; the writers (HTML, Markdown, text) know nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from portgpu.binary import Kernel
from portgpu.findings import Edit, Finding, Severity


@dataclass(slots=True)
class SourceFile:
    """One source: its bytes, what translation changes, and what translate and lint say of it."""

    path: str  # as shown: relative, with /
    data: bytes
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def count(self, severity: Severity) -> int:
        """Number of findings of one severity."""
        return sum(f.severity is severity for f in self.findings)

    @property
    def lines(self) -> int:
        """Number of lines; a last line without an end counts."""
        return self.data.count(b"\n") + bool(self.data and not self.data.endswith(b"\n"))

    @property
    def weight(self) -> int:
        """How much there is to look at: 10 for an error, 3 for a warning; notes weigh nothing."""
        return 10 * self.count(Severity.ERROR) + 3 * self.count(Severity.WARNING)

    @property
    def state(self) -> str:
        """`look` (errors or warnings), `edited` (translation changes it), else `same`."""
        return "look" if self.weight else "edited" if self.edits else "same"


@dataclass(frozen=True, slots=True)
class Sources:
    """All sources of the project, the heaviest first, and how they were examined."""

    files: list[SourceFile]
    target: str
    warp: str
    linted: bool

    @property
    def findings(self) -> list[Finding]:
        """Of all files, in the order of the files."""
        return [f for file in self.files for f in file.findings]

    def of(self, state: str) -> list[SourceFile]:
        """Files in one state."""
        return [f for f in self.files if f.state == state]


@dataclass(frozen=True, slots=True)
class IdCount:
    """How often one finding ID occurs."""

    id: str
    severity: Severity  # the worst that occurs
    count: int
    files: int


def by_id(findings: Sequence[Finding]) -> list[IdCount]:
    """Counts by ID: errors first, then the most frequent."""
    order = list(Severity)
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.id, []).append(finding)
    rows = [
        IdCount(
            name, min((f.severity for f in g), key=order.index), len(g), len({f.path for f in g})
        )
        for name, g in groups.items()
    ]
    return sorted(rows, key=lambda r: (order.index(r.severity), -r.count, r.id))


@dataclass(frozen=True, slots=True)
class Built:
    """One target of a build folder."""

    target: str
    name: str
    toolchain: str
    requested: tuple[str, ...]
    found: tuple[str, ...]
    size: int  # bytes
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg of a test run: a library on a device at a warp width."""

    file: str  # the JSON file's name
    name: str
    target: str
    arch: str  # of the device; empty when nothing ran
    device: str
    archs: tuple[str, ...]  # in the library
    built_only: bool
    planned: int
    run: int
    failed: int
    not_run: int
    seconds: float
    note: str
    passed: bool
    ops: tuple[dict[str, Any], ...]
    failures: tuple[dict[str, Any], ...]

    @property
    def verdict(self) -> str:
        """`passed`, `failed` or `built` (built, not run)."""
        if self.built_only and self.passed:
            return "built"
        return "passed" if self.passed else "failed"

    @property
    def text(self) -> str:
        """The verdict with its numbers, for people."""
        if self.built_only:
            return "built, not run" if self.passed else f"not run: {self.note}"
        done = f"{self.run - self.failed} of {self.planned}"
        if self.passed:
            return f"passed, {done} cases"
        parts = [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.not_run} not run"] if self.not_run else []
        parts += [self.note] if self.note else []
        return f"FAILED, {done} cases passed" + "".join(f", {p}" for p in parts)


@dataclass(frozen=True, slots=True)
class Series:
    """Named values of one chart; a value is None where the row has none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """One file of timings. `kind` "times": labels are cases and values microseconds; "sizes":
    labels are numbers (element counts) and values are rates."""

    file: str
    kind: str
    unit: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a page shows. Parts that were not asked for are None or empty."""

    title: str
    sources: Sources | None = None
    builds: tuple[Built, ...] = ()
    legs: tuple[Leg, ...] = ()
    benches: tuple[Bench, ...] = ()

    @property
    def kernels(self) -> list[Kernel]:
        """All kernels of all builds."""
        return [k for b in self.builds for k in b.kernels]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One architecture of one target: whether it is in the build, and what ran on it."""

    target: str
    arch: str
    build: str  # built | missing | unknown
    kernels: int
    legs: tuple[Leg, ...]

    @property
    def verdict(self) -> str:
        """The worst of its legs; `untested` without one."""
        if self.build == "missing":
            return "failed"
        states = {leg.verdict for leg in self.legs}
        for state in ("failed", "passed", "built"):
            if state in states:
                return state
        return "untested"


def matrix(builds: Sequence[Built], legs: Sequence[Leg]) -> list[MatrixRow]:
    """Targets by architecture, from what was asked for, what was found in the binaries, and legs.

    A leg belongs to the architecture of its device (cpu: to the host's); a leg that only built
    belongs to every architecture in its library.
    """
    from portgpu.toolchain.archs import base_name, sort_key

    targets = list(dict.fromkeys([*(b.target for b in builds), *(leg.target for leg in legs)]))
    rows = []
    for target in sorted(targets, key=_target_key):
        built = [b for b in builds if b.target == target]
        found = {a for b in built for a in b.found}
        wanted = {a for b in built for a in b.requested if target != "cpu"}
        own: dict[str, list[Leg]] = {arch: [] for arch in sorted(found | wanted, key=sort_key)}
        for leg in (leg for leg in legs if leg.target == target):
            for place in _places(leg, list(own), base_name):
                own.setdefault(place, []).append(leg)
        for arch, its in own.items():
            state = "unknown" if not built else "built" if arch in found else "missing"
            count = len({k.name for b in built for k in b.kernels if k.arch == arch})
            if state == "missing" and arch not in wanted:
                state = "unknown"  # ran on code for another architecture of the family
            rows.append(MatrixRow(target, arch, state, count, tuple(its)))
    return rows


def _places(leg: Leg, known: Sequence[str], base: Any) -> list[str]:
    if leg.target == "cpu":
        return [known[0]] if known else ["host"]
    if leg.arch:
        name = base(leg.arch)
        return [next((a for a in known if base(a) == name), name)]
    return list(leg.archs or known or ("?",))


def _target_key(name: str) -> tuple[int, str]:
    order = ["cuda", "rocm", "cpu"]
    return (order.index(name) if name in order else len(order), name)
